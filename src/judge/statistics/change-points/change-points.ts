import { median } from '../../../intake/measurement/median.ts'
import { DIVISIVE_DEFAULTS, type DivisiveOptions, eDivisive } from './e-divisive.ts'
import { positionInterval } from './position-interval.ts'

/** A lasting step of a series. All positions are 0-based and count points without a value too. */
export interface ChangePoint {
  /** The first point of the new level. */
  readonly index: number
  /** The last point with a value before it. */
  readonly lastGood: number
  /**
   * Medians of the levels before and after, in the unit of the values: of the points from `beforeFrom` up to `lastGood`,
   * and from `index` up to `afterTo`. A level ends at the neighbouring significant points, those below the smallest step
   * too, so that the step is what happened here, not what has come on since.
   */
  readonly before: number
  readonly after: number
  readonly beforeFrom: number
  /** The last point of the level after, itself included. */
  readonly afterTo: number
  /** `(after - before) / |before|`; infinite where `before` is 0 and `after` is not. */
  readonly step: number
  readonly pValue: number
  /** Where the first point of the new level may be. Points without a value widen it: the step may be at one of them. */
  readonly earliest: number
  readonly latest: number
}

/**
 * The lasting steps of a series in the order of time, by `eDivisive`. A value that is not finite is a point where nothing
 * was measured: it is left out, and keeps its position. Time and memory are those of `eDivisive`.
 */
export function changePoints(series: ArrayLike<number>, options: DivisiveOptions = DIVISIVE_DEFAULTS): ChangePoint[] {
  const positions: number[] = []
  for (let i = 0; i < series.length; i += 1) if (Number.isFinite(series[i])) positions.push(i)
  if (positions.length === 0) return []
  const measured = Float64Array.from(positions, (position) => series[position]!)
  const values = inRange(measured)
  const found: ChangePoint[] = []
  for (const { index, pValue, from, to } of eDivisive(values, options)) {
    const before = median(Array.from(measured.subarray(from, index)))
    const after = median(Array.from(measured.subarray(index, to)))
    if (stepSize(before, after) <= MEDIAN_SHARE * options.minStep) continue
    const { earliest, latest } = positionInterval(values, from, to, index)
    found.push({
      index: positions[index]!,
      lastGood: positions[index - 1]!,
      before,
      after,
      beforeFrom: positions[from]!,
      afterTo: positions[to - 1]!,
      step: (after - before) / Math.abs(before),
      pValue,
      earliest: positions[earliest - 1]! + 1,
      latest: positions[latest]!,
    })
  }
  return found
}

/**
 * How much of the smallest step the medians must show. The step of `eDivisive` is one of means, which a spike of a hundred
 * times the rest moves; the medians scatter around it, so that asking for all of it would lose half of the steps of just
 * that size. Equal medians are no step.
 *
 * With 0.05 a step: means 6% and medians 4% apart. None: means 6% and medians 1%.
 */
const MEDIAN_SHARE = 0.5

/** The distance relative to the value that is closer to 0 and is not 0, as in `relativeStep`. */
function stepSize(a: number, b: number): number {
  return a === b ? 0 : Math.abs(b - a) / (Math.min(Math.abs(a), Math.abs(b)) || Math.max(Math.abs(a), Math.abs(b)))
}

/** Sums of squares and differences must not overflow: values beyond this are scaled down, which changes no test. */
const LARGEST = 1e140
/** Values below this are scaled up: their squares must not vanish. */
const SMALLEST = 1e-140

function inRange(values: Float64Array): Float64Array {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  if (largest === 0 || (largest <= LARGEST && largest >= SMALLEST)) return values
  const exponent = Math.floor(Math.log2(largest))
  // Scaled in two steps, because 2 ** -exponent alone can overflow.
  return values.map((value) => value * 2 ** -Math.trunc(exponent / 2) * 2 ** -(exponent - Math.trunc(exponent / 2)))
}
