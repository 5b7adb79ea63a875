import { LRUCache } from 'lru-cache'

/**
 * Where the two medians lie after a random relabeling, for `n` old and `m` new samples.
 *
 * Sort the pooled samples. A relabeling splits them into a group of `n` and one of `m`; the two medians are elements of
 * the pool, at ranks that do not depend on the values. How many of the `C(n + m, n)` relabelings put the medians at a
 * given pair of ranks is a product of three binomial coefficients: with `a = floor(n/2)` and `b = floor(m/2)` samples
 * of their own group below each median, the lower median always has a rank of at most `a + b` and the upper one a higher
 * rank. Let the lower median be that of the group of `n`, `u` samples of the other group and `v` of its own between the
 * two. Then it has rank `a + b - u`, the upper one `a + b + 1 + v`, and the count is
 * `C(a + b - u, a) * C(u + v, u) * C(n + m - 2 - a - b - v, m - 1 - b)`. With the groups the other way round, the same
 * with `n, a` and `m, b` exchanged. Only the distance between the medians matters, so both are added up.
 */
export interface RelabelingWeights {
  /** Pooled 0-based ranks of the lower and the upper median, pair by pair. */
  readonly lower: Uint32Array
  readonly upper: Uint32Array
  /** How many relabelings put them there, in the unit of `total`. */
  readonly weight: Float64Array
  /** The part of `weight` where the lower median is that of the group of `n`: half of it where the counts are equal. */
  readonly firstLower: Float64Array
  /** The weight of all relabelings. */
  readonly total: number
  /** The most weight that may lie above the 0.99 quantile. */
  readonly tail: number
  /** The smallest p-value that any samples of these counts can have. */
  readonly smallestPValue: number
}

/**
 * The largest pool whose relabelings are counted in exact integers: `C(56, 28) < 2^53 < C(57, 28)`. Above it a count is
 * a fraction of all with a relative error below 1e-12.
 */
const LARGEST_EXACT_POOL = 56

/**
 * Above `LARGEST_EXACT_POOL` a tail that exceeds 1% by less than one part in 1e10 counts as 1%: otherwise rounding
 * would decide where it is exactly 1%, as it is for 1 + 99 samples.
 */
const TAIL_MARGIN = 1e-10

const TAIL = 0.01

/**
 * The most pairs of ranks that are looked at for one query: 2,000 + 2,000 samples, 17 MB and about 20 ms. Repetition
 * counts come from outside, and the pairs grow with their product.
 */
export const LARGEST_PAIR_COUNT = 2 ** 20

/** Four times the largest: what a run with a different count for every query needs at most 70 MB for. */
const cache = new LRUCache<number, RelabelingWeights, readonly [n: number, m: number]>({
  maxSize: 4 * LARGEST_PAIR_COUNT,
  sizeCalculation: ({ weight }) => weight.length,
  memoMethod: (_, __, { context: [n, m] }) => computeWeights(n, m),
})

/** The weights for `n` old and `m` new samples, both at least 1. Throws a RangeError where there are too many samples. */
export function relabelingWeights(n: number, m: number): RelabelingWeights {
  return cache.memo(n * 2 ** 26 + m, { context: [n, m] })
}

/** Whether `relabelingWeights` takes these counts. */
export function canRelabel(n: number, m: number): boolean {
  return n >= 1 && m >= 1 && pairCount(n, m) <= LARGEST_PAIR_COUNT
}

function computeWeights(n: number, m: number): RelabelingWeights {
  if (!canRelabel(n, m)) throw new RangeError(`no randomization test for ${n} and ${m} samples`)
  const exact = n + m <= LARGEST_EXACT_POOL
  const count = exact ? exactCounter(n, m) : scaledCounter(n, m)
  const [a, b] = [Math.floor(n / 2), Math.floor(m / 2)]
  const pairs = pairCount(n, m)
  const lower = new Uint32Array(pairs)
  const upper = new Uint32Array(pairs)
  const weight = new Float64Array(pairs)
  const firstLower = new Float64Array(pairs)
  let total = 0
  let pair = 0
  for (let u = 0; u <= Math.max(a, b); u++) {
    for (let v = 0; v <= widestBetween(n, m, u); v++) {
      lower[pair] = a + b - u
      upper[pair] = a + b + 1 + v
      firstLower[pair] = count(u, v, 0)
      weight[pair] = firstLower[pair]! + count(u, v, 1)
      total += weight[pair]!
      pair += 1
    }
  }
  const tail = exact ? Math.floor(total / 100) : total * TAIL * (1 + TAIL_MARGIN)
  const smallest = Math.min(weightFrom(a, m + a), weightFrom(b, n + b))
  return { lower, upper, weight, firstLower, total, tail, smallestPValue: smallest / total }

  /**
   * The weight of the pairs of ranks at least as far out as these, on both sides. No samples can be less likely than
   * these.
   */
  function weightFrom(u: number, highest: number): number {
    let sum = 0
    for (let k = 0; k < pairs; k++) {
      if (lower[k]! <= a + b - u && upper[k]! >= highest) sum += weight[k]!
    }
    return sum
  }
}

/** The largest number of samples of the lower group between the two medians where there are `u` of the other; -1: none. */
function widestBetween(n: number, m: number, u: number): number {
  const [a, b] = [Math.floor(n / 2), Math.floor(m / 2)]
  return Math.max(u <= b ? n - 1 - a : -1, u <= a ? m - 1 - b : -1)
}

function pairCount(n: number, m: number): number {
  const [a, b] = [Math.floor(n / 2), Math.floor(m / 2)]
  const few = Math.min(a, b) + 1
  const more = Math.max(a, b) + 1 - few
  const oneSided = a < b ? n - a : m - b
  return few * Math.max(n - a, m - b) + more * oneSided
}

/** Direction 0: the lower median is that of the group of `n`; 1: that of the group of `m`. */
type Counter = (u: number, v: number, direction: 0 | 1) => number

/** The count at a distance; a binomial coefficient out of range is 0, and so is the product. */
function exactCounter(n: number, m: number): Counter {
  const [a, b] = [Math.floor(n / 2), Math.floor(m / 2)]
  const rest = n + m - 2 - a - b
  const choose = binomials(n + m - 1)
  return (u, v, direction) => {
    const [own, others] = direction === 0 ? [a, m - 1 - b] : [b, n - 1 - a]
    return choose(a + b - u, own) * choose(u + v, u) * choose(rest - v, others)
  }
}

/** Pascal's triangle: sums of integers below 2^53 are exact. */
function binomials(largest: number): (n: number, k: number) => number {
  const rows: number[][] = [[1]]
  for (let n = 1; n <= largest; n++) {
    const above = rows[n - 1]!
    rows.push(Array.from({ length: n + 1 }, (_, k) => (above[k - 1] ?? 0) + (above[k] ?? 0)))
  }
  return (n, k) => rows[n]![k] ?? 0
}

/** The same as a fraction of all relabelings. What is smaller than the smallest number above 0 is 0. */
function scaledCounter(n: number, m: number): Counter {
  const [a, b] = [Math.floor(n / 2), Math.floor(m / 2)]
  const rest = n + m - 2 - a - b
  const { mantissa, exponent } = scaledFactorials(n + m)
  const below = [binomialsOf(a + b, a, b), binomialsOf(a + b, b, a)] as const
  const above = [binomialsOf(rest, m - 1 - b, n - 1 - a), binomialsOf(rest, n - 1 - a, m - 1 - b)] as const
  const all = mantissa[n + m]! / (mantissa[n]! * mantissa[m]!)
  const allExponent = exponent[n + m]! - exponent[n]! - exponent[m]!

  return (u, v, direction) => {
    const left = below[direction]
    const right = above[direction]
    if (u >= left.mantissa.length || v >= right.mantissa.length) return 0
    const between = mantissa[u + v]! / (mantissa[u]! * mantissa[v]!) / all
    const betweenExponent = exponent[u + v]! - exponent[u]! - exponent[v]! - allExponent
    return (
      left.mantissa[u]! * right.mantissa[v]! * between * 2 ** (left.exponent[u]! + right.exponent[v]! + betweenExponent)
    )
  }

  /** `C(top - x, chosen)` for `x` from 0 to `last`. */
  function binomialsOf(top: number, chosen: number, last: number) {
    const mantissas = new Float64Array(last + 1)
    const exponents = new Int32Array(last + 1)
    for (let x = 0; x <= last; x++) {
      mantissas[x] = mantissa[top - x]! / (mantissa[chosen]! * mantissa[top - x - chosen]!)
      exponents[x] = exponent[top - x]! - exponent[chosen]! - exponent[top - x - chosen]!
    }
    return { mantissa: mantissas, exponent: exponents }
  }
}

/**
 * Factorials that do not overflow: `k! = mantissa[k] * 2 ** exponent[k]` with a mantissa in [1, 2). Scaling by powers of
 * two is exact, so the relative error grows by at most one rounding a factor: 2e-13 at 1,000!.
 */
interface ScaledFactorials {
  readonly mantissa: Float64Array
  readonly exponent: Int32Array
}

/** The factorials of 0 to `largest`. */
export function scaledFactorials(largest: number): ScaledFactorials {
  const mantissa = new Float64Array(largest + 1)
  const exponent = new Int32Array(largest + 1)
  mantissa[0] = 1
  for (let k = 1; k <= largest; k++) {
    let value = mantissa[k - 1]! * k
    let power = exponent[k - 1]!
    while (value >= 2) {
      value /= 2
      power += 1
    }
    mantissa[k] = value
    exponent[k] = power
  }
  return { mantissa, exponent }
}
