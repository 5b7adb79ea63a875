import { normalQuantile } from './normal-tail.ts'
import { canRelabel, relabelingWeights } from './relabeling-weights.ts'
import { THRESHOLDS_IN_SPREADS } from './thresholds-in-spreads.ts'
import { upperQuantile } from './weighted-tail.ts'

/** Four of five runs in which a true change of the wanted size is to reach the threshold, as z of the normal distribution. */
const POWER = normalQuantile(0.8)

/** Fewer a side reach no threshold that says much. */
const LEAST_REPETITIONS = 5

/** More a side are asked of nobody: 500 of a query of 100 ms are 100 seconds. */
export const MOST_REPETITIONS = 499

/**
 * How many repetitions a side would show a true change of `wanted` (a fraction) in four of five runs, where runs of `repetitions`
 * a side have the threshold T (`randomizationTest`) in the median; null: more than `MOST_REPETITIONS`.
 *
 * T is a multiple of the spread of one repetition, and the multiple is known of each number of repetitions: the test's own quantile
 * over all relabelings, of samples that stand where samples of the normal distribution stand on average. So T gives the spread, and
 * the spread gives T of any other number. The wanted change has to exceed that by the chance deviation of two medians.
 *
 * It is assumed that repetitions are independent and spread about alike, in the middle as a normal distribution does. What shifts
 * whole runs, such as another layout of the binary, is in no T: no number of repetitions helps against that.
 *
 * T 4% at 7 + 7 needs 9 a side for 5%, T 10% needs 73, T 30% more than 499.
 */
export function repetitionsToShow(threshold: number, repetitions: number, wanted: number): number | null {
  if (!(threshold >= 0 && wanted > 0))
    throw new RangeError(`no repetitions show ${wanted} at a threshold of ${threshold}`)
  const spread = threshold / thresholdInSpreads(Math.min(repetitions, MOST_REPETITIONS))
  const shows = (n: number) => spread * (thresholdInSpreads(n) + POWER * deviationInSpreads(n)) <= wanted
  if (!shows(MOST_REPETITIONS)) return null
  // odd counts alone: their median is the middle one, and each more of them needs less
  let [low, high] = [(LEAST_REPETITIONS - 1) / 2, (MOST_REPETITIONS - 1) / 2]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (shows(2 * middle + 1)) high = middle
    else low = middle + 1
  }
  return 2 * low + 1
}

/** `thresholdInSpreads` of the numbers of repetitions that are known: `MOST_REPETITIONS` of them at most. */
const known = new Map(THRESHOLDS_IN_SPREADS.map((spreads, index) => [LEAST_REPETITIONS + 2 * index, spreads]))

/** T at `n` + `n` repetitions without a change, in standard deviations of one repetition. */
function thresholdInSpreads(n: number): number {
  if (!canRelabel(n, n)) throw new RangeError(`no randomization test for ${n} repetitions per side`)
  const found = known.get(n) ?? quantileOfScores(n)
  known.set(n, found)
  return found
}

/**
 * Source of the places of normal samples: G. Blom, Statistical Estimates and Transformed Beta-Variables (1958), p. 71.
 */
export function quantileOfScores(n: number): number {
  const { lower, upper, weight, tail } = relabelingWeights(n, n)
  const scores = Array.from({ length: 2 * n }, (_, rank) => normalQuantile((rank + 0.625) / (2 * n + 0.25)))
  const distances = Float64Array.from(weight, (_, pair) => scores[upper[pair]!]! - scores[lower[pair]!]!)
  return upperQuantile(distances, weight.slice(), weight.length, tail, 0)
}

/** The standard deviation of the difference of two medians of `n` normal samples, in that of one; the constant for small ones. */
function deviationInSpreads(n: number): number {
  return Math.sqrt((2 * Math.PI) / (2 * n + Math.PI - 2))
}
