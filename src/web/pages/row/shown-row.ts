import type { ReportRow, TriageReport } from '../../../report/report.ts'
import { rowAnchor } from '../../../report/row-anchor.ts'
import type { StoredMetric, StoredMetrics } from '../../../store/runs/stored-metrics.ts'
import type { Store } from '../../../store/store.ts'
import type { ClassifiedQuery } from '../../../verdict/classified-query.ts'
import { type QueryMetric, queryMetrics } from '../../../verdict/query-metrics.ts'
import { shownResults } from '../shown-results.ts'

/** One result of a row with all that its run measured. */
export interface MeasuredResult {
  readonly result: ClassifiedQuery
  /** The run that the result is of; null: its samples have expired. */
  readonly run: Omit<StoredMetrics, 'metrics'> | null
  /** The most surprising first. */
  readonly metrics: readonly QueryMetric<StoredMetric>[]
}

export interface ShownRow {
  readonly report: TriageReport
  readonly row: ReportRow
  /** Those of `shownResults`. */
  readonly measured: readonly MeasuredResult[]
}

/**
 * The row at an anchor with what is stored of it on the architectures that are shown, the `asked` one among them; null: the
 * report has no such row. Throws `StoreUnavailable`.
 */
export async function rowAt(
  store: Pick<Store, 'metricsOf'>,
  report: TriageReport,
  anchor: string,
  asked: string | null,
): Promise<ShownRow | null> {
  const row = report.rows.find((one) => rowAnchor(one) === anchor)
  if (row === undefined) return null
  const measured = await Promise.all(
    shownResults(row, asked).map(async (result): Promise<MeasuredResult> => {
      const runs = await store.metricsOf(report.repository.id, report.head, row, result.architecture)
      const found = runOf(result, runs)
      if (found === null) return { result, run: null, metrics: [] }
      const { metrics, ...run } = found
      return { result, run, metrics: queryMetrics(metrics, result.metric) }
    }),
  )
  return { report, row, measured }
}

/** Where several checks measured the query, the one whose medians the result has. */
function runOf(result: ClassifiedQuery, runs: readonly StoredMetrics[]): StoredMetrics | null {
  const measures = runs.filter(({ metrics }) => metrics.some(({ metric }) => metric === result.metric))
  const same = measures.find(({ metrics }) =>
    metrics.some(
      ({ metric, oldMedian, newMedian }) =>
        metric === result.metric && oldMedian === result.old.median && newMedian === result.new.median,
    ),
  )
  return same ?? measures[0] ?? null
}

/** Of the metric that the result is of. */
export function primaryOf({ result, metrics }: MeasuredResult): QueryMetric<StoredMetric> | null {
  return metrics.find(({ metric }) => metric === result.metric) ?? null
}
