import { BoundedCache } from './bounded-cache.ts'

/**
 * The largest distribution that is computed, in additions: 400 + 400 samples, 0.1 s once. More than the 225 + 225
 * repetitions that a very fast query gets; repetition counts come from outside, and the work grows with the square of
 * one and the first power of the other.
 */
const LARGEST_WORK = 2 ** 26

/** 16 MB: some hundred thousand different pairs of counts of everyday size. */
const cache = new BoundedCache<Float64Array>(2 ** 21)

/** Whether the exact distribution of U without ties is computed for these counts. */
export function hasRankDistribution(n: number, m: number): boolean {
  return n >= 1 && m >= 1 && Math.min(n, m) * n * m <= LARGEST_WORK
}

/**
 * The exact two-sided p-value of the Mann-Whitney test without ties, by the smaller of U and `nm - U`: element `u` is
 * `P(|U - nm/2| >= |u - nm/2|)` over all relabelings, for `u` from 0 to `floor(nm/2)`. Depends on the counts alone.
 *
 * The numbers of relabelings with each U are the coefficients of the Gaussian binomial `[n + m choose n]` (Mann and
 * Whitney, 1947), multiplied out factor by factor: `(1 - q^(m + i)) / (1 - q^i)` for `i` from 1 to `n`. They are exact
 * integers up to 2^53 (28 + 28 samples); at 225 + 225 the p-values have a relative error below 1e-12.
 *
 * Throws a RangeError where `hasRankDistribution` says no.
 */
export function rankPValues(n: number, m: number): Float64Array {
  const [few, many] = n < m ? [n, m] : [m, n]
  return cache.get(
    few * 2 ** 26 + many,
    () => computePValues(few, many),
    (values) => values.length,
  )
}

function computePValues(few: number, many: number): Float64Array {
  if (!hasRankDistribution(few, many)) throw new RangeError(`no rank distribution for ${few} and ${many} samples`)
  const values = lowerHalf(few, many)
  const middle = values.length - 1
  const isEven = (few * many) % 2 === 0
  const atMiddle = values[middle]!
  for (let u = 1; u <= middle; u++) values[u]! += values[u - 1]!
  // The distribution is symmetric: what lies below the middle lies above it as well.
  const total = isEven ? 2 * values[middle]! - atMiddle : 2 * values[middle]!
  for (let u = 0; u <= middle; u++) values[u] = Math.min(1, (2 * values[u]!) / total)
  return values
}

/** The number of relabelings with U = 0, 1, ... up to the middle. */
function lowerHalf(few: number, many: number): Float64Array {
  const counts = new Float64Array(Math.floor((few * many) / 2) + 1)
  counts[0] = 1
  for (let i = 1; i <= few; i++) {
    for (let u = counts.length - 1; u >= many + i; u--) counts[u]! -= counts[u - many - i]!
    for (let u = i; u < counts.length; u++) counts[u]! += counts[u - i]!
  }
  return counts
}
