/**
 * The share of all orders of these signs that have at most as many runs of one sign, this order included; 1 where there is one sign
 * alone. Source: A. Wald and J. Wolfowitz, On a Test Whether Two Samples are from the Same Population (1940).
 *
 * Five of one and then five of the other are two runs: 2 of 252 orders have no more.
 */
export function chanceOfFewRuns(signs: readonly boolean[]): number {
  const n = signs.filter((sign) => sign).length
  const m = signs.length - n
  if (n === 0 || m === 0) return 1
  const runs = signs.filter((sign, index) => index === 0 || sign !== signs[index - 1]).length
  const logChoose = logBinomials(signs.length)
  const all = logChoose(n + m, n)
  /** The orders in which the one sign has `a` runs and the other `b`. */
  const share = (a: number, b: number) => Math.exp(logChoose(n - 1, a - 1) + logChoose(m - 1, b - 1) - all)
  let sum = 0
  for (let count = 2; count <= runs; count++) {
    const half = Math.floor(count / 2)
    sum += count % 2 === 0 ? 2 * share(half, half) : share(half + 1, half) + share(half, half + 1)
  }
  return Math.min(1, sum)
}

/** Logarithms, since counts of a hundred thousand signs are no numbers. */
function logBinomials(largest: number): (n: number, k: number) => number {
  const logFactorials = new Float64Array(largest + 1)
  for (let k = 1; k <= largest; k++) logFactorials[k] = logFactorials[k - 1]! + Math.log(k)
  return (n, k) =>
    k < 0 || k > n ? Number.NEGATIVE_INFINITY : logFactorials[n]! - logFactorials[k]! - logFactorials[n - k]!
}
