import type { Outcome } from './classified-query.ts'

/**
 * A fraction or a ratio that falls short of a threshold by less than this has reached it: (0.21 - 0.20) / 0.20 is
 * 0.04999999999999996 in binary, and is 5%; 0.3 / 0.1 is 2.9999999999999996, and is three times.
 */
const ROUNDING = 1e-12

/** The numbers of a measurement, as fractions of the old median. */
export interface Measured {
  /** D. */
  readonly difference: number
  /** T; infinite where the old median is 0 and the samples are not all. */
  readonly threshold: number
  readonly separated: boolean
  /** What is held against the threshold for unstable in the place of T; absent: T. */
  readonly noise?: number
}

/**
 * The difference is not the chance of how the repetitions fell: `D ≠ 0 and (|D| >= T or the samples do not overlap)`.
 *
 * The comparison is not strict, since |D| is T exactly where 7 + 7 samples are completely separated. With unequal counts
 * a separated pair can miss T on one side (6 + 7), because the upper median is not symmetric: hence the second rule.
 */
export function isSignificant({ difference, threshold, separated }: Measured): boolean {
  return difference !== 0 && (Math.abs(difference) >= threshold || separated)
}

/** The outcome of a compared query, first match wins: the one place where it is decided. */
export function outcomeOf(measured: Measured, changedThreshold: number, unstableThreshold: number): Outcome {
  const significant = isSignificant(measured)
  if (significant && reaches(Math.abs(measured.difference), changedThreshold)) return 'changed'
  if (reaches(measured.noise ?? measured.threshold, unstableThreshold)) return 'unstable'
  return significant ? 'too-small' : 'not-significant'
}

/** The fraction is at least the threshold, as that is written in decimal. */
export function reaches(fraction: number, threshold: number): boolean {
  return fraction >= threshold - ROUNDING
}

/** Every value of one side is beyond every value of the other. Both sides have samples. */
export function areSeparated(old: readonly number[], fresh: readonly number[]): boolean {
  const [oldLeast, oldMost] = extremes(old)
  const [newLeast, newMost] = extremes(fresh)
  return newLeast > oldMost || newMost < oldLeast
}

/** Not `Math.min(...samples)`: the arguments of a call are limited. */
export function extremes(samples: readonly number[]): readonly [least: number, most: number] {
  let least = Number.POSITIVE_INFINITY
  let most = Number.NEGATIVE_INFINITY
  for (const sample of samples) {
    if (sample < least) least = sample
    if (sample > most) most = sample
  }
  return [least, most]
}
