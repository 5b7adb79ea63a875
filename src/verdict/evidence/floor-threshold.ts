import type { ClassifiedQuery } from '../classified-query.ts'
import type { LearnedThresholds } from '../thresholds.ts'
import type { FloorThreshold } from './evidence.ts'

/**
 * The change was judged by the general floor, not by what this query's own history shows it does by itself. `learned` is
 * what that history has taught, null where there is none.
 *
 * Triggers: the threshold of the row is the built-in 5 %, and nothing was learned. Does not: the repository configured
 * one, the test has its own, or one was learned, also where that is below the floor.
 */
export function floorThreshold(
  result: ClassifiedQuery,
  learned: LearnedThresholds | null = null,
): FloorThreshold | null {
  if (result.changedThresholdSource !== 'floor' || result.changedThreshold === null || learned !== null) return null
  return { kind: 'floor-threshold', threshold: result.changedThreshold }
}
