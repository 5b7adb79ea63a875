import type { Hono } from 'hono'
import type { Side } from '../../../measurement/run.ts'
import { parseReportAddress } from '../../../report/report-address.ts'
import { ROW_ROUTE } from '../../../report/urls.ts'
import type { ClassifiedQuery } from '../../../verdict/classified-query.ts'
import { jsonInPieces, type TextInPieces } from '../../kit/text-pieces.ts'
import { type TsvColumn, tsvTable, tsvText } from '../../kit/tsv.ts'
import type { Site } from '../site.ts'
import { visibleReport } from '../visible-report.ts'
import { rowPage } from './row-page.ts'
import { parseRowView, rowAt, type ShownRow } from './shown-row.ts'

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

/** The row for other programs: everything that the page shows, unrounded, with every sample that is stored. */
function rowJson({ report, row, measured }: ShownRow): TextInPieces {
  const { owner, name } = report.repository
  return jsonInPieces({
    schemaVersion: 1,
    repository: `${owner}/${name}`,
    pullRequest: report.pullRequest.number,
    head: report.head,
    row,
    measured: measured.map(({ result, run, metrics }) => ({ architecture: result.architecture, run, metrics })),
  })
}

interface Sample {
  readonly result: ClassifiedQuery
  readonly metric: string
  readonly unit: string | null
  readonly side: Side
  /** 0-based. */
  readonly repetition: number
  readonly value: number
}

const COLUMNS: readonly TsvColumn<Sample>[] = [
  ['test', ({ result }) => tsvText(result.test)],
  ['query_index', ({ result }) => result.queryIndex],
  ['query_name', ({ result }) => tsvText(result.queryName)],
  ['architecture', ({ result }) => tsvText(result.architecture)],
  ['metric', ({ metric }) => tsvText(metric)],
  ['unit', ({ unit }) => tsvText(unit)],
  ['side', ({ side }) => side],
  ['repetition', ({ repetition }) => repetition],
  ['value', ({ value }) => value],
]

/** A line per sample that is stored: TabSeparatedWithNames, `\N` where there is nothing, texts cut as `tsvText` does. */
function rowTsv(shown: ShownRow): TextInPieces {
  return tsvTable(COLUMNS, () => samplesOf(shown))
}

function* samplesOf({ measured }: ShownRow): Generator<Sample> {
  for (const { result, metrics } of measured) {
    for (const { metric, unit, samples } of metrics) {
      for (const side of ['old', 'new'] as const) {
        for (const [repetition, value] of (samples?.[side] ?? []).entries()) {
          yield { result, metric, unit, side, repetition, value }
        }
      }
    }
  }
}
