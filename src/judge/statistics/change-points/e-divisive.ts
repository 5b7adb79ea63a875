import { pieceOf, pieceTest } from './piece.ts'
import { removeWeak } from './remove-weak.ts'
import { longestSpike, withoutSpikes } from './spikes.ts'

/** Finds steps by E-divisive in windows and a t-test, without random numbers. Levels and intervals: `change-points.ts`. */

export interface DivisiveOptions {
  /** Points that are looked at together, from 2 to `WINDOW_LENGTH_MOST`. */
  readonly windowLength: number
  /** A change point has a p-value below this. */
  readonly maxP: number
  /** A change point has a relative step of the means above this, as a fraction. */
  readonly minStep: number
}

/**
 * The points that are looked at together; windows overlap by half. Apache Otava's default: two levels of 25 points are
 * enough to tell 5% apart in 5% of noise, and steps farther apart than that do not hide each other.
 *
 * Not made for drifts: one that goes on for many windows is reported as several steps.
 */
const WINDOW_LENGTH = 50

/** The time of one window grows with its square, and with its cube in the worst case. */
export const WINDOW_LENGTH_MOST = 500

/**
 * Every place of a series is tried, so p must be far below the usual 0.05: Apache Otava's default. What it lets through
 * in real noise is measured in docs/benchmarks.md.
 *
 * A step: 20 points at 100 ± 5 before 20 at 106 ± 5, p = 0.0005. None: 102 in the place of 106, p = 0.2.
 */
const MAX_P = 0.001

/**
 * The smallest step that is reported, the same as the smallest change of a query: below it a long history has many steps
 * that are real (a noisy neighbour, another host) and nobody's business.
 *
 * A step: from 20.0 to 21.1 ms. None: from 20.0 to 20.9 ms, however certain.
 */
export const MIN_STEP = 0.05

export const DIVISIVE_DEFAULTS: DivisiveOptions = { windowLength: WINDOW_LENGTH, maxP: MAX_P, minStep: MIN_STEP }

/** A place where the level of a series changes. */
export interface DivisivePoint {
  /** Position of the first point of the new level. */
  readonly index: number
  /** The p-value of the t-test between the two levels. */
  readonly pValue: number
  /**
   * Where the level before starts and the one after ends (excluded): at the neighbouring significant points, those below
   * the smallest step too, or at an end of the series.
   */
  readonly from: number
  readonly to: number
}

/**
 * The change points of a series of finite values: E-divisive in windows, judged by a t-test, as Apache Otava does by
 * default, with one addition: spikes are no steps. No random numbers: the same series gives the same points.
 *
 * 1. Windows of `windowLength` points that overlap by half (the next one starts at the last point found, if that is
 *    later) are split at the largest E-divisive statistic over all pieces (`bestSplit`), again and again, as long as the
 *    t-test between the two new pieces has at most a relaxed p: ten times `maxP`, twice from 0.05 on, itself from 0.5 on.
 * 2. Over the whole series, weak candidates are removed one by one (`removeWeak`), until all have a p below `maxP` and a
 *    relative step of the means above `minStep`.
 * 3. Of these, which are Otava's points, those that are spikes are left out (`withoutSpikes`).
 *
 * Sources: Matteson and James (2014); Fleming et al., Hunter: Using Change Point Detection to Hunt for Performance
 * Regressions (2023).
 *
 * For n points and windows of w: time `n w` where a window has few steps, `n w²` in the worst case, and `n log n` for the
 * candidates; memory `n + w`. Throws a RangeError for options out of range.
 */
export function eDivisive(values: ArrayLike<number>, options: DivisiveOptions = DIVISIVE_DEFAULTS): DivisivePoint[] {
  const { windowLength, maxP, minStep } = options
  if (!(windowLength >= 2 && windowLength <= WINDOW_LENGTH_MOST)) {
    throw new RangeError(`a window has 2 to ${WINDOW_LENGTH_MOST} points, not ${windowLength}`)
  }
  if (!(maxP > 0 && maxP <= 1)) throw new RangeError(`a p-value is above 0 and at most 1, not ${maxP}`)
  const found = candidates(values, Math.floor(windowLength), relaxed(maxP))
  const left = (step: number) => withoutSpikes(values, removeWeak(values, found, maxP, step), maxP, step)
  const points = left(minStep)
  const own = new Set(points.map(({ index }) => index))
  // A spike at a step may have come out on its other side there.
  const isOwn = (index: number) => {
    for (let away = 0; away <= longestSpike(maxP); away += 1)
      if (own.has(index - away) || own.has(index + away)) return true
    return false
  }
  const others = left(0).flatMap(({ index }) => (isOwn(index) ? [] : [index]))
  const bounds = Float64Array.of(0, ...own, ...others, values.length).sort()
  let next = 1
  return points.map(({ index, pValue }) => {
    while (bounds[next]! < index) next += 1
    return { index, pValue, from: bounds[next - 1]!, to: bounds[next + 1]! }
  })
}

/** The p-value for candidates: one that neighbours make look weak may be strong once they are gone. */
function relaxed(maxP: number): number {
  if (maxP < 0.05) return maxP * 10
  return maxP < 0.5 ? maxP * 2 : maxP
}

/** The places found in any window, ascending. */
function candidates(values: ArrayLike<number>, windowLength: number, maxP: number): number[] {
  const step = Math.floor(windowLength / 2)
  const found = new Set<number>()
  for (let start = 0; start < values.length; ) {
    const inWindow = splitWindow(values, start, Math.min(start + windowLength, values.length), maxP)
    for (const index of inWindow) found.add(index)
    start = Math.max(start + step, inWindow.at(-1) ?? 0)
  }
  return [...found].sort((a, b) => a - b)
}

interface Part {
  readonly from: number
  readonly to: number
  readonly split: Split | null
}

/** Splits `values[start..end)` until the best place left is not significant; the places, ascending. */
function splitWindow(values: ArrayLike<number>, start: number, end: number, maxP: number): number[] {
  const part = (from: number, to: number): Part => ({ from, to, split: bestSplit(values, from, to) })
  const parts = [part(start, end)]
  for (;;) {
    let best = -1
    for (let i = 0; i < parts.length; i += 1) {
      const split = parts[i]!.split
      if (split !== null && (best === -1 || split.statistic > parts[best]!.split!.statistic)) best = i
    }
    if (best === -1) break
    const { from, to, split } = parts[best]!
    const { index } = split!
    if (pieceTest(pieceOf(values, from, index), pieceOf(values, index, to)) > maxP) break
    parts.splice(best, 1, part(from, index), part(index, to))
  }
  return parts.slice(1).map(({ from }) => from)
}

/** The place where a part of a series falls apart best. */
interface Split {
  /** Position in the series of the first point of the right piece. */
  readonly index: number
  /** The E-divisive statistic of that place, in the unit of the values. */
  readonly statistic: number
}

/** Used by one call after another; grows to the longest part seen. */
let scratch = { left: new Float64Array(64), column: new Float64Array(64) }

/**
 * The split of `values[from..to)` with the largest E-divisive statistic, over all `from < t < k <= to`:
 *
 * `Q(t, k) = 2/(n+m) Σ|x - y| - 2m/((n+m)(n-1)) Σ|x - x'| - 2n/((n+m)(m-1)) Σ|y - y'|`
 *
 * with the `n` points `x` of `[from, t)` and the `m` points `y` of `[t, k)`, sums over all pairs; a piece of one point has
 * no pairs. It is large where the points differ more between the pieces than inside them. Of equal ones the first. The
 * right piece may end before the part does, so that a short level is found beside others.
 *
 * Source: Matteson and James, A Nonparametric Approach for Multiple Change Point Analysis of Multivariate Data, J. Am.
 * Stat. Assoc. 109 (2014), in the scaling of Apache Otava. Values are finite. Time grows with the square of the length,
 * memory with the length. Null for fewer than two points.
 */
export function bestSplit(values: ArrayLike<number>, from: number, to: number): Split | null {
  const length = to - from
  if (length < 2) return null
  if (scratch.left.length <= length) {
    scratch = { left: new Float64Array(2 * length), column: new Float64Array(2 * length) }
  }
  const { left, column } = scratch
  sumPairs(values, from, length, left)
  column.fill(0, 0, length)
  let [index, statistic] = [from + 1, Number.NEGATIVE_INFINITY]
  // Places are tried from the last to the first: the sums over the right piece [t, k) then grow by one term a step.
  for (let t = length - 1; t >= 1; t -= 1) {
    const first = values[from + t]!
    const withinLeft = left[t]!
    let withinRight = 0
    for (let k = t + 1; k <= length; k += 1) {
      // column[k - 1]: the sum of |point k - 1 minus another| over the others of [t, k - 1)
      if (k > t + 1) {
        const sum = column[k - 1]! + Math.abs(first - values[from + k - 1]!)
        column[k - 1] = sum
        withinRight += sum
      }
      const between = left[k]! - withinLeft - withinRight
      let q = (2 / k) * between
      if (t > 1) q -= ((2 * (k - t)) / (k * (t - 1))) * withinLeft
      if (k - t > 1) q -= ((2 * t) / (k * (k - t - 1))) * withinRight
      // Going down, an equal one at a smaller place replaces; among equal ends of one place the first stays.
      if (q > statistic || (q === statistic && t < index - from)) [index, statistic] = [from + t, q]
    }
  }
  return { index, statistic }
}

/** `left[k]` becomes the sum of |x - x'| over all pairs of the first k points. */
function sumPairs(values: ArrayLike<number>, from: number, length: number, left: Float64Array): void {
  left[0] = 0
  for (let k = 1; k <= length; k += 1) {
    const last = values[from + k - 1]!
    let sum = 0
    for (let i = 0; i < k - 1; i += 1) sum += Math.abs(values[from + i]! - last)
    left[k] = left[k - 1]! + sum
  }
}
