import { html } from 'hono/html'
import { wordAnchor } from '../../report/urls.ts'
import { GLOSSARY } from '../kit/glossary.ts'
import { type Html, layout } from '../kit/layout.ts'

/** The glossary as a page: each term has an address. */
export function wordsPage(version: string): Html {
  return layout({
    title: 'Glossary · perf-triage',
    version,
    content: html`<h1>Glossary</h1>
${GLOSSARY.map(
  ({
    title,
    words,
  }) => html`<details class="words"><summary><h2>${title}</h2> ${words.map(({ term }) => term).join(' · ')}</summary>
<dl class="terms">
${words.map(({ term, meaning }) => html`<dt id="${wordAnchor(term)}">${term}</dt><dd>${codeIn(meaning)}</dd>\n`)}</dl></details>
`,
)}`,
  })
}

/** The meanings are our own words, with code in backticks. */
function codeIn(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}
