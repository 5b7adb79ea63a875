import type { Measurement } from '../../intake/measurement/run.ts'
import { fastPartRulesOut } from '../statistics/fast-part.ts'
import { twoModes } from '../statistics/modes.ts'
import { randomizationTest } from '../statistics/randomization-test.ts'
import { repetitionsToShow } from '../statistics/repetitions-to-show.ts'
import type { CouldHide } from './classified-query.ts'
import { areSeparated, isSignificant } from './outcome.ts'

/** The slowdown that may be ruled out where the medians leave it open. */
export const RULED_OUT = 0.1

/** Slowdowns are looked for up to ten times. */
const FARTHEST = Math.log(10)

/** Repetitions a side beyond which a test takes long: a file of many such rows would keep others waiting. */
const MOST_SAMPLES = 100
const PRECISION = 1e-6

/** Fewer say nothing of what is hidden. */
const LEAST_SAMPLES = 3

/**
 * What a measurement that shows no change may hide, and what it takes to show `changedThreshold`. `noise`: T of the centred samples.
 * Null where there are too few or too many samples, one that is not above 0, or nobody knows which way is worse.
 *
 * 100, 110, 90, 140, 95, 105, 100 against the same hides some 40%: with that taken out of the new side it would just be faster.
 */
export function couldHide(
  { old, new: fresh, better }: Pick<Measurement, 'old' | 'new' | 'better'>,
  noise: number,
  changedThreshold: number,
): CouldHide | null {
  const fewest = Math.min(old.length, fresh.length)
  if (fewest < LEAST_SAMPLES || Math.max(old.length, fresh.length) > MOST_SAMPLES) return null
  if (![old, fresh].every((samples) => samples.every((value) => value > 0))) return null
  if (better === null) return null
  const isRate = better === 'higher'
  const asTimes = (samples: readonly number[]) => (isRate ? samples.map((value) => 1 / value) : samples)
  const isRuledOut = hasOneLevel({ old, new: fresh }) && fastPartRulesOut(asTimes(old), asTimes(fresh), RULED_OUT)
  const canAsk = Number.isFinite(noise) && changedThreshold > 0
  return {
    slowdown: largestSlowdown(old, fresh, isRate),
    ...(isRuledOut ? { ruledOut: RULED_OUT, ruledOutBy: 'fast-part' } : { ruledOut: null }),
    repetitions: canAsk ? repetitionsToShow(noise, fewest, changedThreshold) : null,
  }
}

/** Of two modes neither the fastest repetitions nor a mean says what the other one does. */
export function hasOneLevel({ old, new: fresh }: Pick<Measurement, 'old' | 'new'>): boolean {
  return twoModes(old) === null && twoModes(fresh) === null
}

/** The largest that is taken out of the new side without a significant difference; null: ten times are not enough. */
function largestSlowdown(old: readonly number[], fresh: readonly number[], isRate: boolean): number | null {
  const isHidden = (logRatio: number) => {
    const factor = Math.exp(isRate ? logRatio : -logRatio)
    const without = fresh.map((value) => value * factor)
    return !isSignificant({ ...randomizationTest(old, without), separated: areSeparated(old, without) })
  }
  if (isHidden(FARTHEST)) return null
  const { oldMedian, newMedian } = randomizationTest(old, fresh)
  // without their difference the medians are equal, and equal ones are not significant
  let hidden = (isRate ? -1 : 1) * Math.log(newMedian / oldMedian)
  let shown = FARTHEST
  if (hidden >= shown) return null
  while (shown - hidden > PRECISION) {
    const middle = (hidden + shown) / 2
    if (isHidden(middle)) hidden = middle
    else shown = middle
  }
  return Math.max(0, Math.expm1(hidden))
}
