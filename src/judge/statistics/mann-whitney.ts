import { LRUCache } from 'lru-cache'
import { averagedMedian } from '../../intake/measurement/median.ts'
import { normalTwoSided } from './normal-tail.ts'
import { poolSamples } from './pool.ts'

/** How the p-value was found. */
export type RankTestMethod =
  /** All relabelings counted. */
  | 'exact'
  /** Too many samples for that: see `mannWhitney`. */
  | 'normal-approximation'

export interface RankTest {
  /**
   * Pairs of an old and a new sample of which the old one is larger; equal ones count one half. What ClickHouse's
   * `mannWhitneyUTest(value, isNew).1` is; below half of all pairs the new side is slower.
   */
  readonly u: number
  /** Two-sided. */
  readonly pValue: number
  readonly method: RankTestMethod
}

let tieSizes = new Uint32Array(128)

/**
 * The Mann-Whitney U test (Mann and Whitney, 1947), two-sided: `P(|U - nm/2| >= observed)` over all relabelings of the
 * pooled samples, the observed one included and ties counted exactly.
 *
 * NOT EXACT for many samples: with ties above `n * m = 4,096` (64 + 64), without any above `min(n, m) * n * m = 2^26`
 * (406 + 406), the p-value is the normal approximation with correction for ties and continuity, and `method` says so.
 * It errs towards larger p: by 3% at p = 0.01 and 26% at 0.0001 for 65 + 65, 0.5% and 4% for 400 + 400, and more where
 * the counts are very uneven (8 + 513: 19% at 0.01). Far below 1e-6 only its order of magnitude means anything.
 *
 * `isCounted` may leave counts to the approximation that could be counted: one that is asked for often must be cheap.
 *
 * Samples are finite and in any unit; each side has at least one, or a RangeError is thrown.
 */
export function mannWhitney(
  old: ArrayLike<number>,
  fresh: ArrayLike<number>,
  isCounted: (n: number, m: number) => boolean = () => true,
): RankTest {
  const [n, m] = [old.length, fresh.length]
  if (n === 0 || m === 0) throw new RangeError('a rank test needs samples on both sides')
  const pool = poolSamples(old, fresh)
  const groups = findTies(pool.all, n + m)
  const doubledU = countWins(pool.new, m, pool.old, n)
  const doubledDistance = Math.abs(doubledU - n * m)
  const u = doubledU / 2

  const isWanted = isCounted(n, m)
  if (groups === n + m) {
    if (isWanted && hasRankDistribution(n, m)) {
      const pValue = rankPValues(n, m)[(n * m - doubledDistance) / 2]!
      return { u, pValue, method: 'exact' }
    }
  } else if (isWanted && countsTiesExactly(n, m)) {
    return { u, pValue: tiedRankPValue(n, m, tieSizes, groups, doubledDistance), method: 'exact' }
  }
  return { u, pValue: approximate(n, m, groups, doubledDistance), method: 'normal-approximation' }
}

/** Writes the sizes of the groups of equal samples to `tieSizes` and returns how many there are. */
function findTies(sorted: Float64Array, count: number): number {
  if (tieSizes.length < count) tieSizes = new Uint32Array(count)
  let groups = 0
  let start = 0
  for (let next = 1; next <= count; next++) {
    if (next < count && sorted[next] === sorted[start]) continue
    tieSizes[groups++] = next - start
    start = next
  }
  return groups
}

/** 2U: for every one of the samples the number of others below it, and of those not above it. Both are sorted. */
function countWins(others: Float64Array, otherCount: number, samples: Float64Array, count: number): number {
  let below = 0
  let notAbove = 0
  let doubled = 0
  for (let index = 0; index < count; index++) {
    const value = samples[index]!
    while (below < otherCount && others[below]! < value) below += 1
    while (notAbove < otherCount && others[notAbove]! <= value) notAbove += 1
    doubled += below + notAbove
  }
  return doubled
}

function approximate(n: number, m: number, groups: number, doubledDistance: number): number {
  const count = n + m
  let tied = 0
  for (let group = 0; group < groups; group++) tied += tieSizes[group]! ** 3 - tieSizes[group]!
  const variance = ((n * m) / 12) * (count + 1 - tied / (count * (count - 1)))
  if (variance <= 0) return 1
  const distance = Math.max(0, doubledDistance / 2 - 0.5)
  return Math.min(1, normalTwoSided(distance / Math.sqrt(variance)))
}

/**
 * The largest distribution that is computed, in additions: 400 + 400 samples, 0.1 s once. More than the 225 + 225
 * repetitions that a very fast query gets; repetition counts come from outside, and the work grows with the square of
 * one and the first power of the other.
 */
const LARGEST_WORK = 2 ** 26

/** 16 MB: some hundred thousand different pairs of counts of everyday size. */
const cache = new LRUCache<number, Float64Array, readonly [few: number, many: number]>({
  maxSize: 2 ** 21,
  sizeCalculation: ({ length }) => length,
  memoMethod: (_, __, { context: [few, many] }) => computePValues(few, many),
})

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
  return cache.memo(few * 2 ** 26 + many, { context: [few, many] })
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

/**
 * The interval for the shift from the old samples to the new ones that belongs to the Mann-Whitney test (Hodges and Lehmann, 1963), in
 * the unit of the samples: with `tail` at most the shift is below `low`, and with as much above `high`. `middle` is the median of
 * all differences. It supposes one shift for all samples and nothing of how they are distributed; ties make it wider.
 *
 * Null: too few samples for so small a tail, such as 3 + 3 for 0.005. Throws a RangeError where `hasRankDistribution` says no.
 */
export function shiftInterval(
  old: ArrayLike<number>,
  fresh: ArrayLike<number>,
  tail: number,
): { readonly low: number; readonly middle: number; readonly high: number } | null {
  const [n, m] = [old.length, fresh.length]
  const pValues = rankPValues(n, m)
  // The number of U whose tail is small enough: that many differences are left out at each end.
  let left = 0
  while (left < pValues.length && pValues[left]! <= 2 * tail) left += 1
  if (left === 0) return null
  const differences = new Float64Array(n * m)
  for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) differences[i * m + j] = fresh[j]! - old[i]!
  differences.sort()
  return { low: differences[left - 1]!, middle: averagedMedian(differences), high: differences[n * m - left]! }
}

/**
 * The largest product of the two counts for which ties are counted exactly: 64 + 64 samples, below 20 ms a query in the
 * worst case. There is nothing to share between queries: each pattern of ties has its own distribution.
 */
const LARGEST_PRODUCT = 4096

/** Whether ties are counted exactly for these counts. */
export function countsTiesExactly(n: number, m: number): boolean {
  return n * m <= LARGEST_PRODUCT
}

let table = new Float64Array(1024)

/**
 * `P(|U - nm/2| >= distance / 2)` over all ways to choose `n` of the pooled samples, ties counted exactly: each pair of
 * equal samples adds one half to U. `doubledDistance` is `|2U - nm|` as measured; `ties` holds the sizes of the groups of
 * equal samples in ascending order of their value, `groups` says how many there are.
 */
function tiedRankPValue(n: number, m: number, ties: Uint32Array, groups: number, doubledDistance: number): number {
  const counts = countDoubledU(n, m, ties, groups)
  const product = n * m
  let total = 0
  let beyond = 0
  for (let doubled = 0; doubled < counts.length; doubled++) {
    const count = counts[doubled]!
    total += count
    if (Math.abs(doubled - product) >= doubledDistance) beyond += count
  }
  return beyond / total
}

/**
 * How many relabelings give each value of 2U, from 0 to `2nm`, with ties counted exactly; U as in `RankTest`. Null where there are
 * more samples than that is done for.
 */
export function doubledUCounts(old: ArrayLike<number>, fresh: ArrayLike<number>): Float64Array | null {
  const [n, m] = [old.length, fresh.length]
  if (!countsTiesExactly(n, m)) return null
  const groups = findTies(poolSamples(old, fresh).all, n + m)
  // those of the smaller side were chosen
  const counts = countDoubledU(n, m, tieSizes, groups).slice()
  return n < m ? counts : counts.reverse()
}

/**
 * The counts of the smaller side's 2U; overwritten by the next call.
 *
 * Goes through the groups and keeps, for every number `c` of samples chosen so far, how many choices give each value of
 * 2U: `x` more of a group of `t` can be chosen in `C(t, x)` ways, and each of them is above the `placed - c` samples not
 * chosen so far and ties with the `t - x` of its own group that are not. All terms are positive; below 2^53 choices the
 * counts are exact integers. About `n² m²` additions.
 */
function countDoubledU(n: number, m: number, ties: Uint32Array, groups: number): Float64Array {
  // U is symmetric in the two sides; the table has a row for each number of chosen samples.
  const [few, many] = n < m ? [n, m] : [m, n]
  const width = 2 * few * many + 1
  const size = (few + 1) * width
  if (table.length < size) table = new Float64Array(size)
  else table.fill(0, 0, size)
  table[0] = 1

  let placed = 0
  for (let group = 0; group < groups; group++) {
    const tied = ties[group]!
    const most = Math.min(few, placed + tied)
    const least = Math.max(0, placed + tied - many)
    // Downwards, so that a row is read before this group changes it.
    for (let chosen = most; chosen >= least; chosen--) addGroup(table, width, placed, tied, chosen)
    placed += tied
  }

  return table.subarray(few * width, (few + 1) * width)
}

/**
 * All ways to come to `chosen` samples by choosing at least one of the group; with none the row stays as it is. Where more
 * were chosen before than were placed, `last` is negative and nothing is added.
 */
function addGroup(table: Float64Array, width: number, placed: number, size: number, chosen: number): void {
  let ways = 1
  for (let x = 1; x <= Math.min(size, chosen); x++) {
    ways = (ways * (size - x + 1)) / x
    const before = chosen - x
    const others = placed - before
    const source = before * width
    const target = chosen * width + 2 * x * others + x * (size - x)
    const last = 2 * before * others
    for (let doubled = 0; doubled <= last; doubled++) table[target + doubled]! += ways * table[source + doubled]!
  }
}
