import { normalQuantile } from '../statistics/normal-tail.ts'
import { randomizationTest } from '../statistics/randomization-test.ts'

/** Below seven a side the randomization test reaches no p near 0.01: 0.0117 at 7 + 7, 0.022 at 6 + 6. */
export const FEWEST_REPETITIONS = 7

/**
 * The repetitions of the longest confirmation; beyond it the noise of the machine between runs decides, not the count.
 */
export const MOST_REPETITIONS = 225

/**
 * Repetitions a side behind a threshold of the history. The history does not say; this is what ClickHouse's runs have at
 * least, short queries up to 30. With more of them the noise of a repetition is larger than what is computed from this.
 */
export const HISTORY_REPETITIONS = 7

/**
 * How often a midpoint on the far side of the step must be told from the near one, one-sided: one wrong answer sends a
 * bisection to the wrong half. Standard deviations of the difference of medians: 95%.
 */
const POWER_DEVIATIONS = 1.645

/** Only so many counts are tried: each costs a test of its own, and 10% more or less decide nothing. */
const STEP_UP = 1.1

/** The samples are around this in units of their deviation: T is a fraction of the median, and this is far from 0. */
const CENTER = 1000

/**
 * The fewest repetitions a side with which our own test tells this step from this noise; null where `MOST_REPETITIONS` do
 * not. `step` is relative to the level before, of either sign; `threshold` is T of a run with `thresholdRepetitions` a side.
 *
 * No formula has T right for few repetitions, where the distribution of the randomization test is discrete and a step in
 * the pooled samples widens it. So the test is applied to a typical run: the expected order statistics of normal samples,
 * with the step less what it loses to the noise of the two medians in 19 of 20 runs. Source of the approach: O'Brien and
 * Muller, Unified Power Analysis for t-tests through Multivariate Hypotheses (1993), with the normal distribution in the
 * place of the real one. Checked by simulation in the tests.
 */
export function repetitionsToSeparate(
  step: number,
  threshold: number,
  thresholdRepetitions: number = HISTORY_REPETITIONS,
): number | null {
  if (!(Number.isFinite(step) && step !== 0 && Number.isFinite(threshold) && threshold >= 0)) return null
  const deviation = threshold / thresholdOfUnitNoise(thresholdRepetitions)
  for (let count = FEWEST_REPETITIONS; count <= MOST_REPETITIONS; count = next(count)) {
    if (deviation === 0 || isSeparated(Math.abs(step) / deviation, count)) return count
  }
  return null
}

function next(count: number): number {
  if (count === MOST_REPETITIONS) return count + 1
  return Math.min(MOST_REPETITIONS, Math.max(count + 1, Math.round(count * STEP_UP)))
}

/** T of a typical run in which nothing changed, in standard deviations of one repetition. */
function thresholdOfUnitNoise(repetitions: number): number {
  const pool = typicalSamples(2 * repetitions)
  const old = pool.filter((_, index) => index % 2 === 0)
  const fresh = pool.filter((_, index) => index % 2 === 1)
  return randomizationTest(old, fresh).threshold * CENTER
}

/** `step` in standard deviations of one repetition. */
function isSeparated(step: number, repetitions: number): boolean {
  // The variance of the median of n normal samples is about pi / 2n.
  const lost = POWER_DEVIATIONS * Math.sqrt(Math.PI / repetitions)
  if (step <= lost) return false
  const old = typicalSamples(repetitions)
  const fresh = old.map((value) => value + step - lost)
  if (fresh[0]! > old.at(-1)!) return true
  const { difference, threshold } = randomizationTest(old, fresh)
  return Math.abs(difference) >= threshold
}

/** The expected order statistics of `count` normal samples, by Blom's approximation. */
function typicalSamples(count: number): number[] {
  return Array.from({ length: count }, (_, index) => CENTER + normalQuantile((index + 0.625) / (count + 0.25)))
}
