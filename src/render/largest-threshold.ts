import { percent } from '../text/numbers.ts'
import type { ClassifiedQuery, SideSummary } from '../verdict/classified-query.ts'

/** As much of a result as its threshold follows from. */
type WithThreshold = Pick<ClassifiedQuery, 'difference' | 'threshold' | 'separated' | 'pValue' | 'smallestPValue'> & {
  readonly old: Pick<SideSummary, 'repetitions'>
  readonly new: Pick<SideSummary, 'repetitions'>
}

/**
 * The threshold is exactly the difference, since nothing larger can come out. Of all ways to deal the repetitions the one that
 * was measured lies furthest apart then: p is the smallest that so many can give, or as many old and new ones do not overlap. A
 * reader who sees the same number twice takes the clearest changes for those that are just at the noise.
 */
export function isLargestThreshold(result: WithThreshold): boolean {
  const { difference, threshold, separated, pValue, smallestPValue } = result
  if (difference === null || threshold === null || difference === 0 || Math.abs(difference) !== threshold) return false
  const isFurthest = separated === true && result.old.repetitions === result.new.repetitions
  return isFurthest || (pValue !== null && pValue === smallestPValue)
}

/** A threshold where it is shown: of a difference that it would only repeat, in words. */
export function noiseThreshold(threshold: number, result: WithThreshold): string {
  return isLargestThreshold(result) ? 'as large as chance can show here' : percent(threshold)
}

/** The same for whoever asks why; null where the threshold has a number of its own. */
export function largestThreshold(result: WithThreshold): string | null {
  if (!isLargestThreshold(result)) return null
  return `The threshold is at most the difference itself: with ${result.old.repetitions} + ${result.new.repetitions} repetitions no way to deal them gives more. It does not say that the difference is near the noise.`
}
