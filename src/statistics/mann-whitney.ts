import { normalTwoSided } from './normal-tail.ts'
import { poolSamples } from './pool.ts'
import { hasRankDistribution, rankPValues } from './rank-distribution.ts'
import { countsTiesExactly, tiedRankPValue } from './tied-rank-test.ts'

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
 * It errs towards larger p: by 3 % at p = 0.01 and 26 % at 0.0001 for 65 + 65, 0.5 % and 4 % for 400 + 400, and more where
 * the counts are very uneven (8 + 513: 19 % at 0.01). Far below 1e-6 only its order of magnitude means anything.
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
