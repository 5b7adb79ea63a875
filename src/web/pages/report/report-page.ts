import { html } from 'hono/html'
import { failingLine } from '../../../render/failing-line.ts'
import { failingView } from '../../../render/failing-view.ts'
import { FAILING_TESTS_ANCHOR } from '../../../report/failure-anchor.ts'
import type { TriageReport } from '../../../report/report.ts'
import { failingTestsPath, reportPath } from '../../../report/urls.ts'
import { counted } from '../../../text/numbers.ts'
import { COPY_SCRIPT, REPORT_SCRIPT } from '../../assets/assets.ts'
import { crumbs } from '../../kit/crumbs.ts'
import { type Html, layout } from '../../kit/layout.ts'
import { linked, pullRequestLink } from '../../kit/links.ts'
import { failingTestsPart } from './failing-tests-part.ts'
import { addressOf } from './report-address-of.ts'
import { countLinks } from './report-counts.ts'
import { delta } from './report-delta.ts'
import { facts } from './report-facts.ts'
import { lead } from './report-lead.ts'
import { notMeasuredAgainPart } from './report-not-measured-again.ts'
import { notices } from './report-notices.ts'
import { reportReproduce } from './report-reproduce.ts'
import { rowsSection } from './report-rows.ts'
import { shardsFold } from './report-shards.ts'
import { shiftsFold } from './report-shifts.ts'
import { thresholdsFold } from './report-thresholds.ts'
import { type ReportView, rowsShown } from './report-view.ts'
import { warningsFold } from './report-warnings.ts'
import { windowsFold } from './report-windows.ts'

export interface ReportPageOptions {
  /** Where the bot is reached from outside. */
  readonly publicUrl: string
  readonly version: string
}

/** The report of one head as a page. `path` is the address it was asked for at, without a query. */
export function reportPage(
  report: TriageReport,
  view: ReportView,
  path: string,
  { publicUrl, version }: ReportPageOptions,
): Html {
  const shown = rowsShown(report, view)
  const title = `${report.repository.owner}/${report.repository.name} #${report.pullRequest.number}`
  return layout({
    title: `${title} at ${report.head.slice(0, 7)} · performance report`,
    version,
    wide: true,
    scripts: [REPORT_SCRIPT, COPY_SCRIPT],
    crumbs: crumbs(
      { owner: report.repository.owner, repo: report.repository.name },
      { text: `#${report.pullRequest.number}` },
    ),
    content: html`<h1>Performance report of ${linked(pullRequestLink(report), title)}</h1>
${lead(report)}
${notices(report)}
${facts(report)}
${countLinks(report, view, path)}
${delta(report)}
${failingTestsLink(report)}
<div class="folds">
${shardsFold(report)}
${windowsFold(report)}
${thresholdsFold(report)}
${shiftsFold(report)}
${warningsFold(report)}
</div>
${notMeasuredAgainPart(report)}
${rowsSection(report, view, shown, path)}
${failingTestsPart(report, failingTestsPath(addressOf(report)))}
${reportReproduce(report, `${publicUrl}${reportPath(addressOf(report))}`)}
<p class="downloads">All ${counted(report.rows.length, 'query', 'queries')}, unrounded:
<a href="${path}?format=json">JSON</a>, <a href="${path}?format=tsv">tab-separated values</a>.</p>`,
  })
}

/** The rows come by the hundred: who looks for the failing tests does not scroll past them. */
function failingTestsLink(report: TriageReport): Html | string {
  const failing = failingView(report.failingTests)
  const line = failing === null ? '' : failingLine(failing)
  return line === '' ? '' : html`<p><a href="#${FAILING_TESTS_ANCHOR}">Failing tests</a>: ${line}.</p>`
}

// Of the page of a query over time.
