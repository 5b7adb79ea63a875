import { QUERY_DURATION, type QueryLog, SHOWN_METRICS } from '../intake/measurement/query-log.ts'
import type { ReadWarning } from '../intake/measurement/run.ts'
import { countOutcomes, type OutcomeCounts } from '../judge/verdict/classified-query.ts'
import {
  type ClassifiedQueryLog,
  classifyCosts,
  classifyQueryLog,
  type QueryLogRow,
} from '../judge/verdict/classify-query-log.ts'
import type { ThresholdSettings } from '../judge/verdict/thresholds.ts'

/** What a query log says: the value that its table, comment and page show. */
export interface QueryLogReport extends ClassifiedQueryLog {
  /** Merges and sizes of parts, shown after the queries whatever metric was asked for. */
  readonly costs: readonly QueryLogRow[]
  /** The metric that `counts` are over. */
  readonly counted: string
  readonly counts: OutcomeCounts
  /** The first is what the others are compared with. */
  readonly variants: readonly string[]
  readonly executions: number
  readonly warnings: readonly ReadWarning[]
}

export interface QueryLogReportOptions {
  /** The only metric that was read; null: all of them. */
  readonly metric: string | null
  readonly settings: ThresholdSettings
  readonly warnings: readonly ReadWarning[]
  readonly onProgress: (done: number, of: number) => void
}

/** Classifies a log and its costs. */
export function queryLogReport(log: QueryLog, options: QueryLogReportOptions): QueryLogReport {
  const { metrics } = log.executions
  const counted = options.metric ?? (metrics.includes(QUERY_DURATION) ? QUERY_DURATION : metrics[0]!)
  const classified = classifyQueryLog(log, options.settings, options.onProgress)
  return {
    ...classified,
    costs: classifyCosts(log, options.settings),
    counted,
    counts: countOutcomes(classified.rows.filter(({ metric }) => metric === counted)),
    variants: log.variants,
    executions: log.executions.rows,
    warnings: options.warnings,
  }
}

/** Of each query, group and variant the rows to show, in the order of what decides. */
export function groupsOf(report: QueryLogReport, showsAll: boolean): readonly (readonly QueryLogRow[])[] {
  const groups = Map.groupBy(report.rows, keyOf)
  const inOrder = report.rows.filter(({ metric }) => metric === report.counted)
  return inOrder.map((row) => withMetrics(groups.get(keyOf(row))!, report, showsAll))
}

/** All queries together, by the rows to show of one variant; empty where there is one query in one group. */
function wholeOf(report: QueryLogReport, variant: string): readonly QueryLogRow[] {
  return withMetrics(
    report.whole.filter((row) => row.variant === variant),
    report,
    false,
  )
}

/** The rows to show of a query and group, all together first, with those of each variant but the first in their order. */
export type ComparedGroup = readonly (readonly QueryLogRow[])[]

/** All groups, those of several variants beside each other, in the order of the worst of them. */
export function comparedGroups(report: QueryLogReport): readonly ComparedGroup[] {
  const variants = report.variants.slice(1)
  const whole = variants.map((variant) => wholeOf(report, variant))
  const groups = Map.groupBy(groupsOf(report, false), ([row]) => JSON.stringify([row!.test, row!.queryName]))
  const beside = groups
    .values()
    .map((rows) => variants.map((variant) => rows.find(([row]) => row!.variant === variant) ?? []))
  return whole.some((rows) => rows.length > 0) ? [whole, ...beside] : [...beside]
}

function keyOf({ test, queryName, variant }: QueryLogRow): string {
  return JSON.stringify([test, queryName, variant])
}

/** The rows of the metrics that a person looks at, or of all of them; the one that decides is the first. */
export function withMetrics(
  rows: readonly QueryLogRow[],
  { counted }: Pick<QueryLogReport, 'counted'>,
  showsAll: boolean,
): readonly QueryLogRow[] {
  const place = ({ metric: name }: QueryLogRow) => (name === counted ? -1 : SHOWN_METRICS.indexOf(name))
  const isShown = (row: QueryLogRow) => showsAll || place(row) !== -1 || row.metric === counted
  const order = (row: QueryLogRow) => (row.metric === counted || place(row) !== -1 ? place(row) : SHOWN_METRICS.length)
  return rows.filter(isShown).toSorted((a, b) => order(a) - order(b) || (a.metric < b.metric ? -1 : 1))
}

/** When the first and the last execution ran, in milliseconds since 1970. */
export function timesOf({ rows, counted }: QueryLogReport): { readonly from: number; readonly to: number } {
  const ofMetric = rows.filter(({ metric }) => metric === counted)
  const times = ofMetric.flatMap(({ traffic }) => [traffic.from, traffic.to]).toSorted()
  return { from: Date.parse(times[0]!), to: Date.parse(times.at(-1)!) }
}
