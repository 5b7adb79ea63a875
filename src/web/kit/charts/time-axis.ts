import type { Tick } from './linear-axis.ts'

/** A time axis in UTC with ticks at hours, days or months. */

export interface TimeAxis {
  /** Milliseconds since 1970. */
  readonly low: number
  readonly high: number
  /** At beginnings of days or months in UTC, or of hours where all is of one day. */
  readonly ticks: readonly Tick[]
  /** Per cent of the way along the axis. */
  position(time: number): number
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** The step between two ticks: hours, days or months. */
type Step = { readonly unit: 'hour' | 'day' | 'month'; readonly size: number }

const STEPS: readonly Step[] = [
  ...[1, 3, 6, 12].map((size) => ({ unit: 'hour', size }) as const),
  ...[1, 2, 7, 14].map((size) => ({ unit: 'day', size }) as const),
  ...[1, 2, 3, 6, 12].map((size) => ({ unit: 'month', size }) as const),
]

const LENGTHS = { hour: HOUR, day: DAY, month: 30.44 * DAY }

/** Labels of that many fit on a phone. */
const MOST_TICKS = 6

/** The share of the range that is left free at both ends, so that no point lies on an edge. */
const MARGIN = 0.015

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** An axis that holds both times, in milliseconds. */
export function timeAxis(first: number, last: number): TimeAxis {
  const pad = Math.max((last - first) * MARGIN, first === last ? 12 * HOUR : 1)
  const [low, high] = [first - pad, last + pad]
  const position = (time: number) => Math.max(0, Math.min(100, ((time - low) / (high - low)) * 100))
  const step = STEPS.find(({ unit, size }) => (high - low) / (LENGTHS[unit] * size) <= MOST_TICKS) ?? STEPS.at(-1)!
  return {
    low,
    high,
    ticks: ticksOf(low, high, step).map((at) => ({ at: position(at), label: label(at, step) })),
    position,
  }
}

function ticksOf(low: number, high: number, { unit, size }: Step): number[] {
  const ticks: number[] = []
  if (unit === 'month') {
    const from = new Date(low)
    // In whole years from January on, so that quarters begin where they do.
    for (let month = 0; ; month += size) {
      const at = Date.UTC(from.getUTCFullYear(), month)
      if (!(at <= high)) return ticks
      if (at >= low) ticks.push(at)
      if (ticks.length > 2 * MOST_TICKS) return ticks
    }
  }
  const length = LENGTHS[unit] * size
  // Weeks begin on Monday: 1970 began on a Thursday.
  const shift = unit === 'day' && size % 7 === 0 ? 4 * DAY : 0
  for (let at = Math.ceil((low - shift) / length) * length + shift; at <= high; at += length) ticks.push(at)
  return ticks
}

function label(time: number, { unit }: Step): string {
  const date = new Date(time)
  const [month, day] = [MONTHS[date.getUTCMonth()]!, date.getUTCDate()]
  if (unit === 'hour' && time % DAY !== 0) return date.toISOString().slice(11, 16)
  if (unit !== 'month') return `${month}\u00a0${day}`
  return date.getUTCMonth() === 0 ? String(date.getUTCFullYear()) : month
}
