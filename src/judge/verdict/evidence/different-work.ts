import { mayDecide } from '../../../intake/measurement/formats/formats.ts'
import { median } from '../../../intake/measurement/median.ts'
import { type Measurement, PRIMARY_METRIC } from '../../../intake/measurement/run.ts'
import type { ClassifiedQuery } from '../classified-query.ts'
import type { DifferentWork, WorkDifference } from './evidence.ts'

/**
 * Metrics of what a query reads, joins, writes and gives back, by the names that ClickHouse has for it: those of the
 * query log's columns, of which the files of its performance check have none, and those of ProfileEvents.
 */
const COUNTS: ReadonlySet<string> = new Set([
  'read_rows',
  'read_bytes',
  'result_rows',
  'result_bytes',
  'SelectedRows',
  'SelectedBytes',
  'SelectedParts',
  'SelectedRanges',
  'SelectedMarks',
  // of the rows that are read at all, those that are read before and after a condition that was moved to PREWHERE
  'RowsReadByMainReader',
  'RowsReadByPrewhereReaders',
  // the sides of a join, which the order of the tables decides
  'JoinBuildTableRowCount',
  'JoinProbeTableRowCount',
  'JoinResultRowCount',
  'InsertedRows',
  'InsertedBytes',
])

/** `memory_usage` is the query log's, the peak; `MemoryTrackerPeakUsage` is the same as a client is told it. */
const MEMORY: ReadonlySet<string> = new Set(['memory_usage', 'memory', 'MemoryTrackerPeakUsage', 'peak_memory_usage'])

export const WORK_METRICS: readonly string[] = [...COUNTS, ...MEMORY]

/**
 * The metrics that a report is made of, where `asked` is the one that is to decide: the work, and `PRIMARY_METRIC`, by which ClickHouse's own
 * report judges. The others are there to be looked up.
 */
export function metricsOfReport(asked: string): readonly string[] {
  return [...mayDecide(asked), PRIMARY_METRIC, ...WORK_METRICS]
}

/**
 * The smallest difference in a count that is different work. Counts of the same work are equal, but for a few blocks
 * more where threads race for the end of a query with a LIMIT.
 *
 * Triggers: 1,000,000 rows read and 2,000,000. Does not: 1,000,000 and 1,004,000.
 */
export const WORK_DIFFERENCE = 0.01

/**
 * The same for memory, which depends on how the threads happened to be scheduled.
 *
 * Triggers: 100 MiB and 120 MiB. Does not: 100 MiB and 107 MiB.
 */
export const MEMORY_DIFFERENCE = 0.1

/**
 * The sides of the query did not do the same: a count or the memory differs, and not one repetition of a side has what the
 * other side has. It explains a difference in time and decides nothing alone. `measured` are the measurements of the same
 * query in the same run. The largest difference first.
 */
export function differentWork(result: ClassifiedQuery, measured: readonly Measurement[]): DifferentWork | null {
  const metrics = measured
    .filter(({ metric }) => isWorkMetric(metric))
    .map(workDifference)
    .filter((difference) => difference !== null)
    .toSorted((a, b) => sizeOf(b) - sizeOf(a) || (a.metric < b.metric ? -1 : 1))
  return metrics.length === 0 ? null : { kind: 'different-work', architecture: result.architecture, metrics }
}

/** Whether the metric says what a query read, gave back or held. */
export function isWorkMetric(metric: string): boolean {
  return COUNTS.has(metric) || MEMORY.has(metric)
}

function workDifference({ metric, old, new: fresh, comparison }: Measurement): WorkDifference | null {
  if (old.length === 0 || fresh.length === 0 || ![...old, ...fresh].every((value) => value >= 0 && value < Infinity)) {
    return null
  }
  const [before, after] = [median(old), median(fresh)]
  if (before === after || overlap(old, fresh)) return null
  // two medians never overlap: what they were computed of has said what chance does
  if (comparison !== undefined && Math.abs(comparison.difference) < comparison.threshold) return null
  const difference = before === 0 ? null : (after - before) / before
  const least = MEMORY.has(metric) ? MEMORY_DIFFERENCE : WORK_DIFFERENCE
  if (difference !== null && Math.abs(difference) < least) return null
  return { metric, old: before, new: after, difference }
}

function overlap(old: readonly number[], fresh: readonly number[]): boolean {
  const [oldLow, oldHigh] = rangeOf(old)
  const [newLow, newHigh] = rangeOf(fresh)
  return oldLow <= newHigh && newLow <= oldHigh
}

function rangeOf(values: readonly number[]): readonly [number, number] {
  return values.reduce<readonly [number, number]>(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity],
  )
}

/** The size of a difference; from nothing to something is the largest. */
function sizeOf({ difference }: WorkDifference): number {
  return difference === null ? Number.MAX_VALUE : Math.abs(difference)
}
