/**
 * `P(|T| >= |t|)` of Student's t distribution with `degrees` degrees of freedom (a positive number), with a relative error
 * below 1e-10 for up to 1e6 of them. An infinite t has 0.
 *
 * It is the regularized incomplete beta function `I(degrees / (degrees + t²); degrees / 2, 1 / 2)`, by its continued
 * fraction. Source: Press et al., Numerical Recipes (2007), sections 6.4 and 6.14.
 */
export function studentTwoSided(t: number, degrees: number): number {
  if (!Number.isFinite(t)) return 0
  const square = t * t
  if (square === Number.POSITIVE_INFINITY) return 0
  const [a, b] = [degrees / 2, 0.5]
  const x = degrees / (degrees + square)
  // 1 - x without the rounding of a subtraction
  const y = square / (degrees + square)
  if (y === 0) return 1
  if (x === 0) return 0
  const front = Math.exp(logGammaRatio(a) + a * Math.log(x) + b * Math.log(y))
  const p =
    x < (a + 1) / (a + b + 2) ? (front * continuedFraction(a, b, x)) / a : 1 - (front * continuedFraction(b, a, y)) / b
  return Math.min(1, Math.max(0, p))
}

/** `log(Γ(a + 1/2) / (Γ(a) Γ(1/2)))` */
function logGammaRatio(a: number): number {
  // Γ(a + 1/2) / Γ(a) = Γ(z + 1/2) / Γ(z) * product over the steps up to z, where the series in 1/z is exact enough
  let [z, product] = [a, 1]
  for (; z < ASYMPTOTIC_FROM; z += 1) product *= z / (z + 0.5)
  const inverse = 1 / z
  const series =
    0.5 * Math.log(z) - inverse / 8 + inverse ** 3 / 192 - inverse ** 5 / 640 + (17 * inverse ** 7) / 14_336
  return series + Math.log(product) - HALF_LOG_PI
}

/** The four terms of the series below are exact to 1e-15 from here on. */
const ASYMPTOTIC_FROM = 30
const HALF_LOG_PI = Math.log(Math.PI) / 2

const TINY = 1e-300
const PRECISION = 1e-15
/** A t distribution needs about the square root of its degrees of freedom. */
const MOST_STEPS = 10_000

/** Lentz's method for the continued fraction of the incomplete beta function. */
function continuedFraction(a: number, b: number, x: number): number {
  let c = 1
  let d = 1 / awayFromZero(1 - ((a + b) * x) / (a + 1))
  let value = d
  for (let m = 1; m <= MOST_STEPS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / awayFromZero(1 + even * d)
    c = awayFromZero(1 + even / c)
    value *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / awayFromZero(1 + odd * d)
    c = awayFromZero(1 + odd / c)
    value *= d * c
    if (Math.abs(d * c - 1) < PRECISION) break
  }
  return value
}

function awayFromZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value
}
