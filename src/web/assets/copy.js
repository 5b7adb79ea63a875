/**
 * A button for each text of *Reproduce* that copies it, and for each hidden text that says what its button is called. Made here,
 * so that without JavaScript there is none that does nothing; a page of plain http may not write the clipboard, and has none
 * either.
 */
const SHOWN_FOR = 2_000

if (navigator.clipboard) for (const text of document.querySelectorAll('.reproduce pre, pre[data-copy]')) addButton(text)

function addButton(text) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = text.dataset.copy ?? 'Copy'
  const said = document.createElement('span')
  said.role = 'status'
  const line = document.createElement('div')
  line.className = 'copy'
  line.append(button, said)
  text.before(line)

  let timer
  const say = (words) => {
    said.textContent = words
    clearTimeout(timer)
    timer = setTimeout(() => (said.textContent = ''), SHOWN_FOR)
  }
  button.addEventListener('click', () => void copy(text.textContent).then(say))
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text)
    return 'Copied'
  } catch {
    return 'Not allowed by the browser'
  }
}
