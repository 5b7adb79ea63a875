/**
 * Two things that make a report quicker to read; without this it is all there is. While somebody types into the search, the rows on
 * the page that don't hold it are hidden. Single keys go from row to row.
 */
const input = document.querySelector('#rows .filter input[name="q"]')
const table = document.querySelector('table.queries[data-matching]')
const found = document.querySelector('.found')
const bodies = table ? [...table.tBodies] : []

if (input && table && found) {
  // What the rows of the page were searched for.
  const asked = input.defaultValue.trim().toLowerCase()
  const rows = bodies.map((body) => ({ body, text: textOf(body) }))
  const isAll = asked === '' && Number(table.dataset.matching) === rows.length

  const show = () => {
    const wanted = input.value.trim().toLowerCase()
    let shown = 0
    for (const { body, text } of rows) {
      const matches = text.includes(wanted)
      body.hidden = !matches
      if (matches) shown += 1
    }
    const more = isAll ? '' : ' Press Enter to search all of them.'
    found.textContent = wanted === asked ? '' : `${shown} of the ${rows.length} queries on this page.${more}`
  }

  let isWaiting = false
  input.addEventListener('input', () => {
    if (isWaiting) return
    isWaiting = true
    requestAnimationFrame(() => {
      isWaiting = false
      show()
    })
  })
}

/** The name and the text of the query, which is what the server searches. */
function textOf(body) {
  const parts = [...body.querySelectorAll('.label, .more > code')]
  return parts
    .map((part) => part.textContent)
    .join('\n')
    .toLowerCase()
}

const KEYS = [
  ['/', 'search the queries'],
  ['j', 'next query'],
  ['k', 'previous query'],
  ['o or Enter', 'open the query'],
  ['x', 'show or hide what is known of it'],
  ['?', 'show these keys'],
]
const SWITCH = 'perf-triage.keys'

/** Whoever speaks to the browser, or presses keys by accident, can do without single keys. */
let areOff = false
try {
  areOff = localStorage.getItem(SWITCH) === 'off'
} catch {
  // a browser that keeps nothing keeps the keys
}

const help = input ? addHelp() : null
if (help) document.addEventListener('keydown', press)

function press(event) {
  const { key, ctrlKey, metaKey, altKey, target, defaultPrevented } = event
  if (defaultPrevented || ctrlKey || metaKey || altKey || help.open || isTyping(target)) return
  const act = areOff ? undefined : ACTIONS[key]
  if (act === undefined) return
  event.preventDefault()
  act()
}

function isTyping(target) {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
}

const ACTIONS = {
  '/': () => input.select(),
  j: () => step(1),
  k: () => step(-1),
  o: () => current()?.querySelector('a.label')?.click(),
  x: () => current()?.querySelector('summary')?.click(),
  '?': () => help.showModal(),
}

/** The row with the focus, else the one that the address names. */
function current() {
  return (
    document.activeElement?.closest('table.queries[data-matching] > tbody') ??
    table?.querySelector(':scope > tbody:target')
  )
}

function step(by) {
  const shown = bodies.filter((body) => !body.hidden)
  const at = shown.indexOf(current())
  const next = shown[at === -1 ? 0 : at + by]
  next?.querySelector('a.label')?.focus({ focusVisible: true })
}

/** A button behind the form, and what it opens. */
function addHelp() {
  const dialog = document.createElement('dialog')
  dialog.className = 'keys'
  dialog.setAttribute('aria-labelledby', 'keys-title')
  const title = Object.assign(document.createElement('h2'), { id: 'keys-title', textContent: 'Keys' })
  const list = document.createElement('dl')
  for (const [key, does] of KEYS) {
    const line = document.createElement('div')
    const term = document.createElement('dt')
    term.append(Object.assign(document.createElement('kbd'), { textContent: key }))
    line.append(term, Object.assign(document.createElement('dd'), { textContent: does }))
    list.append(line)
  }
  const box = Object.assign(document.createElement('input'), { type: 'checkbox', checked: !areOff })
  const label = document.createElement('label')
  label.append(box, ' Use single keys')
  box.addEventListener('change', () => {
    areOff = !box.checked
    try {
      localStorage.setItem(SWITCH, areOff ? 'off' : 'on')
    } catch {
      // until the page is left
    }
  })
  const close = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Close' })
  close.addEventListener('click', () => dialog.close())
  const foot = Object.assign(document.createElement('p'), { className: 'filter' })
  foot.append(close)
  dialog.append(title, list, label, foot)

  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Keys', title: '?' })
  button.className = 'keys'
  button.addEventListener('click', () => dialog.showModal())
  input.form.append(button)
  document.body.append(dialog)
  return dialog
}
