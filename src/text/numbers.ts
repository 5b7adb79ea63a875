import { isoTime } from './time.ts'

/** Numbers as a person reads them. For display only: nothing is computed from what these return. */

// Keeps a number and its unit on one line of a phone.
const NBSP = '\u00a0'

/** Wider than a hyphen, and no line breaks after it. */
export const MINUS = '\u2212'

/** `2,034` */
export function count(value: number): string {
  return groupThousands(String(value))
}

/** `1 query`, `2,034 queries` */
export function counted(value: number, one: string, many: string): string {
  return `${count(value)} ${value === 1 ? one : many}`
}

/** `a`, `a and b`, `a, b and c` */
export function list(items: readonly string[]): string {
  if (items.length < 2) return items.join('')
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
}

/** A difference with its sign: `+18.7%`, `−0.04%`, `+2,225%`; from a thousand times on the ratio, `7,200,000×`. */
export function signedPercent(fraction: number): string {
  if (fraction >= MANY_TIMES) return `${groupThousands(significantNumber(1 + fraction, 2))}×`
  return `${fraction > 0 ? '+' : fraction < 0 ? MINUS : ''}${percent(Math.abs(fraction))}`
}

/** Percentages from here on have six digits and more, which nobody reads: `100,000%`. */
const MANY_TIMES = 1000

/** A fraction of 0 or more: `5%`, `4.1%`, `138%`, `0.04%`; `over 1,000 times` from there on. */
export function percent(fraction: number): string {
  const value = fraction * 100
  if (fraction >= MANY_TIMES) return `over ${count(MANY_TIMES)}${NBSP}times`
  const digits = value >= 99.95 ? 0 : value === 0 || value >= 0.095 ? 1 : 2
  return `${groupThousands(value.toFixed(digits))}%`
}

/** Two fractions of 0 or more as a range: `14–22%`, `0–1.1%`. One digit after the point where the upper one is small. */
export function percentRange(low: number, high: number): string {
  const digits = high < 0.0995 ? 1 : 0
  const [from, to] = [low, high].map((fraction) => (fraction * 100).toFixed(digits).replace(/\.0$/, ''))
  return from === to ? `${to}%` : `${from}–${to}%`
}

/** A chance: `3.2%`, `0.04%`, 'below 0.01%'. */
export function chancePercent(chance: number): string {
  return chance < 0.0001 ? 'below 0.01%' : percent(chance)
}

/** A threshold as it was set: `5%`, `7.5%`. */
export function thresholdPercent(fraction: number): string {
  return percent(fraction).replace(/\.0(?=%)/, '')
}

/** How often something of this share comes: `1 time in 20`; `3% of the time` where it is no whole number of times. */
export function howOften(share: number): string {
  const every = Math.round(1 / share)
  const isWhole = every >= 2 && every < 1e6 && Math.abs(1 / share - every) < 1e-6
  return isWhole ? `1 time in ${count(every)}` : `${thresholdPercent(share)} of the time`
}

/** The ratio of a change of three times and more: `23×`; of a fall to a third and less: `1/23`; else null. */
export function times(old: number, fresh: number): string | null {
  if (old <= 0 || fresh <= 0) return null
  if (fresh / old >= 3) return `${groupThousands(significantNumber(fresh / old, 2))}×`
  if (old / fresh >= 3) return `1/${groupThousands(significantNumber(old / fresh, 2))}`
  return null
}

/** The same whichever way it went: `23×`. */
export function timesApart(old: number, fresh: number): string | null {
  return fresh < old ? times(fresh, old) : times(old, fresh)
}

/** A p-value: `0.012`, `0.0006`, `< 0.0001`; one above 0.1 with two digits. */
export function pValue(p: number): string {
  if (p < 0.0001) return `<${NBSP}0.0001`
  return p >= 0.1 ? p.toFixed(2) : significantNumber(p, 2)
}

/** `+300% (4.0×)`: how far a median moved, with the ratio where that is easier to grasp and not the same again. */
export function moved(difference: number, old: number | null, fresh: number | null): string {
  const ratio = old === null || fresh === null || difference >= MANY_TIMES ? null : times(old, fresh)
  return `${signedPercent(difference)}${ratio === null ? '' : ` (${ratio})`}`
}

/**
 * `282 → 672 ms`: three significant digits, one unit for both. The unit is `s`, `bytes`, another one's name or null.
 * `canBreak` lets a narrow column break it after the arrow.
 */
export function change(old: number, fresh: number, unit: string | null, canBreak = true): string {
  const scale = scaleOf([old, fresh], unit)
  return `${scaled(old, scale)}${NBSP}→${canBreak ? ' ' : NBSP}${scaled(fresh, scale)}${scale.name === '' ? '' : NBSP + scale.name}`
}

/** `13.0 and 18.0 ms`: the same for values side by side. */
export function values(all: readonly number[], unit: string | null): string {
  const scale = scaleOf(all, unit)
  return `${list(all.map((value) => scaled(value, scale)))}${scale.name === '' ? '' : NBSP + scale.name}`
}

/** A unit to show values in: divide by `factor`, write `name` behind. */
export interface Scale {
  readonly factor: number
  readonly name: string
}

const TIMES: readonly Scale[] = [
  { factor: 1, name: 's' },
  { factor: 1e-3, name: 'ms' },
  { factor: 1e-6, name: 'µs' },
  { factor: 1e-9, name: 'ns' },
]

const SIZES: readonly Scale[] = [
  { factor: 2 ** 40, name: 'TiB' },
  { factor: 2 ** 30, name: 'GiB' },
  { factor: 2 ** 20, name: 'MiB' },
  { factor: 2 ** 10, name: 'KiB' },
  { factor: 1, name: 'B' },
]

/** Of a plain number: what a counter of a CPU counts has nine digits and more. */
const COUNTS: readonly Scale[] = [
  { factor: 1e9, name: 'G' },
  { factor: 1e6, name: 'M' },
  { factor: 1, name: '' },
]

const RATES: readonly Scale[] = [
  { factor: 1e9, name: 'G/s' },
  { factor: 1e6, name: 'M/s' },
  { factor: 1e3, name: 'k/s' },
  { factor: 1, name: '/s' },
]

const SPEEDS: readonly Scale[] = SIZES.map(({ factor, name }) => ({ factor, name: `${name}/s` }))

const SCALES: Readonly<Record<string, readonly Scale[]>> = {
  s: TIMES,
  bytes: SIZES,
  '1': COUNTS,
  '1/s': RATES,
  'bytes/s': SPEEDS,
}

/** The unit has prefixes and words of its own; any other stands as the source has it. */
export function hasScale(unit: string): boolean {
  return Object.hasOwn(SCALES, unit)
}

/** The scale of the smallest value, so that no side is `0.00`; of the largest where that one would need six digits. */
export function scaleOf(all: readonly number[], unit: string | null): Scale {
  const scales = unit !== null && hasScale(unit) ? SCALES[unit] : undefined
  if (scales === undefined) return { factor: 1, name: unit ?? '' }
  const positive = all.filter((value) => value > 0)
  const fitting = (value: number) => scales.find((scale) => value >= scale.factor * 0.9995) ?? scales.at(-1)!
  if (positive.length === 0) return scales[0]!.factor === 1 ? scales[0]! : scales.at(-1)!
  const small = fitting(Math.min(...positive))
  const largest = Math.max(...positive)
  return largest / small.factor >= 99_950 ? fitting(largest) : small
}

function scaled(value: number, scale: Scale): string {
  return value === 0 ? '0' : groupThousands(significantNumber(value / scale.factor, 3))
}

/** Plain decimals with so many significant digits and no exponent, but for the extremes that nobody measures. */
export function significantNumber(value: number, digits: number): string {
  const size = Math.abs(value)
  if (size < 0.0001 || size >= 1e12) return exponent(value)
  const rounded = Number(value.toPrecision(digits))
  const whole = Math.floor(Math.log10(Math.abs(rounded)) + 1e-9) + 1
  return rounded.toFixed(Math.max(0, digits - whole))
}

function exponent(value: number): string {
  return value.toExponential(2).replace('e+', 'e')
}

// Groups also keep seven digits from looking like a commit to GitHub.
function groupThousands(digits: string): string {
  return digits.includes('e') ? digits : digits.replace(/\B(?<!\.\d*)(?=(?:\d{3})+(?!\d))/g, ',')
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** A day in UTC, `May 28`; with its year where that is not the year of `seenFrom`. Both in milliseconds since 1970. */
export function day(time: number, seenFrom: number): string {
  const date = new Date(time)
  const year = date.getUTCFullYear()
  if (!Number.isFinite(year)) return 'an unknown day'
  const short = `${MONTHS[date.getUTCMonth()]!}${NBSP}${date.getUTCDate()}`
  return year === new Date(seenFrom).getUTCFullYear() ? short : `${short}, ${year}`
}

/** ` on 2026-01-03`, in UTC; nothing for what is no time. */
export function onDay(time: number): string {
  const iso = isoTime(time)
  return iso === null ? '' : ` on ${iso.slice(0, 10)}`
}

/** The minute of a time in UTC: `2026-06-24 10:30 UTC`. */
export function minute(time: number): string {
  const date = new Date(time)
  if (!Number.isFinite(date.getTime())) return 'an unknown time'
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** A duration in its largest fitting unit, rounded: `40 seconds`, `6 minutes`, `3 hours`, `2 days`. */
export function duration(seconds: number): string {
  if (seconds < 120) return counted(Math.round(seconds), 'second', 'seconds')
  if (seconds < 7200) return counted(Math.round(seconds / 60), 'minute', 'minutes')
  if (seconds < 172_800) return counted(Math.round(seconds / 3600), 'hour', 'hours')
  return counted(Math.round(seconds / 86_400), 'day', 'days')
}
