import type { Hono } from 'hono'
import type { Better, Side } from '../../../intake/measurement/run.ts'
import type { ClassifiedQuery } from '../../../judge/verdict/classified-query.ts'
import { OF, QUERY_COLUMNS } from '../../../report/row/columns.ts'
import { parseReportAddress, ROW_ROUTE } from '../../../report/urls.ts'
import { type Column, ofPart, tsvTable, tsvText } from '../../../text/table.ts'
import { jsonInPieces, type TextInPieces } from '../../../text/text-pieces.ts'
import { askedFormat } from '../../kit/answers.ts'
import { rowAtAnchor, visibleReport, whyOfEarlierRun } from '../shown-report.ts'
import type { Site } from '../site.ts'
import { historyOfRow } from './row-history.ts'
import { rowPage } from './row-page.ts'
import { parseRowView, rowAt, type ShownRow } from './shown-row.ts'

/** An anchor as `rowAnchor` makes it. */
const ANCHOR = /^[A-Za-z0-9_-]{1,120}$/

/** One query of a report with its samples and metrics. */
export function rowRoutes(app: Hono, site: Site): void {
  const { answers, store, publicUrl, version } = site

  app.get(ROW_ROUTE, async (context) => {
    const report = await visibleReport(site, context, parseReportAddress(context.req.param()))
    const anchor = context.req.param('row')
    const parameters = new URL(context.req.url).searchParams
    const asked = parameters.get('architecture')
    const row = report !== null && ANCHOR.test(anchor) ? rowAtAnchor(report, anchor) : null
    if (report === null || row === null) return answers.notFound(context)
    const view = parseRowView(parameters, row)
    const [shown, history] = await Promise.all([
      rowAt(store, report, row, asked),
      // The data have the samples alone: the history has an address of its own.
      askedFormat(context) === 'html' ? historyOfRow(site, report, row, view.architecture) : null,
    ])
    return answers.inFormat(context, {
      html: () => rowPage(shown, history, view, { publicUrl, version }),
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
    ofEarlierRun: whyOfEarlierRun(report, row),
    measured: measured.map(({ result, run, metrics }) => ({ architecture: result.architecture, run, metrics })),
  })
}

interface Sample {
  readonly result: ClassifiedQuery
  readonly metric: string
  readonly unit: string | null
  readonly better: Better | null
  readonly side: Side
  /** 0-based. */
  readonly repetition: number
  readonly value: number
  readonly process: number | null
  readonly place: number | null
  readonly clock: boolean
}

const COLUMNS: readonly Column<Sample>[] = [
  ...ofPart([...QUERY_COLUMNS, OF.architecture], ({ result }: Sample) => result),
  { key: 'metric', value: ({ metric }) => tsvText(metric) },
  { key: 'unit', value: ({ unit }) => tsvText(unit) },
  { key: 'side', value: ({ side }) => side },
  { key: 'repetition', value: ({ repetition }) => repetition },
  { key: 'value', value: ({ value }) => value },
  { key: 'better', value: ({ better }) => better },
  { key: 'process', value: ({ process }) => process },
  { key: 'place', value: ({ place }) => place },
  { key: 'one_clock', value: ({ clock }) => clock },
]

/** A line per sample that is stored: TabSeparatedWithNames, `\N` where there is nothing, texts cut as `tsvText` does. */
function rowTsv(shown: ShownRow): TextInPieces {
  return tsvTable(COLUMNS, () => samplesOf(shown))
}

function* samplesOf({ measured }: ShownRow): Generator<Sample> {
  for (const { result, metrics } of measured) {
    for (const { metric, unit, better = 'lower', samples, measurement, taken } of metrics) {
      if (measurement === null) continue
      for (const side of ['old', 'new'] as const) {
        for (const [repetition, value] of (samples?.[side] ?? []).entries()) {
          const process = taken?.[side]?.processes?.[repetition] ?? null
          const place = taken?.[side]?.places?.[repetition] ?? null
          const clock = taken?.clock === true
          yield { result, metric, unit, better, side, repetition, value, process, place, clock }
        }
      }
    }
  }
}
