import { averagedMedian } from '../../../intake/measurement/median.ts'
import { join, type Piece, pieceOf, pieceTest, relativeStep } from './piece.ts'
import type { StrongPoint } from './remove-weak.ts'

/**
 * The chance that one point is off by itself: a spike. So many points in a row that this to the power of their number is not
 * below `maxP` may be spikes. How often a point is off in real histories is measured in docs/benchmarks.md.
 *
 * At 0.001 two points may be spikes (0.05² = 0.0025), three are a level. At 0.1 none may.
 */
const SPIKE_CHANCE = 0.05

/**
 * Fewer points make any p larger: by this factor without a meaning. It is also that between candidates and steps.
 *
 * Spikes made the step: p = 1e-6 with them and 0.3 without. They did not: 0.0005 and 0.002.
 */
const SET_ASIDE_FACTOR = 10

/**
 * A point is off where it is farther from the median of its neighbours than this many spreads (1.4826 median distances). So
 * many neighbours count that a row of spikes is the smaller part of them: two points on each side at 0.001.
 *
 * Off: 300 among 100 ± 1, in 100, 101, 300, 99, 100. Not: 104.
 */
const OFF_SPREADS = 5
const SPREAD = 1.4826

/** Points that may be spikes and no level at this p. */
export function longestSpike(maxP: number): number {
  let length = 0
  while (SPIKE_CHANCE ** (length + 1) >= maxP) length += 1
  return length
}

/**
 * Points without which a series has no step at this p: before it one more than a single spike, after it one more than may
 * all be spikes. A t-test needs three.
 */
export function fewestPoints(maxP: number): number {
  const longest = longestSpike(maxP)
  return Math.max(3, Math.min(2, longest + 1) + longest + 1)
}

/** A level between two points, or a spike. */
interface Level {
  /** Where it starts in the series. */
  readonly from: number
  /** The points of the level, without the spikes that it was found to reach over. */
  readonly piece: Piece
  /** The point that the level starts with; null at the start of the series. */
  readonly point: StrongPoint | null
}

/**
 * The steps that are left when spikes are none. A t-test knows no spikes: a single point at twice the value at the end of a
 * calm series has p = 1e-14. `points` are what the reference finds, so that a spike hides no step: it is a piece of its own.
 *
 * - A piece of as many points as may be spikes is none at the end of the series, where it has not lasted, and where the
 *   level before and the one after it are the same. Where they differ and it lies between them, two points and more are a
 *   level, else it belongs to the closer one. At the start one point alone is none: that what comes after it lasts says nothing
 *   of it.
 * - Where nothing is left between two levels without their points that are off (p above `SET_ASIDE_FACTOR` times `maxP`),
 *   these made the step.
 */
export function withoutSpikes(
  values: ArrayLike<number>,
  points: readonly StrongPoint[],
  maxP: number,
  minStep: number,
): readonly StrongPoint[] {
  const longest = longestSpike(maxP)
  if (longest === 0 || points.length === 0) return points
  const ends = [...points.map(({ index }) => index), values.length]
  let levels = [null, ...points].map((point, i): Level => {
    const from = point?.index ?? 0
    return { from, piece: pieceOf(values, from, ends[i]!), point }
  })
  const areApart = (left: Piece, right: Piece) => pieceTest(left, right) < maxP && relativeStep(left, right) > minStep
  for (let length = 1; length <= longest; length += 1) levels = lastingLevels(levels, length, areApart)
  if (levels.length > 1 && levels.at(-1)!.piece.count <= longest) levels.pop()
  return apartWithoutSpikes(values, levels, maxP, longest)
}

/** Pieces of `length` points that are no level, gone. */
function lastingLevels(
  levels: readonly Level[],
  length: number,
  areApart: (left: Piece, right: Piece) => boolean,
): Level[] {
  const kept: Level[] = []
  for (let i = 0; i < levels.length; i += 1) {
    const [left, level, right] = [kept.at(-1), levels[i]!, levels[i + 1]]
    if (level.piece.count !== length || right === undefined || (left === undefined && length > 1)) {
      kept.push(level)
    } else if (left === undefined) {
      kept.push({ ...right, from: level.from, point: null })
      i += 1
    } else if (!areApart(left.piece, right.piece)) {
      kept[kept.length - 1] = { ...left, piece: join(left.piece, right.piece) }
      i += 1
    } else if (length > 1 && isBetween(level.piece, left.piece, right.piece)) {
      kept.push(level)
    } else {
      const isOfRight = Math.abs(level.piece.mean - right.piece.mean) < Math.abs(level.piece.mean - left.piece.mean)
      kept.push(isOfRight ? { ...right, from: level.from, point: level.point } : right)
      i += 1
    }
  }
  return kept
}

function isBetween({ mean }: Piece, left: Piece, right: Piece): boolean {
  return mean > Math.min(left.mean, right.mean) && mean < Math.max(left.mean, right.mean)
}

/** The points whose levels differ by more than what is off in them. */
function apartWithoutSpikes(
  values: ArrayLike<number>,
  levels: readonly Level[],
  maxP: number,
  longest: number,
): StrongPoint[] {
  const kept: { from: number; piece: Piece; point: StrongPoint | null }[] = []
  for (const [i, { from, point }] of levels.entries()) {
    const to = levels[i + 1]?.from ?? values.length
    const piece = withoutOff(values, from, to, longest)
    const left = kept.at(-1)
    if (left === undefined || pieceTest(left.piece, piece) < SET_ASIDE_FACTOR * maxP) kept.push({ from, piece, point })
    else left.piece = withoutOff(values, left.from, to, longest)
  }
  return kept.flatMap(({ point }) => (point === null ? [] : [point]))
}

/** The points of `values[from..to)` that are not off. In so few that spikes may be most of them none is. */
function withoutOff(values: ArrayLike<number>, from: number, to: number, longest: number): Piece {
  const width = 2 * longest + 1
  if (to - from < width) return pieceOf(values, from, to)
  const all = Float64Array.from({ length: to - from }, (_, i) => values[from + i]!)
  const distances = all.map((value, i) => {
    const start = Math.min(Math.max(0, i - longest), all.length - width)
    return Math.abs(value - averagedMedian(all.slice(start, start + width)))
  })
  const most = OFF_SPREADS * SPREAD * averagedMedian(distances.slice())
  const own = all.filter((_, i) => distances[i]! <= most)
  return pieceOf(own, 0, own.length)
}
