import type { ClassifiedQuery } from '../verdict/classified-query.ts'

/**
 * Why a threshold is exactly the difference; null where it is not. The sides do not overlap then and have as many
 * repetitions each: of all ways to deal them, the one that was measured lies furthest apart. A reader who is not told takes
 * the clearest changes for those that are just at the noise.
 */
export function largestThreshold({
  difference,
  threshold,
  separated,
  old,
  new: fresh,
}: ClassifiedQuery): string | null {
  if (separated !== true || difference === null || threshold === null || difference === 0) return null
  if (old.repetitions !== fresh.repetitions || Math.abs(difference) !== threshold) return null
  return `The threshold is at its largest, the difference itself: the sides do not overlap, and no way to deal ${old.repetitions} + ${fresh.repetitions} repetitions gives more. It does not say that the difference is near the noise.`
}
