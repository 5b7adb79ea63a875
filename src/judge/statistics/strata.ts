import { doubledUCounts, mannWhitney } from './mann-whitney.ts'
import { normalQuantile, normalTwoSided } from './normal-tail.ts'
import { poolSamples } from './pool.ts'
import { canRelabel, relabelingWeights } from './relabeling-weights.ts'

/** One attempt: what was measured side by side, on one machine. */
export interface Stratum {
  readonly old: readonly number[]
  readonly new: readonly number[]
}

/** Why an attempt is left out. Closed. */
export type LeftOut =
  /** Fewer than three samples on a side, or more than relabelings are counted of. */
  | 'sample-count'
  /** A sample is not above 0: it may be the median of a relabeling, and has no logarithm. */
  | 'no-ratio'

export interface StrataTest {
  /** D: the weighted geometric mean of the attempts' ratios of medians, minus 1. */
  readonly difference: number
  /** T: the 0.99 quantile of |ln of that mean| over all relabelings within the attempts, as a fraction on the side of D. */
  readonly threshold: number
  readonly pValue: number
  /** Of the sum of the attempts' U, with the same weights. */
  readonly rankPValue: number
  /** In each attempt, and the same way. */
  readonly separated: boolean
  /** |D| reaches T, or they are separated. */
  readonly isSignificant: boolean
}

export interface UsedStratum {
  /** Its place among those that were handed in. */
  readonly index: number
  /** The weights sum to 1. */
  readonly weight: number
  /** ln(new median / old median). */
  readonly logRatio: number
  /** By itself. */
  readonly isSignificant: boolean
}

export interface Joined {
  readonly used: readonly UsedStratum[]
  readonly leftOut: readonly { readonly index: number; readonly reason: LeftOut }[]
  /** `none`: all are left out. `disagree`: two are significant by themselves, with opposite signs. */
  readonly test: StrataTest | 'none' | 'disagree'
}

/** Fewer a side have no spread to weigh an attempt by. */
const LEAST_SAMPLES = 3

/** The least standard deviation that an attempt is weighed by: one of equal samples would take all of the weight. */
const LEAST_DEVIATION = 1e-4

/** Logarithms that differ by less are equal, as samples are that differ by this part. */
const TOLERANCE = 1e-12

/** What may lie above T; a little more, so that rounding does not decide where it is exactly 1%. */
const TAIL = 0.01 * (1 + 1e-10)

/**
 * Pairs of values up to which the sum of two distributions is exact: 13 + 13 repetitions give 9,604 in two attempts and 941,192 in
 * three, which take a quarter of a second to sort, and a head has a thousand queries.
 */
const MOST_EXACT_PAIRS = 100_000

/** Bins from 0 to the farthest value of what is larger: some 1e-4 wide where a query varies by half. */
const BINS = 2 ** 13

/**
 * Attempts that were measured on different machines, tested together and never pooled. Within each the labels are dealt anew, as in
 * `randomizationTest`; the statistic is the mean of the logarithms of the ratios of medians, weighted by the inverse of the
 * variance that each has over all of its relabelings. The pooled samples alone fix that, so no comparison chooses its weight. What
 * chance gives is the convolution of what it gives in each attempt.
 *
 * Exact up to 100,000 pairs of values. Beyond that in bins, of which what chance gives is rounded away from 0 and what was
 * measured towards it: p is too large then, by less than 0.001.
 *
 * Of one attempt it is the randomization test, but for equal differences, whose logarithms differ. Samples are finite.
 */
export function testStrata(strata: readonly Stratum[]): Joined {
  const reasons = strata.map((stratum, index) => ({ index, reason: whyLeftOut(stratum) }))
  const leftOut = reasons.flatMap(({ index, reason }) => (reason === null ? [] : [{ index, reason }]))
  const alone = reasons.filter(({ reason }) => reason === null).map(({ index }) => alonePart(strata[index]!, index))
  if (alone.length === 0) return { used: [], leftOut, test: 'none' }
  const precision = alone.reduce((sum, { variance }) => sum + 1 / variance, 0)
  const parts = alone.map((part) => ({ ...part, weight: 1 / part.variance / precision }))
  const used = parts.map((part): UsedStratum => {
    const { index, weight, logRatio } = part
    return { index, weight, logRatio, isSignificant: testOf([{ ...part, weight: 1 }]).isSignificant }
  })
  const signs = new Set(used.filter(({ isSignificant }) => isSignificant).map(({ logRatio }) => Math.sign(logRatio)))
  return { used, leftOut, test: signs.size > 1 ? 'disagree' : testOf(parts) }
}

function whyLeftOut({ old, new: fresh }: Stratum): LeftOut | null {
  if (Math.min(old.length, fresh.length) < LEAST_SAMPLES || !canRelabel(old.length, fresh.length)) return 'sample-count'
  return [old, fresh].every((samples) => samples.every((value) => value > 0)) ? null : 'no-ratio'
}

/** Values in ascending order, each once, with the chance of each. */
interface Distribution {
  readonly values: Float64Array
  readonly chances: Float64Array
  /** How much too far from 0 a value may stand, since it was rounded. */
  readonly slack: number
}

interface Part extends Stratum {
  readonly index: number
  readonly logRatio: number
  /** Of `logRatio` over all relabelings. */
  readonly distribution: Distribution
  readonly variance: number
  /** 1: all new samples are above all old ones; -1: below; 0: they overlap. */
  readonly side: -1 | 0 | 1
}

function alonePart({ old, new: fresh }: Stratum, index: number): Part {
  const [n, m] = [old.length, fresh.length]
  const { lower, upper, weight, firstLower, total } = relabelingWeights(n, m)
  const pool = poolSamples(old, fresh)
  const logs = Array.from(pool.all.subarray(0, n + m), Math.log)
  const logRatio = Math.log(pool.new[m >>> 1]!) - Math.log(pool.old[n >>> 1]!)
  const side = pool.new[0]! > pool.old[n - 1]! ? 1 : pool.new[m - 1]! < pool.old[0]! ? -1 : 0

  const values = new Float64Array(2 * weight.length)
  const chances = new Float64Array(2 * weight.length)
  for (let pair = 0; pair < weight.length; pair++) {
    const distance = logs[upper[pair]!]! - logs[lower[pair]!]!
    values[2 * pair] = distance
    values[2 * pair + 1] = -distance
    chances[2 * pair] = firstLower[pair]! / total
    chances[2 * pair + 1] = (weight[pair]! - firstLower[pair]!) / total
  }
  const distribution = merged(values, chances)
  const mean = meanOf(distribution, (value) => value)
  const variance = Math.max(
    LEAST_DEVIATION ** 2,
    meanOf(distribution, (value) => (value - mean) ** 2),
  )
  return { old, new: fresh, index, logRatio: snapped(logRatio), distribution, variance, side }
}

function snapped(logRatio: number): number {
  return Math.abs(logRatio) <= TOLERANCE ? 0 : logRatio
}

function meanOf({ values, chances }: Distribution, of: (value: number) => number): number {
  return values.reduce((sum, value, index) => sum + of(value) * chances[index]!, 0)
}

interface WeightedPart extends Part {
  readonly weight: number
}

function testOf(parts: readonly WeightedPart[]): StrataTest {
  const observed = snapped(parts.reduce((sum, { weight, logRatio }) => sum + weight * logRatio, 0))
  const chance = sumOf(parts.map(({ distribution, weight }) => scaled(distribution, weight)))
  const size = Math.abs(observed)
  const found = farQuantile(chance)
  const quantile = Math.abs(found - size) <= TOLERANCE ? size : found
  const { side } = parts[0]!
  const separated = side !== 0 && parts.every((part) => part.side === side)
  return {
    difference: Math.expm1(observed),
    threshold: Math.abs(Math.expm1(observed < 0 ? -quantile : quantile)),
    pValue: chanceBeyond(chance, size),
    rankPValue: rankPValueOf(parts),
    separated,
    isSignificant: observed !== 0 && (size >= quantile || separated),
  }
}

/** The 0.99 quantile of the distance from 0. From both ends inwards: distances of sorted values are the worst that a quickselect gets. */
function farQuantile({ values, chances }: Distribution): number {
  let [low, high, above] = [0, values.length - 1, 0]
  while (true) {
    const isLow = -values[low]! > values[high]!
    above += chances[isLow ? low : high]!
    if (above > TAIL || low === high) return Math.abs(values[isLow ? low : high]!)
    if (isLow) low += 1
    else high -= 1
  }
}

/** The chance of what is at least as far from 0. */
function chanceBeyond({ values, chances, slack }: Distribution, size: number): number {
  const least = size - slack - TOLERANCE * Math.max(1, size)
  let beyond = 0
  for (const [index, value] of values.entries()) if (Math.abs(value) >= least) beyond += chances[index]!
  return Math.min(1, beyond)
}

/** Without exact counts of U, which take a thousand samples and more, as if the sum were normal. */
function rankPValueOf(parts: readonly WeightedPart[]): number {
  const counted = parts.map(({ old, new: fresh }) => doubledUCounts(old, fresh))
  const isCounted = counted.every((counts) => counts !== null)
  const tests = parts.map(({ old, new: fresh }) => mannWhitney(old, fresh))
  const offMiddle = parts.map(({ old, new: fresh }, index) => tests[index]!.u - (old.length * fresh.length) / 2)
  const observed = parts.reduce((sum, { weight }, index) => sum + weight * offMiddle[index]!, 0)
  if (!isCounted) {
    // each p says how many standard deviations its U is off
    const spreads = parts.map(({ weight }, index) => {
      const z = -normalQuantile(tests[index]!.pValue / 2)
      return z === 0 ? 0 : (weight * offMiddle[index]!) / z
    })
    const spread = Math.hypot(...spreads)
    return spread === 0 ? 1 : normalTwoSided(Math.abs(observed) / spread)
  }
  const chance = sumOf(
    counted.map((counts, index) => {
      const total = counts.reduce((sum, count) => sum + count, 0)
      const middle = (counts.length - 1) / 4
      const values = Float64Array.from(counts, (_, doubled) => doubled / 2 - middle)
      const distribution = merged(
        values,
        counts.map((count) => count / total),
      )
      return scaled(distribution, parts[index]!.weight)
    }),
  )
  return chanceBeyond(chance, Math.abs(observed))
}

function scaled({ values, chances, slack }: Distribution, factor: number): Distribution {
  return { values: values.map((value) => value * factor), chances, slack: slack * factor }
}

function sumOf([first, ...others]: readonly Distribution[]): Distribution {
  return others.reduce((sum, next) => sumOfTwo(sum, next), first!)
}

function sumOfTwo(a: Distribution, b: Distribution): Distribution {
  if (a.values.length * b.values.length <= MOST_EXACT_PAIRS) {
    const values = new Float64Array(a.values.length * b.values.length)
    const chances = new Float64Array(values.length)
    let pair = 0
    for (let i = 0; i < a.values.length; i++) {
      for (let j = 0; j < b.values.length; j++) {
        values[pair] = a.values[i]! + b.values[j]!
        chances[pair++] = a.chances[i]! * b.chances[j]!
      }
    }
    return { ...merged(values, chances), slack: a.slack + b.slack }
  }
  return binnedSum(atMostBins(a), atMostBins(b))
}

function atMostBins(distribution: Distribution): Distribution {
  if (distribution.values.length <= 2 * BINS) return distribution
  return binnedSum(distribution, { values: Float64Array.of(0), chances: Float64Array.of(1), slack: 0 })
}

/** Each sum is rounded away from 0, by a bin at the most. */
function binnedSum(a: Distribution, b: Distribution): Distribution {
  const width = (farthest(a) + farthest(b)) / BINS
  // one more at each end for what rounding makes of the farthest
  const bins = new Float64Array(2 * BINS + 3)
  for (let i = 0; i < a.values.length; i++) {
    for (let j = 0; j < b.values.length; j++) {
      const inBins = (a.values[i]! + b.values[j]!) / width
      const bin = inBins < 0 ? Math.floor(inBins) : Math.ceil(inBins)
      bins[BINS + 1 + bin]! += a.chances[i]! * b.chances[j]!
    }
  }
  const values = Float64Array.from(bins, (_, bin) => (bin - BINS - 1) * width)
  return { ...merged(values, bins), slack: a.slack + b.slack + width }
}

function farthest({ values }: Distribution): number {
  return Math.max(Math.abs(values[0]!), Math.abs(values.at(-1)!))
}

/** What no relabeling gives is left out. */
function merged(values: Float64Array, chances: Float64Array): Distribution {
  const order = Array.from(values, (_, index) => index).filter((index) => chances[index]! > 0)
  order.sort((a, b) => values[a]! - values[b]!)
  const [keptValues, keptChances] = [new Float64Array(order.length), new Float64Array(order.length)]
  let kept = -1
  for (const index of order) {
    if (kept < 0 || values[index]! > keptValues[kept]! + TOLERANCE) keptValues[++kept] = values[index]!
    keptChances[kept]! += chances[index]!
  }
  return { values: keptValues.slice(0, kept + 1), chances: keptChances.slice(0, kept + 1), slack: 0 }
}
