import { scaleOf } from '../../../text/numbers.ts'

/** A linear axis with round ticks. */

export interface Tick {
  /** Per cent of the way along the axis, 0 to 100. */
  readonly at: number
  /** A plain number, in the axis's `unit`. */
  readonly label: string
}

export interface LinearAxis {
  readonly low: number
  readonly high: number
  readonly ticks: readonly Tick[]
  /** The unit of the tick labels: `ms`, `MiB`, another one's name or empty. */
  readonly unit: string
  /** Per cent of the way along the axis. */
  readonly position: (value: number) => number
}

/** The share of the range that is left free at both ends, so that no dot lies on an edge. */
const MARGIN = 0.04

/**
 * An axis that holds all values, with some three to six ticks at round numbers of a unit that fits. `unit` is that of the
 * values: `s`, `bytes`, another one's name or null. Values are finite; there is at least one.
 */
export function linearAxis(values: readonly number[], unit: string | null): LinearAxis {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) {
    least = Math.min(least, value)
    most = Math.max(most, value)
  }
  // Halves first: the difference of the largest and the smallest number there are is none.
  const spread = most / 2 - least / 2
  const pad = spread === 0 ? Math.abs(most) * 0.05 || 1 : spread * 2 * MARGIN
  const low = finite(least - pad)
  const high = finite(most + pad)
  const half = high / 2 - low / 2
  // Half of the smallest number there is is none: values that close are at one place.
  const position = (value: number) => (half > 0 ? Math.max(0, Math.min(100, ((value / 2 - low / 2) / half) * 100)) : 50)
  // Equal values have one tick, at them.
  const scale = scaleOf([Math.max(Math.abs(least), Math.abs(most))], unit)
  const ticks =
    spread === 0
      ? [{ at: position(most), label: label(most / scale.factor, roundStep(Math.abs(most / scale.factor) / 100)) }]
      : ticksOf(low, high, scale.factor, position)
  return { low, high, ticks, unit: scale.name, position }
}

function finite(value: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value))
}

/** Intervals that are aimed at: the labels of five fit on a phone. */
const INTERVALS = 4

function ticksOf(low: number, high: number, factor: number, position: LinearAxis['position']): Tick[] {
  const [from, to] = [low / factor, high / factor]
  const step = roundStep(to / INTERVALS - from / INTERVALS)
  if (!(step > 0) || !Number.isFinite(step)) return []
  const first = Math.ceil(from / step)
  const last = Math.floor(to / step)
  // Neighbouring ticks are the same number from 2^53 steps on, and counting them would not end.
  if (!(last - first <= INTERVALS * 3) || !Number.isSafeInteger(first) || !Number.isSafeInteger(last)) return []
  const ticks: Tick[] = []
  for (let index = first; index <= last; index++) {
    ticks.push({ at: position(index * step * factor), label: label(index * step, step) })
  }
  return ticks
}

/** 1, 2 or 5 times a power of ten. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step))
  const digit = step / power
  return (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10) * power
}

function label(value: number, step: number): string {
  if (value === 0 && !(step > 0)) return '0'
  const size = Math.max(Math.abs(value), step)
  if (size >= 1e7 || step < 1e-6)
    return value === 0 ? '0' : Number(value.toPrecision(12)).toExponential().replace('e+', 'e')
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9))
  return value
    .toFixed(digits)
    .replace(/^-(?=0(?:\.0*)?$)/, '')
    .replace(/\B(?<!\.\d*)(?=(?:\d{3})+(?!\d))/g, ',')
}
