import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import { findingsOf } from '../../../judge/verdict/findings.ts'
import { nounOf } from '../../../report/parts.ts'
import { summaryOf } from '../../../report/render/summary.ts'
import type { TriageReport } from '../../../report/report.ts'
import { testSpeeds } from '../../../report/test-speeds.ts'
import {
  FAILING_TESTS_ROUTE,
  failingTestsPath,
  parseReportAddress,
  REPORT_OF_HEAD_ROUTE,
  REPORT_ROUTE,
  reportPath,
} from '../../../report/urls.ts'
import { IN_THE_DATABASE } from '../../../report/words.ts'
import { resultsSql } from '../../../store/runs/results-sql.ts'
import { jsonInPieces } from '../../../text/text-pieces.ts'
import { COPY_SCRIPT, REPORT_SCRIPT } from '../../assets/assets.ts'
import { crumbs } from '../../kit/crumbs.ts'
import { type Html, layout } from '../../kit/layout.ts'
import { linked, pullRequestLink } from '../../kit/links.ts'
import { pullRequestName } from '../../kit/pull-request.ts'
import { againstHistoryWay, reproduce, type Way } from '../../kit/reproduce.ts'
import { addressOf, visibleReport } from '../shown-report.ts'
import type { Site } from '../site.ts'
import { changeStrip } from './change-strip.ts'
import { environmentsFold } from './environments.ts'
import { failingTestsJson, failingTestsPart, failingTestsTsv } from './failing-tests.ts'
import {
  otherMetricsFold,
  runNotesFold,
  shardsFold,
  shiftsFold,
  speedsFold,
  thresholdsFold,
  warningsFold,
  windowsPart,
} from './report-folds.ts'
import {
  besideLinks,
  compared,
  comparisonList,
  countLinks,
  delta,
  facts,
  headline,
  lead,
  notices,
  suitesPart,
} from './report-head.ts'
import { earlierRunsPart, rowsSection } from './report-rows.ts'
import { parseReportView, type ReportView, rowsShown } from './report-view.ts'
import { isOneSided, reportTsv } from './result-columns.ts'
import { type SamplesOf, samplesOfRows } from './row-samples.ts'

/** How many rows are a finding without being changed ones, as the comment counts them. */
function numbersFound(report: TriageReport) {
  const { failedInNew, failedUnknown, notMeasuredAgain, notSeenAgain, ignored } = findingsOf(report)
  return {
    failedInNew: failedInNew.length,
    failedUnknown: failedUnknown.length,
    notMeasuredAgain: notMeasuredAgain.length,
    notSeenAgain: notSeenAgain.length,
    ignored: ignored.length,
  }
}

/** The lines of the speed of each test, each with its slowest query. */
function speedsJson({ rows }: TriageReport) {
  return testSpeeds(rows).map(({ slowest: { row, value }, ...speed }) => ({
    ...speed,
    slowest: { queryIndex: row.queryIndex, queryName: row.queryName, value },
  }))
}

/** The report of a pull request, or of one of its heads, and its failing tests alone. */
export function reportRoutes(app: Hono, site: Site): void {
  const { answers } = site

  const showReport = async (context: Context) => {
    const address = parseReportAddress(context.req.param())
    const report = await visibleReport(site, context, address)
    if (address === null || report === null) return answers.notFound(context)
    const view = parseReportView(new URL(context.req.url).searchParams)
    return answers.inFormat(context, {
      html: async () => {
        const rows = rowsShown(report, view).rows.map(({ row }) => row)
        return await reportPage(report, view, reportPath(address), site, await samplesOfRows(site, report, rows))
      },
      json: () =>
        jsonInPieces({
          ...report,
          findings: numbersFound(report),
          said: summaryOf(report),
          speeds: speedsJson(report),
        }),
      tsv: () => reportTsv(report),
    })
  }
  app.get(REPORT_ROUTE, showReport)
  app.get(REPORT_OF_HEAD_ROUTE, showReport)

  app.get(FAILING_TESTS_ROUTE, async (context) => {
    const report = await visibleReport(site, context, parseReportAddress(context.req.param()))
    const failing = report?.failingTests ?? null
    if (report === null || failing === null) return answers.notFound(context)
    return answers.inFormat(context, {
      json: () => failingTestsJson(report, failing),
      tsv: () => failingTestsTsv(report, failing),
    })
  })
}

interface ReportPageOptions {
  /** The address of the bot from outside. */
  readonly publicUrl: string
  readonly version: string
}

/** The report of one head as a page. `path` is the address it was asked for at, without a query. */
export function reportPage(
  report: TriageReport,
  view: ReportView,
  path: string,
  { publicUrl, version }: ReportPageOptions,
  samples?: SamplesOf,
): Html {
  const shown = rowsShown(report, view)
  const title = `${report.repository.owner}/${report.repository.name} #${report.pullRequest.number}`
  return layout({
    title: `${title} at ${report.head.slice(0, 7)} · performance report`,
    description: headline(report),
    version,
    wide: true,
    scripts: [REPORT_SCRIPT, COPY_SCRIPT],
    crumbs: crumbs(
      { owner: report.repository.owner, repo: report.repository.name },
      { text: `#${report.pullRequest.number}` },
    ),
    content: html`<h1>${reportName(report)}</h1>
${lead(report)}
${compared(report)}
${comparisonList(report)}
${notices(report)}
${countLinks(report, view, path)}
${changeStrip(report)}
${besideLinks(report)}
<div class="report${view.columns === 'all' ? ' all' : ''}">
<div>
${rowsSection(report, view, shown, path, samples)}
${earlierRunsPart(report)}
</div>
${beside(report)}
</div>
<section aria-labelledby="run-title">
<h2 id="run-title">About this run</h2>
${facts(report)}
<div class="folds">
${shardsFold(report)}
${otherMetricsFold(report)}
${speedsFold(report, path)}
${environmentsFold(report)}
${runNotesFold(report)}
${thresholdsFold(report)}
${shiftsFold(report)}
${warningsFold(report)}
</div>
</section>
${reportReproduce(report, `${publicUrl}${reportPath(addressOf(report))}`)}
<p class="downloads">All ${nounOf(report, report.rows.length)}, unrounded:
<a href="${path}?format=json">JSON</a>, <a href="${path}?format=tsv">tab-separated values</a>.</p>`,
  })
}

/** `#5 Load orders in parts · alice`; of a report from before the title was kept, `acme/engine #5`. */
function reportName(report: TriageReport): Html {
  const { repository, pullRequest } = report
  const link = pullRequestLink(report)
  return pullRequest.title === undefined
    ? linked(link, `${repository.owner}/${repository.name} #${pullRequest.number}`)
    : pullRequestName(pullRequest.number, pullRequest, link)
}

/** What belongs to the queries and is none: on a wide screen it stands beside them. */
function beside(report: TriageReport): Html | string {
  const parts = [
    failingTestsPart(report, failingTestsPath(addressOf(report))),
    windowsPart(report),
    suitesPart(report),
    delta(report),
  ].filter((part) => part !== '')
  return parts.length === 0 ? '' : html`<div class="beside">${parts}</div>`
}

/** Ways to get the numbers of a report without its page. `address` is the full one of this head. */
function reportReproduce(report: TriageReport, address: string): Html {
  const sql = resultsSql(report)
  const ofSql: Way[] = sql === null ? [] : [[`The medians, thresholds and p of each run, ${IN_THE_DATABASE}:`, sql]]
  return reproduce([
    ['The report of this head with everything in it, unrounded:', `curl --silent --fail '${address}?format=json'`],
    ['Its table, one line per query and architecture:', `curl --silent --fail '${address}?format=tsv'`],
    isOneSided(report.rows)
      ? againstHistoryWay(report.repository.id, report.primaryMetric)
      : [
          'Medians, thresholds, p and outcomes, recomputed from the performance check’s results, downloaded into a folder (without the main branch’s history, so default limits stand in for learned thresholds):',
          'perf-triage classify results/ --all --json',
        ],
    ...ofSql,
  ])
}
