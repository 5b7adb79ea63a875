import { averagedMedian } from '../../intake/measurement/median.ts'
import { digamma, inverseTrigamma, trigamma } from './polygamma.ts'
import { studentTwoSided } from './student-tail.ts'

/** How a query's samples differ, pair by pair. */
export interface PairedDifference {
  /** The mean of ln(new / old) without the lowest and the highest. */
  readonly logRatio: number
  /** The square of its standard error, by this query alone. */
  readonly squaredError: number
  readonly degrees: number
}

/** What the other queries of a run say of a query's squared error, worth so many degrees of freedom. */
export interface ErrorPrior {
  readonly degrees: number
  readonly squaredError: number
}

/** Fewer leave two differences or none once the ends are set aside. */
const LEAST_PAIRS = 5

/** Queries of a run from which on they say something of each other. */
const LEAST_QUERIES = 20

/** What other queries count for at most: three times a query of 23 pairs. */
const MOST_DEGREES = 60

/** Their errors differ by no more than chance: the variance of ln(squared error) that is left. */
const NO_SPREAD = 0.01

/** What the median absolute deviation of normal values is multiplied by to be their standard deviation. */
const MAD_TO_DEVIATION = 1.4826

/**
 * The samples of both sides as pairs, by their places: what both of a pair share, such as a slow minute of the host, is in neither
 * difference. Source of the trimmed mean and its error: Yuen, Biometrika 61 (1974), 165-170, one of each end.
 *
 * Null: fewer than five pairs, unequal numbers, or a sample that is not above 0. Samples are finite.
 */
export function pairedDifference(old: readonly number[], fresh: readonly number[]): PairedDifference | null {
  const count = old.length
  if (count < LEAST_PAIRS || fresh.length !== count) return null
  if (![old, fresh].every((samples) => samples.every((value) => value > 0))) return null
  const sorted = Float64Array.from(old, (value, place) => Math.log(fresh[place]!) - Math.log(value)).sort()
  const kept = sorted.subarray(1, count - 1)
  const left = kept.length
  const winsorised = sorted.slice()
  winsorised[0] = sorted[1]!
  winsorised[count - 1] = sorted[count - 2]!
  const middle = meanOf(winsorised)
  const squares = winsorised.reduce((sum, value) => sum + (value - middle) ** 2, 0)
  return { logRatio: meanOf(kept), squaredError: squares / (left * (left - 1)), degrees: left - 1 }
}

function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/**
 * How much the squared errors of a run's queries have in common. Source: Smyth, Linear Models and Empirical Bayes Methods for
 * Assessing Differential Expression (2004), section 6.2, with medians in the place of means, so that a few wild queries decide
 * nothing. Errors of 0 say nothing; of fewer than twenty others nothing is taken.
 */
export function errorPrior(differences: readonly PairedDifference[]): ErrorPrior {
  const known = differences.filter(({ squaredError }) => squaredError > 0)
  if (known.length < LEAST_QUERIES) return { degrees: 0, squaredError: 0 }
  const logs = Float64Array.from(known, ({ squaredError, degrees }) => Math.log(squaredError) - bias(degrees))
  const middle = averagedMedian(logs)
  const spread = MAD_TO_DEVIATION * averagedMedian(logs.map((value) => Math.abs(value - middle)))
  const byChance = known.reduce((sum, { degrees }) => sum + trigamma(degrees / 2), 0) / known.length
  const left = spread ** 2 - byChance
  const degrees = left <= NO_SPREAD ? MOST_DEGREES : Math.min(MOST_DEGREES, 2 * inverseTrigamma(left))
  return { degrees, squaredError: Math.exp(middle + bias(degrees)) }
}

/** How far ln of a squared error of so many degrees of freedom lies from ln of the true one, on average. */
function bias(degrees: number): number {
  return digamma(degrees / 2) - Math.log(degrees / 2)
}

/**
 * The two-sided p of a difference against one of `from`, a logarithm too, its error moderated by the run's. Null where it has no error
 * of its own.
 */
export function pairedPValue(difference: PairedDifference, prior: ErrorPrior, from = 0): number | null {
  if (!(difference.squaredError > 0)) return null
  const degrees = difference.degrees + prior.degrees
  const squared = (difference.degrees * difference.squaredError + prior.degrees * prior.squaredError) / degrees
  return studentTwoSided((difference.logRatio - from) / Math.sqrt(squared), degrees)
}
