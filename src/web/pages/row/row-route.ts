import type { Hono } from 'hono'
import { parseReportAddress } from '../../../report/report-address.ts'
import { ROW_ROUTE } from '../../../report/urls.ts'
import type { Site } from '../site.ts'
import { visibleReport } from '../visible-report.ts'
import { rowJson, rowTsv } from './row-data.ts'
import { rowPage } from './row-page.ts'
import { parseRowView } from './row-view.ts'
import { rowAt } from './shown-row.ts'

/** What `rowAnchor` makes. */
const ANCHOR = /^[A-Za-z0-9_-]{1,120}$/

/** One query of a report with its samples and metrics. */
export function rowRoutes(app: Hono, site: Site): void {
  const { answers, store, publicUrl, version } = site

  app.get(ROW_ROUTE, async (context) => {
    const report = await visibleReport(site, context, parseReportAddress(context.req.param()))
    const anchor = context.req.param('row')
    const parameters = new URL(context.req.url).searchParams
    const asked = parameters.get('architecture')
    const shown = report !== null && ANCHOR.test(anchor) ? await rowAt(store, report, anchor, asked) : null
    if (shown === null) return answers.notFound(context)
    const view = parseRowView(parameters, shown.row)
    return answers.inFormat(context, {
      html: () => rowPage(shown, view, { publicUrl, version }),
      json: () => rowJson(shown),
      tsv: () => rowTsv(shown),
    })
  })
}
