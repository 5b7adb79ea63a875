import type { Executions } from './executions.ts'
import { unitOf } from './metric-group.ts'

/** Executions under live traffic, as a log has them, with what the statistics do not need to know. */
export interface LoggedExecutions {
  readonly executions: Executions
  /** By the number of the cell. */
  readonly cells: readonly QueryLogCell[]
  /** The names of the variants; every one is compared with the first. */
  readonly variants: readonly string[]
}

/** A service's queries, and the costs of its tables beside them. */
export interface QueryLog extends LoggedExecutions {
  /** Null: no row of `system.part_log` is of a merge of the variants. */
  readonly merges: LoggedExecutions | null
  /** The sums of `system.parts`; empty where no row of it was given. */
  readonly parts: readonly SizeOfParts[]
}

/** A sum over the active parts of each variant's table. */
export interface SizeOfParts {
  readonly metric: string
  /** By the number of the variant; null: no part of its table is in the rows. */
  readonly bytes: readonly (number | null)[]
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

export const MERGE_DURATION = 'merge_duration'
export const MERGE_MEMORY = 'merge_peak_memory_usage'

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
  [/^(?:query|merge)_duration$|Milliseconds$/, 1e3],
  [/Microseconds$/, 1e6],
  [/Nanoseconds$/, 1e9],
]

const IN_BYTES: ReadonlySet<string> = new Set(['read_bytes', MERGE_MEMORY])

/** By its name, which is all that a ProfileEvent says. */
export function queryLogUnit(metric: string): QueryLogUnit {
  const clock = CLOCKS.find(([pattern]) => pattern.test(metric))
  if (clock !== undefined) return { unit: 's', divisor: clock[1], isTruncated: true }
  return { unit: IN_BYTES.has(metric) ? 'bytes' : unitOf(metric), divisor: 1, isTruncated: false }
}
