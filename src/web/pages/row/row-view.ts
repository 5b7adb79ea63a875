import { METRIC_GROUPS, type MetricGroup } from '../../../measurement/metric-group.ts'
import type { ReportRow } from '../../../report/report.ts'

/** What the query part of a row's address asks for. */
export interface RowView {
  /** Of the metrics: one of the row's architectures. */
  readonly architecture: string | null
  /** On the x axis of the scatter plot; null: of those that moved the one that goes with the time most. */
  readonly metric: string | null
  readonly group: MetricGroup | null
}

/** The longest name of ClickHouse's events has 70 characters; a metric with a longer one than this has no plot. */
export const LONGEST_METRIC = 200

/** What is not understood is as by default, so that an address that somebody shortened still works. */
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
