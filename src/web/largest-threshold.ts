import type { ClassifiedQuery } from '../verdict/classified-query.ts'

/**
 * Why a threshold is exactly the difference; null where it is not. Of all ways to deal the repetitions the one that was
 * measured lies furthest apart then: p is the smallest that so many can give, or as many old and new ones do not overlap. A
 * reader who is not told takes the clearest changes for those that are just at the noise.
 */
export function largestThreshold(result: ClassifiedQuery): string | null {
  const { difference, threshold, separated, pValue, smallestPValue, old, new: fresh } = result
  if (difference === null || threshold === null || difference === 0 || Math.abs(difference) !== threshold) return null
  const isFurthest = separated === true && old.repetitions === fresh.repetitions
  if (!isFurthest && (pValue === null || pValue !== smallestPValue)) return null
  return `The threshold is at most the difference itself: with ${old.repetitions} + ${fresh.repetitions} repetitions no way to deal them gives more. It does not say that the difference is near the noise.`
}
