import type { Executions } from '../statistics/query-log/executions.ts'
import { unitOf } from './metric-group.ts'

/** Executions of a service's queries under live traffic, as its log has them, with what the statistics do not need to know. */
export interface QueryLog {
  readonly executions: Executions
  /** By the number of the cell. */
  readonly cells: readonly QueryLogCell[]
  /** The names of the variants; every one is compared with the first. */
  readonly variants: readonly string[]
}

/** A query in a group. */
export interface QueryLogCell {
  /** The normalized query. */
  readonly test: string
  /** The group, `time_window_in_mins = 60`; null: nobody asked for groups. */
  readonly group: string | null
}

/** The metric that decides how a query log is counted: the time on the server. */
export const QUERY_DURATION = 'query_duration'

/** The metrics that a person looks at first; a log has a hundred more. */
export const SHOWN_METRICS: readonly string[] = [
  QUERY_DURATION,
  'OSCPUVirtualTimeMicroseconds',
  'SelectedParts',
  'SelectedMarks',
  'SelectedRows',
  'read_rows',
  'read_bytes',
  'memory_usage',
]

/** How the values of a metric of a log are shown. */
export interface QueryLogUnit {
  readonly unit: string | null
  /** A logged number is so many units divided by it: 1,000 for milliseconds, which become seconds. */
  readonly divisor: number
  /** A clock has cut off what was less than one. */
  readonly isTruncated: boolean
}

const CLOCKS: readonly (readonly [pattern: RegExp, divisor: number])[] = [
  [/^query_duration$|Milliseconds$/, 1e3],
  [/Microseconds$/, 1e6],
  [/Nanoseconds$/, 1e9],
]

/** By its name, which is all that a ProfileEvent says. */
export function queryLogUnit(metric: string): QueryLogUnit {
  const clock = CLOCKS.find(([pattern]) => pattern.test(metric))
  if (clock !== undefined) return { unit: 's', divisor: clock[1], isTruncated: true }
  return { unit: metric === 'read_bytes' ? 'bytes' : unitOf(metric), divisor: 1, isTruncated: false }
}
