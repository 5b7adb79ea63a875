import { METRIC_GROUPS, type MetricGroup } from '../../../intake/measurement/metric-group.ts'
import type { ClassifiedQuery } from '../../../judge/verdict/classified-query.ts'
import { counterRatios } from '../../../judge/verdict/counter-ratios.ts'
import { type QueryMetric, queryMetrics } from '../../../judge/verdict/query-metrics.ts'
import type { ReportRow, TriageReport } from '../../../report/report.ts'
import type { StoredMetric, StoredMetrics } from '../../../store/runs/stored-metrics.ts'
import type { Store } from '../../../store/store.ts'
import { shownResults } from '../shown-report.ts'

/** The query part of a row's address. */
export interface RowView {
  /** The architecture of the metrics: one of the row's. */
  readonly architecture: string | null
  /** On the x axis of the scatter plot; null: of those that moved the one that goes with the time most. */
  readonly metric: string | null
  readonly group: MetricGroup | null
}

/** The longest name of ClickHouse's events has 70 characters; a metric with a longer one than this has no plot. */
export const LONGEST_METRIC = 200

/** A parameter that is not understood is as by default, so that an address that somebody shortened still works. */
export function parseRowView(parameters: URLSearchParams, row: ReportRow): RowView {
  const asked = parameters.get('architecture')
  const metric = parameters.get('metric')
  const named = row.results.find(({ architecture }) => asked !== null && architecture === asked)
  return {
    architecture: (named ?? row.results[row.decidedBy])?.architecture ?? null,
    metric: metric === null || metric === '' || metric.length > LONGEST_METRIC ? null : metric,
    group: METRIC_GROUPS.find((group) => group === parameters.get('group')) ?? null,
  }
}

/** `path` with the view as its query part; what is as by default is left out. */
export function rowViewPath(path: string, view: RowView, row: ReportRow): string {
  const parameters = new URLSearchParams()
  const deciding = row.results[row.decidedBy]?.architecture ?? null
  if (view.architecture !== null && view.architecture !== deciding) parameters.set('architecture', view.architecture)
  if (view.metric !== null) parameters.set('metric', view.metric)
  if (view.group !== null) parameters.set('group', view.group)
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`
}

/** One result of a row with all that its run measured. */
export interface MeasuredResult {
  readonly result: ClassifiedQuery
  /** The run that the result is of; null: its samples have expired. */
  readonly run: Omit<StoredMetrics, 'metrics' | 'architecture'> | null
  /** The most surprising first. */
  readonly metrics: readonly QueryMetric<StoredMetric>[]
}

export interface ShownRow {
  readonly report: TriageReport
  readonly row: ReportRow
  /** The results of `shownResults`. */
  readonly measured: readonly MeasuredResult[]
}

/**
 * A row with what is stored of it on the architectures that are shown, the `asked` one among them. Throws `StoreUnavailable`.
 */
export async function rowAt(
  store: { readonly runs: Pick<Store['runs'], 'metricsOf'> },
  report: TriageReport,
  row: ReportRow,
  asked: string | null,
): Promise<ShownRow> {
  const results = shownResults(row, asked)
  const architectures = [...new Set(results.map(({ architecture }) => architecture))]
  const runs = await store.runs.metricsOf(report.repository.id, report.head, row, architectures)
  const measured = results.map((result): MeasuredResult => {
    const found = runOf(result, runs)
    if (found === null) return { result, run: null, metrics: [] }
    const { metrics, architecture: _ofResult, ...run } = found
    const ratios = counterRatios(metrics).map((ratio) => ({ ...ratio, measurement: null }))
    return { result, run, metrics: queryMetrics([...metrics, ...ratios], result.metric) }
  })
  return { report, row, measured }
}

/** The run whose medians the result has, where several checks measured the query. */
function runOf(result: ClassifiedQuery, runs: readonly StoredMetrics[]): StoredMetrics | null {
  const measures = runs.filter(
    ({ architecture, metrics }) =>
      architecture === result.architecture && metrics.some(({ metric }) => metric === result.metric),
  )
  const same = measures.find(({ metrics }) =>
    metrics.some(
      ({ metric, oldMedian, newMedian }) =>
        metric === result.metric && oldMedian === result.old.median && newMedian === result.new.median,
    ),
  )
  return same ?? measures[0] ?? null
}

/** The measurements of the metric that the result is of. */
export function primaryOf({ result, metrics }: MeasuredResult): QueryMetric<StoredMetric> | null {
  return metrics.find(({ metric }) => metric === result.metric) ?? null
}
