import { html } from 'hono/html'
import type { RecentReport } from '../clickhouse/recent-reports.ts'
import { plainText } from '../render/markdown.ts'
import { count } from '../render/numbers.ts'
import { type Html, layout } from './layout.ts'
import { ledgerPath, type RepositoryAddress, reportPath, repositoryPath } from './urls.ts'

export interface RepositoryPage {
  readonly address: RepositoryAddress
  /** The latest first. */
  readonly reports: readonly RecentReport[]
  /** Milliseconds: those judged before it are on the next page; null: there are none. */
  readonly next: number | null
  readonly version: string
}

/** The recent runs of a repository: a line for each head that was measured. */
export function repositoryPage({ address, reports, next, version }: RepositoryPage): Html {
  const name = `${address.owner}/${address.repo}`
  const path = repositoryPath(address)
  return layout({
    title: `${name} · performance runs`,
    version,
    wide: true,
    content: html`<h1>Recent performance runs of ${name}</h1>
<p><a href="${ledgerPath(address)}">The ledger</a>: tests that keep failing and queries that keep moving, whoever changes what.</p>
${reports.length === 0 ? html`<p>Nothing has been measured${next === null ? ' yet' : ''}. A run is here once the first performance check of a pull request has finished.</p>` : table(address, reports)}
${next === null ? '' : html`<p class="pages"><a href="${path}?before=${next}" rel="next">Older runs</a></p>`}
<p class="downloads">These runs as <a href="${path}?format=json">JSON</a>, as <a href="${path}?format=tsv">tab-separated values</a>.</p>`,
  })
}

function table(address: RepositoryAddress, reports: readonly RecentReport[]): Html {
  return html`<div class="scroll"><table class="runs"><caption>Heads of pull requests, the latest judged first</caption><thead><tr><th scope="col">Pull request</th><th scope="col">Head</th><th scope="col">Judged</th><th scope="col">State</th><th scope="col" class="n">Slower</th><th scope="col" class="n">Faster</th><th scope="col" class="n">Unstable</th><th scope="col" class="n">Too small</th><th scope="col" class="n">Not significant</th><th scope="col" class="n">Not compared</th></tr></thead>
<tbody>${reports.map((report) => line(address, report))}</tbody></table></div>`
}

function line({ owner, repo }: RepositoryAddress, report: RecentReport): Html {
  const { pullRequestNumber: number, head, counts } = report
  const judged = new Date(report.judgedAt).toISOString()
  const cell = (value: number, kind = '') =>
    html`<td class="n${value > 0 && kind !== '' ? ` ${kind}` : ''}">${count(value)}</td>`
  return html`<tr><th scope="row"><a href="${reportPath({ owner, repo, number })}">#${number}</a> <small>into <bdi>${plainText(report.baseRef, 60)}</bdi></small></th>
<td><a href="${reportPath({ owner, repo, number, head })}"><code>${head.slice(0, 10)}</code></a></td><td><time datetime="${judged}">${judged.slice(0, 16).replace('T', ' ')} UTC</time></td>
<td>${report.complete ? 'complete' : 'shards are missing'}</td>${cell(counts.slower, 'slower')}${cell(counts.faster, 'faster')}${cell(counts.unstable)}${cell(counts.tooSmall)}${cell(counts.notSignificant)}${cell(counts.notCompared)}</tr>
`
}
