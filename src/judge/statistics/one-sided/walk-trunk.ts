import { SlidingMedian } from './sliding-median.ts'

/** Values of the trunk that tell the level: those since the last lasting step, the newest. */
const WINDOW = 20

/** Fewer values are no level. */
export const LEAST_WINDOW = 3

/** Distances from the level that tell how far is far. */
const DISTANCES = 50

/** Below so many distances it is not asked how far they usually are. */
const LEAST_DISTANCES = 5

/** The spread that is assumed until then, a logarithm of a ratio. */
const SPREAD_AT_FIRST = 0.03

/** From a median of absolute values to the standard deviation of normal ones. */
export const SPREAD_OF_MEDIAN = 1.4826

/**
 * How many spreads a value is off its level before it waits to be told from a step.
 *
 * Pending: 108 at a level of 100 with a spread of 3%. Not: 107.
 */
const PENDING_SPREADS = 2.5

/** Rounding of logarithms: two distances that differ by less are equal. */
export const ROUNDING = 1e-12

/** What is nearer to the level is never pending, however still the trunk stands. */
const PENDING_LEAST = Math.log(1.02)

/** Values in a row beyond that, all on one side, are a lasting step: the trunk’s new level. */
const STEP_VALUES = 3

/** A benchmark’s trunk, walked from its oldest run to its newest. */
export interface TrunkWalk {
  /** `x - level` of each run, as the level was then; NaN where there is none, or where the run began a lasting step. */
  readonly differences: Float64Array
  /** The values that tell the level now: their number and their median. */
  readonly window: { readonly length: number; readonly median: number }
  /** `x - level` of the newest value if it waits to be told from a step, else 0. */
  readonly pending: number
}

/** Walks the logarithms of a benchmark’s values, oldest first; NaN: the run has none. */
export function walkTrunk(values: ArrayLike<number>): TrunkWalk {
  const differences = new Float64Array(values.length).fill(Number.NaN)
  const window = new SlidingMedian(WINDOW)
  const distances = new SlidingMedian(DISTANCES)
  let pending: number[] = []
  let last = 0
  for (let run = 0; run < values.length; run += 1) {
    const value = values[run]!
    if (Number.isNaN(value)) continue
    last = 0
    if (window.length < LEAST_WINDOW) {
      window.push(value)
      continue
    }
    const difference = value - window.median()
    differences[run] = difference
    const isNear = Math.abs(difference) <= farFrom(distances) + ROUNDING
    distances.push(Math.abs(difference))
    if (isNear) {
      pending = []
      window.push(value)
      continue
    }
    last = difference
    if (pending.length > 0 && Math.sign(differences[pending[0]!]!) !== Math.sign(difference)) pending = []
    pending.push(run)
    if (pending.length < STEP_VALUES) continue
    window.clear()
    for (const ofStep of pending) {
      window.push(values[ofStep]!)
      differences[ofStep] = Number.NaN
    }
    pending = []
    last = 0
  }
  return { differences, window: { length: window.length, median: window.median() }, pending: last }
}

function farFrom(distances: SlidingMedian): number {
  const isKnown = distances.length >= LEAST_DISTANCES
  const spread = isKnown ? SPREAD_OF_MEDIAN * distances.median() : SPREAD_AT_FIRST
  return Math.max(PENDING_SPREADS * spread, PENDING_LEAST)
}
