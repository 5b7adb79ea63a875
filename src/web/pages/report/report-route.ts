import type { Context, Hono } from 'hono'
import type { TriageReport } from '../../../report/report.ts'
import { parseReportAddress } from '../../../report/report-address.ts'
import { FAILING_TESTS_ROUTE, REPORT_OF_HEAD_ROUTE, REPORT_ROUTE, reportPath } from '../../../report/urls.ts'
import { jsonInPieces } from '../../../text/text-pieces.ts'
import { findingsOf } from '../../../verdict/findings.ts'
import type { Site } from '../site.ts'
import { visibleReport } from '../visible-report.ts'
import { failingTestsJson, failingTestsTsv } from './failing-tests-data.ts'
import { reportPage } from './report-page.ts'
import { reportTsv } from './report-tsv.ts'
import { parseReportView } from './report-view.ts'

/** How many rows are a finding without being changed ones, as the comment counts them. */
function numbersFound(report: TriageReport) {
  const { failedInNew, failedUnknown, notMeasuredAgain } = findingsOf(report)
  return {
    failedInNew: failedInNew.length,
    failedUnknown: failedUnknown.length,
    notMeasuredAgain: notMeasuredAgain.length,
  }
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
      html: () => reportPage(report, view, reportPath(address), site),
      json: () => jsonInPieces({ ...report, findings: numbersFound(report) }),
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
