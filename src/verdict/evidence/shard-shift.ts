import type { ClassifiedQuery } from '../classified-query.ts'
import type { ShardShifted } from './evidence.ts'

/** What one shard's machine did to everything that ran on it. */
export interface ShardShift {
  readonly architecture: string | null
  readonly shard: number | null
  /** Compared queries with a positive time on both sides. */
  readonly queries: number
  /** exp(median of log(new/old)) - 1: what a typical query of this shard moved by. */
  readonly shift: number
  /** It is large enough, over enough queries, to be said. */
  readonly notable: boolean
}

/**
 * Queries needed before "everything moved" can be told from "a few moved": below 20 the confidence interval of the median
 * covers most of the sample.
 *
 * Triggers: 300 queries whose median moved by +4 %. Does not: 12 queries that all moved by +4 %.
 */
export const SHIFT_MINIMUM_QUERIES = 20

/**
 * The smallest shift worth saying: below it no row of a 5 % threshold is explained by it.
 *
 * Triggers: +3.1 % over 200 queries. Does not: +1 % over 3,000 queries, however certain.
 */
export const SHIFT_MINIMUM = 0.03

/**
 * The common shift of one shard: the median of log(new/old) over its compared queries. The median ignores up to half of
 * the queries, so that real changes of many do not look like a shift. Notable when the 99 % order-statistic confidence
 * interval of that median excludes zero as well (Hahn and Meeker, Statistical Intervals, 1991, section 5.2; normal
 * approximation to the binomial ranks).
 */
export function shardShift(
  architecture: string | null,
  shard: number | null,
  results: readonly ClassifiedQuery[],
): ShardShift {
  const logs: number[] = []
  for (const { status, old, new: fresh } of results) {
    if (status !== 'compared' || !old.median || !fresh.median) continue
    logs.push(Math.log(fresh.median / old.median))
  }
  logs.sort((a, b) => a - b)
  const count = logs.length
  const shift = count === 0 ? 0 : Math.exp(logs[Math.floor(count / 2)]!) - 1
  return { architecture, shard, queries: count, shift, notable: isNotable(logs, shift) }
}

function isNotable(sortedLogs: readonly number[], shift: number): boolean {
  const count = sortedLogs.length
  if (count < SHIFT_MINIMUM_QUERIES || Math.abs(shift) < SHIFT_MINIMUM) return false
  const halfWidth = (2.5758 * Math.sqrt(count)) / 2
  const low = sortedLogs[Math.max(0, Math.floor(count / 2 - halfWidth))]!
  const high = sortedLogs[Math.min(count - 1, Math.ceil(count / 2 + halfWidth))]!
  return low > 0 || high < 0
}

/**
 * The shift explains this row: it goes the same way, and what remains without it is below the row's own threshold.
 * Nothing is subtracted from what is shown.
 *
 * Triggers: +7 % in a shard that moved by +4 % (2.9 % remain, threshold 5 %). Does not: +30 % in the same shard, nor
 * +7 % in a shard that moved by -4 %.
 */
export function explainedByShift(result: ClassifiedQuery, shift: ShardShift | undefined): ShardShifted | null {
  const { difference, changedThreshold } = result
  if (!shift?.notable || difference === null || changedThreshold === null) return null
  if (Math.sign(shift.shift) !== Math.sign(difference)) return null
  const remaining = (1 + difference) / (1 + shift.shift) - 1
  if (Math.abs(remaining) >= changedThreshold) return null
  return {
    kind: 'shard-shift',
    architecture: shift.architecture,
    shard: shift.shard,
    shift: shift.shift,
    queries: shift.queries,
  }
}
