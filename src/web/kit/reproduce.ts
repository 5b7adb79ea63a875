import { html } from 'hono/html'
import type { Html } from './layout.ts'

/** One way to get the numbers of a page without it: what it gives, and what to type. */
export type Way = readonly [words: Html | string, code: string]

/** A page's numbers without the page. Where a statement is among the ways it says how to ask the database. */
export function reproduce(ways: readonly Way[]): Html {
  const hasSql = ways.some(([, code]) => code.startsWith('SELECT'))
  return html`<details class="reproduce"><summary>Reproduce</summary><div>
${ways.map(
  ([words, code]) => html`<p>${words}</p>
<pre tabindex="0"><code>${code}</code></pre>
`,
)}${hasSql ? html`<p>How to query that database is in <code>docs/database.md</code>, “Ask it yourself”: over HTTP it is <code>?database=perf_triage</code>, on a server <code>clickhouse client --database perf_triage</code>.</p>` : ''}</div></details>`
}

/** The head alone is judged by all its benchmarks together and by the trunk, which the database has: one query's samples tell nothing. */
export function againstHistoryWay(repositoryId: number, metric: string): Way {
  const option = /^[A-Za-z0-9_.-]{1,200}$/.test(metric) ? ` --metric ${metric}` : ''
  return [
    'Outcomes by the main branch’s history, recomputed in the bot’s database from the artifact of each job of this head:',
    `perf-triage classify --new job-1.zip job-2.zip --against history --repository ${repositoryId}${option} --all`,
  ]
}
