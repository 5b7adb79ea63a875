import { studentTwoSided } from '../student-tail.ts'

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
