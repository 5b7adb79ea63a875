import type { Unit } from '../../intake/measurement/trace-type.ts'
import type { StackDifference } from './stack-difference.ts'

/**
 * Fewer stack samples on a side say little: at 100 on each, a frame with a third of the time moves by 13 points in one
 * of twenty comparisons of a build with itself (2 × √(2 × ⅓ × ⅔ / 100)).
 * Triggers: 31 of 99 samples against 44 of 99. Doesn't: 31 of 100 against 44 of 100, which is said to be within chance.
 */
export const FEWEST_STACK_SAMPLES = 100

/**
 * A difference of fewer standard errors is within chance: one in twenty of what did not change is beyond it.
 * Triggers: 310 of 1,000 against 325 of 1,000 (0.7 standard errors). Doesn't: 310 of 1,000 against 440 of 1,000 (6.0).
 */
const STANDARD_ERRORS = 2

/** Whether chance can be judged at all: only samples are counted one by one. Bytes, times and fractions are not. */
export function countsSamples({ old, new: fresh }: StackDifference, unit: Unit): boolean {
  return unit === 'samples' && old.whole && fresh.whole
}

/** Whether two numbers of samples, taken over the same amount of work, differ by more than chance (Poisson). */
export function countsDiffer(old: number, fresh: number): boolean {
  return Math.abs(fresh - old) >= STANDARD_ERRORS * Math.sqrt(old + fresh) && old !== fresh
}

/**
 * Whether two shares, `old` of `oldSum` and `fresh` of `freshSum`, differ by more than chance (two proportions, pooled): by
 * so many standard errors.
 */
export function sharesDiffer(
  old: number,
  oldSum: number,
  fresh: number,
  freshSum: number,
  errors: number = STANDARD_ERRORS,
): boolean {
  if (oldSum <= 0 || freshSum <= 0) return false
  const pooled = (old + fresh) / (oldSum + freshSum)
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / oldSum + 1 / freshSum))
  const change = Math.abs(fresh / freshSum - old / oldSum)
  return change > 0 && change >= errors * error
}
