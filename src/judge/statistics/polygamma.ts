/** Above it the asymptotic series of both functions are exact to the last digits. */
const ASYMPTOTIC_FROM = 10

/** ψ(x), the derivative of ln Γ, for x > 0. Source: Abramowitz and Stegun (1964), 6.3.5 and 6.3.18. */
export function digamma(x: number): number {
  let sum = 0
  let at = x
  for (; at < ASYMPTOTIC_FROM; at += 1) sum -= 1 / at
  const square = 1 / at ** 2
  const series = 1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square * (1 / 132))))
  return sum + Math.log(at) - 1 / (2 * at) - square * series
}

/** ψ′(x), for x > 0. Source: 6.4.6 and 6.4.12 there. */
export function trigamma(x: number): number {
  let sum = 0
  let at = x
  for (; at < ASYMPTOTIC_FROM; at += 1) sum += 1 / at ** 2
  const square = 1 / at ** 2
  const series = 1 / 6 - square * (1 / 30 - square * (1 / 42 - square * (1 / 30 - square * (5 / 66))))
  return sum + 1 / at + square / 2 + (square / at) * series
}

/** Newton's steps for `inverseTrigamma`: from its start they double the digits each time. */
const STEPS = 50

/**
 * The x with ψ′(x) = `value`, for `value` > 0. Source: Smyth, Linear Models and Empirical Bayes Methods (2004), appendix: Newton's
 * method for 1 / ψ′, which is nearly linear, so that it converges from 0.5 + 1 / value.
 */
export function inverseTrigamma(value: number): number {
  let x = 0.5 + 1 / value
  for (let step = 0; step < STEPS; step++) {
    const found = trigamma(x)
    const change = (found * (1 - found / value)) / tetragamma(x)
    x += change
    if (Math.abs(change) <= 1e-14 * x) break
  }
  return x
}

/** ψ″(x), for x > 0. Source: 6.4.6 and 6.4.13 there. */
function tetragamma(x: number): number {
  let sum = 0
  let at = x
  for (; at < ASYMPTOTIC_FROM; at += 1) sum -= 2 / at ** 3
  const square = 1 / at ** 2
  const series = 1 / 2 - square * (1 / 6 - square * (1 / 6 - square * (3 / 10)))
  return sum - square - square / at - square ** 2 * series
}
