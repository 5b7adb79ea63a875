import { html } from 'hono/html'
import { OUTCOME_WORDS, THRESHOLD_SOURCE_WORDS, VERDICT_WORDS, type Word } from '../../../render/glossary.ts'
import { wordsPath } from '../../../report/urls.ts'
import type { Html } from '../../kit/layout.ts'
import { COLUMNS } from './report-columns.ts'

/** What stands in the table of queries, explained above it: a phone has no column heads and nothing to point with. */
export function reportTerms(): Html {
  const columns = COLUMNS.flatMap(({ title, word }) => (word === undefined ? [] : [line(title, word)]))
  return html`<details class="legend"><summary>What the columns and words mean</summary><div>
<dl>${columns}</dl>
<h3>Outcomes</h3>
<dl>${lines(OUTCOME_WORDS)}</dl>
<h3>What to make of a change</h3>
<dl>${lines(VERDICT_WORDS)}</dl>
<h3>Where a threshold comes from</h3>
<dl>${lines(THRESHOLD_SOURCE_WORDS)}</dl>
<p>All of them are in <a href="${wordsPath()}">Words</a>.</p></div></details>`
}

function lines(words: Readonly<Record<string, Word>>): Html[] {
  return Object.values(words).map((word) => line(word.term, word))
}

function line(shown: string, { term, meaning }: Word): Html {
  return html`<div><dt><a class="word" href="${wordsPath(term)}">${shown}</a></dt><dd>${meaning}</dd></div>`
}
