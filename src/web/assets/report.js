/**
 * While somebody types into the search of a report, the rows on the page that don't hold it are hidden. The form asks for
 * all pages; without this it is all there is.
 */
const input = document.querySelector('#rows .filter input[name="q"]')
const table = document.querySelector('table.queries[data-matching]')
const found = document.querySelector('.found')

if (input && table && found) {
  // What the rows of the page were searched for.
  const asked = input.defaultValue.trim().toLowerCase()
  const rows = [...table.tBodies].map((body) => ({ body, text: textOf(body) }))
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

/** Of its first row the name and the text of the query, which is what the server searches. */
function textOf(body) {
  const parts = [...body.querySelectorAll('.label, summary > code')]
  return parts
    .map((part) => part.textContent)
    .join('\n')
    .toLowerCase()
}
