import { median } from '../../intake/measurement/median.ts'
import { poolSamples } from './pool.ts'
import { canRelabel, relabelingWeights } from './relabeling-weights.ts'
import { upperQuantile } from './weighted-tail.ts'

/**
 * Differences of samples that differ by less than this part of the largest sample are equal. Times are multiples of a
 * clock tick, and subtraction rounds: without it the outcome would depend on which two samples a difference is of.
 *
 * Equal: 0.3 - 0.2 and 0.2 - 0.1 seconds. Not equal: 100 and 101 nanoseconds in samples of a second.
 */
const DIFFERENCE_TOLERANCE = 1e-12

export interface RandomizationTest {
  readonly oldMedian: number
  readonly newMedian: number
  /** D = (new - old) / old of the medians. 0 where both are 0, infinite where only the old one is. */
  readonly difference: number
  /**
   * T: the 0.99 quantile of the absolute difference of medians over all relabelings, as a fraction of the old median.
   * Infinite where that is 0 and T is not. Equals |D| to the last bit where the two differ by rounding only.
   */
  readonly threshold: number
  /** The share of relabelings whose medians are at least as far apart as the measured ones, these included. */
  readonly pValue: number
  /** The smallest p-value that any samples of these counts can have. */
  readonly smallestPValue: number
}

/** Whether the test takes these counts: at least 1 a side, and at most 2,000 where they are equal. */
export const canRandomize = canRelabel

/** Used by one call after another; grows to the largest query seen. */
let scratch = { distances: new Float64Array(128), weights: new Float64Array(128) }

/**
 * The randomization test for the difference of medians, exact: over all `C(n + m, n)` ways to label the pooled samples
 * old and new, none of them drawn at random. Source: Box, Hunter and Hunter, Statistics for Experimenters (2005), p. 78;
 * ClickHouse's `eqmed.sql` estimates the same distribution with 10,000 random relabelings.
 *
 * Samples are finite and in any unit; ties need no special case. Throws a RangeError where `canRandomize` says no.
 */
export function randomizationTest(old: readonly number[], fresh: readonly number[]): RandomizationTest {
  const { lower, upper, weight, total, tail, smallestPValue } = relabelingWeights(old.length, fresh.length)
  const pool = poolSamples(old, fresh)
  const all = pool.all
  const oldMedian = pool.old[old.length >>> 1]!
  const newMedian = pool.new[fresh.length >>> 1]!
  const largest = Math.max(Math.abs(all[0]!), Math.abs(all[old.length + fresh.length - 1]!))
  const tolerance = DIFFERENCE_TOLERANCE * largest
  const measured = equalWithin(Math.abs(newMedian - oldMedian), 0, tolerance)

  const pairs = weight.length
  if (scratch.distances.length < pairs) {
    scratch = { distances: new Float64Array(pairs), weights: new Float64Array(pairs) }
  }
  const { distances, weights } = scratch
  const atLeast = measured - tolerance
  let beyond = 0
  for (let pair = 0; pair < pairs; pair++) {
    const distance = all[upper[pair]!]! - all[lower[pair]!]!
    distances[pair] = distance
    weights[pair] = weight[pair]!
    if (distance >= atLeast) beyond += weight[pair]!
  }
  const quantile = equalWithin(upperQuantile(distances, weights, pairs, tail, tolerance), measured, tolerance)

  return {
    oldMedian,
    newMedian,
    difference: measured === 0 ? 0 : (newMedian - oldMedian) / oldMedian,
    threshold: quantile === 0 ? 0 : quantile / Math.abs(oldMedian),
    pValue: Math.min(1, beyond / total),
    smallestPValue,
  }
}

/**
 * T of samples that differ in nothing but chance: the new ones moved by the difference of the medians, onto the old one. T of the pooled
 * samples swells with the difference, since most relabelings mix two levels; this is the noise of the sides alone, in about 1%.
 *
 * 10, 11, 12, 13, 14 against 20, 21, 22, 23, 24 has T = 83%; centred it is 17%.
 */
export function centredThreshold(old: readonly number[], fresh: readonly number[]): number {
  const shift = median(old) - median(fresh)
  return randomizationTest(
    old,
    fresh.map((value) => value + shift),
  ).threshold
}

/** The value, or the one it is equal to. */
function equalWithin(value: number, other: number, tolerance: number): number {
  return Math.abs(value - other) <= tolerance ? other : value
}
