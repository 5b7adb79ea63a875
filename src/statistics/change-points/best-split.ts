/** The place where a part of a series falls apart best. */
export interface Split {
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
  // From the last place to the first: the sums over the right piece [t, k) then grow by one term a step.
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
