import { html } from 'hono/html'
import { evidencePhrase, isSaidOfWholeRun } from '../../../render/evidence-words.ts'
import { MEASUREMENT_WORDS, VERDICT_WORDS } from '../../../render/glossary.ts'
import { queryName } from '../../../render/query-name.ts'
import { decisive } from '../../../report/parts.ts'
import type { ReportRow, TriageReport } from '../../../report/report.ts'
import { flameGraphPath, ownRowPath, queryPath, rowAnchor } from '../../../report/urls.ts'
import { plainText } from '../../../text/markdown.ts'
import type { Html } from '../../kit/layout.ts'
import { sentence } from '../../kit/links.ts'
import { explained } from '../../kit/word.ts'
import { leftOut, shownResults } from '../shown-results.ts'
import { profileSaid } from './profile-said.ts'
import { addressOf } from './report-address-of.ts'
import { COLUMNS } from './report-columns.ts'
import { DEFAULT_VIEW, viewPath } from './report-view.ts'
import { resultRow } from './result-row.ts'

/** Characters shown of texts from outside; all of them are in the JSON. */
const QUERY_LENGTH = 400
const NAME_LENGTH = 120

/** One query with its results, what is known of it, and the ways to more. */
export function reportRow(report: TriageReport, row: ReportRow, path: string): Html {
  const anchor = rowAnchor(row)
  const address = addressOf(report)
  const title = html`<a class="label" href="#${anchor}"><bdi>${queryName(row, NAME_LENGTH)}</bdi></a>
${tagsOf(row)}<a class="same" href="${ownRowPath(address, row)}">samples and metrics</a><a class="same" href="${queryPath(address, row)}">history</a><a class="same" href="${viewPath(path, { ...DEFAULT_VIEW, test: row.test })}#rows">this test</a>`
  const profile = profileSaid(row.profile, flameGraphPath(address, row))
  return html`<tbody id="${anchor}" class="outcome-${row.outcome ?? 'none'}">${rowsOf(report, row, title, profile)}</tbody>`
}

/** One query of an earlier run, of which this report has no samples and no profile. */
export function earlierRow(report: TriageReport, row: ReportRow): Html {
  const title = html`<bdi class="label">${queryName(row, NAME_LENGTH)}</bdi>
${tagsOf(row)}<a class="same" href="${queryPath(addressOf(report), row)}">history</a>`
  return html`<tbody class="outcome-${row.outcome ?? 'none'}">${rowsOf(report, row, title, '')}</tbody>`
}

function tagsOf(row: ReportRow): Html[] {
  return [
    row.verdict === null ? null : explained(VERDICT_WORDS[row.verdict], undefined, `tag ${row.verdict}`),
    row.becauseOfChange === true ? explained(MEASUREMENT_WORDS.becauseOfChange, undefined, 'tag') : null,
    row.guarded ? explained(MEASUREMENT_WORDS.guarded, undefined, 'tag') : null,
    row.sinceLastPush === null
      ? null
      : html`<span class="tag">${row.sinceLastPush === 'new' ? 'new since the last push' : 'unchanged since the last push'}</span>`,
  ].filter((tag) => tag !== null)
}

function rowsOf(report: TriageReport, row: ReportRow, title: Html, profile: Html | string): Html {
  const results = shownResults(row)
  const told = row.evidence.filter((item) => !isSaidOfWholeRun(item, row))
  const evidence = told.map((item) => html`<li>${sentence(report, evidencePhrase(item, row, 'all'))}</li>`)
  return html`
<tr class="query"><th scope="rowgroup" colspan="${COLUMNS.length}">${title}
<small>${plainText(row.metric, 40)}${row.unit === null ? '' : `, ${plainText(row.unit, 20)}`}</small>
${row.queryName === null ? '' : html`<code><bdi>${plainText(row.queryName, QUERY_LENGTH)}</bdi></code>`}
${evidence.length === 0 ? '' : html`<ul class="evidence">${evidence}</ul>`}
${profile}</th></tr>
${results.map((result) => resultRow(result, result === decisive(row) && row.results.length > 1, report))}
${results.length === row.results.length ? '' : html`<tr><td colspan="${COLUMNS.length}">${leftOut(row, results)}</td></tr>`}
`
}
