import type { ClassifiedQuery } from '../classified-query.ts'
import type { FloorThreshold } from './evidence.ts'

/**
 * The change was judged by the general floor, not by what this query's own history shows it does by itself.
 *
 * Triggers: the threshold of the row is the built-in 5 %. Does not: the repository configured one, the test has its own,
 * or one was learned.
 */
export function floorThreshold(result: ClassifiedQuery): FloorThreshold | null {
  if (result.changedThresholdSource !== 'floor' || result.changedThreshold === null) return null
  return { kind: 'floor-threshold', threshold: result.changedThreshold }
}
