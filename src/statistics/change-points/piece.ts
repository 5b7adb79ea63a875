/** A piece of a series, as the t-test needs it. */
export interface Piece {
  readonly count: number
  readonly mean: number
  /** The sum of the squared distances from the mean. */
  readonly squares: number
}

/** The points `values[from..to)`, at least one. */
export function pieceOf(values: ArrayLike<number>, from: number, to: number): Piece {
  let [mean, squares] = [0, 0]
  for (let index = from; index < to; index += 1) {
    const value = values[index]!
    const distance = value - mean
    mean += distance / (index - from + 1)
    squares += distance * (value - mean)
  }
  return { count: to - from, mean, squares }
}

/** Two neighbouring pieces as one. Source: Chan, Golub and LeVeque, Updating Formulae (1979). */
export function join(left: Piece, right: Piece): Piece {
  const count = left.count + right.count
  const distance = right.mean - left.mean
  return {
    count,
    mean: left.mean + (distance * right.count) / count,
    squares: left.squares + right.squares + (distance * distance * left.count * right.count) / count,
  }
}

/**
 * The p-value of a two-sided t-test with a common variance for a difference of the means.
 *
 * NOT the textbook's: the variances that are pooled are `squares / count`, as in Apache Otava, where the textbook has
 * `squares / (count - 1)`. So p is somewhat too small for small pieces, and the same as Otava's.
 *
 * 1 for two points, and for two pieces that are equal and constant; 0 for two that are constant and differ.
 */
export function pieceTest(left: Piece, right: Piece): number {
  const degrees = left.count + right.count - 2
  const distance = right.mean - left.mean
  if (degrees < 1 || distance === 0) return 1
  const pooled =
    ((left.count - 1) * (left.squares / left.count) + (right.count - 1) * (right.squares / right.count)) / degrees
  return studentTwoSided(distance / Math.sqrt(pooled * (1 / left.count + 1 / right.count)), degrees)
}

/**
 * How far apart the means are: the larger of the two relative changes, forward and backward, so that a rise and the fall
 * that undoes it are equally large. As in Apache Otava a mean of 0 has no change in its own terms.
 */
export function relativeStep(left: Piece, right: Piece): number {
  const forward = left.mean === 0 ? 0 : Math.abs(right.mean / left.mean - 1)
  const backward = right.mean === 0 ? 0 : Math.abs(left.mean / right.mean - 1)
  return Math.max(forward, backward)
}

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
