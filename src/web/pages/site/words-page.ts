import { html } from 'hono/html'
import { GLOSSARY } from '../../../render/glossary.ts'
import { wordAnchor } from '../../../report/urls.ts'
import { type Html, layout } from '../../kit/layout.ts'

export function wordsPage(version: string): Html {
  const anchored = new Set<string>()
  // A word may stand in two groups; its address is the first one.
  const id = (term: string) => {
    const anchor = wordAnchor(term)
    if (anchored.has(anchor)) return ''
    anchored.add(anchor)
    return html` id="${anchor}"`
  }
  return layout({
    title: 'What the words mean · perf-triage',
    version,
    content: html`<h1>What the words mean</h1>
${GLOSSARY.map(
  ({ title, words }) => html`<h2>${title}</h2>
<dl class="terms">
${words.map(({ term, meaning }) => html`<dt${id(term)}>${term}</dt><dd>${codeIn(meaning)}</dd>\n`)}</dl>
`,
)}`,
  })
}

/** The meanings are our own words, with code in backticks. */
function codeIn(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}
