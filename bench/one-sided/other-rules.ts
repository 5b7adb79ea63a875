/** What other tools call slower, of one value against the trunk's values: their rules, from their documentation. */

/** github-action-benchmark: the value over the previous one reaches the alert threshold, 200% by default. */
export function exceedsRatio(previous: number, value: number, threshold: number): boolean {
  return value / previous > threshold
}

/** Bencher's `t_test`: above the mean of the last 64 by as many standard deviations as the 0.99 quantile of Student's t has. */
export function exceedsTTest(trunk: readonly number[], value: number): boolean {
  const last = trunk.slice(-64)
  if (last.length < 2) return false
  const mean = last.reduce((sum, one) => sum + one, 0) / last.length
  const variance = last.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (last.length - 1)
  return value > mean + studentQuantile(last.length - 1) * Math.sqrt(variance)
}

const quantiles = new Map<number, number>()

/** The 0.99 quantile, by Simpson’s rule on the density and bisection. */
export function studentQuantile(degrees: number): number {
  const known = quantiles.get(degrees)
  if (known !== undefined) return known
  let constant = degrees % 2 === 0 ? 0.5 / Math.sqrt(degrees) : 1 / (Math.PI * Math.sqrt(degrees))
  for (let k = degrees - 1; k > 1; k -= 2) constant *= k / (k - 1)
  if (degrees === 1) constant = 1 / Math.PI
  const density = (t: number) => constant * (1 + (t * t) / degrees) ** (-(degrees + 1) / 2)
  const above0 = (t: number) => {
    const steps = 2000
    let sum = density(0) + density(t)
    for (let i = 1; i < steps; i += 1) sum += density((t * i) / steps) * (i % 2 === 1 ? 4 : 2)
    return (sum * t) / (3 * steps)
  }
  let [low, high] = [0, 40]
  for (let i = 0; i < 60; i += 1) {
    const middle = (low + high) / 2
    if (above0(middle) < 0.49) low = middle
    else high = middle
  }
  quantiles.set(degrees, low)
  return low
}
