import { html } from 'hono/html'
import type { TriageReport } from '../../../report/report.ts'
import { reportPath } from '../../../report/urls.ts'
import { plainText } from '../../../text/markdown.ts'
import { count } from '../../../text/numbers.ts'
import { LIST_LENGTH } from '../../kit/fold.ts'
import type { Html } from '../../kit/layout.ts'

const NAME_LENGTH = 120

/** What is different from the report of the previous head. */
export function delta(report: TriageReport): Html | string {
  const since = report.sinceLastPush
  if (since === null) return ''
  const { owner, name } = report.repository
  const before = reportPath({ owner, repo: name, number: report.pullRequest.number, head: since.head })
  const resolved = since.resolved.slice(0, LIST_LENGTH).map((label) => plainText(label, NAME_LENGTH))
  const more = since.resolved.length - resolved.length
  return html`<p>Since the last push (<a href="${before}">${plainText(since.head, 64).slice(0, 10)}</a>): ${count(since.new)} new, ${count(since.unchanged)} unchanged, ${count(since.resolved.length)} resolved${
    resolved.length === 0
      ? '.'
      : html`: ${resolved.map((label, index) => html`${index === 0 ? '' : ', '}<bdi>${label}</bdi>`)}${more > 0 ? ` and ${count(more)} more` : ''}.`
  }</p>`
}
