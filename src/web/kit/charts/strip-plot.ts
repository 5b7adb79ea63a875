import type { Side } from '../../../intake/measurement/run.ts'
import { xmlText } from '../../../judge/profile/xml-text.ts'
import { counted, signedPercent, thresholdPercent, values as valueWords } from '../../../text/numbers.ts'
import { linearAxis } from './linear-axis.ts'
import { coordinate, MARKER_RADIUS, marker } from './plot-area.ts'

/** The samples of both sides of a row, as SVG. */

export interface StripPlotInput {
  /** The beginning of the ids in the SVG: letters, digits and hyphens, unique on the page. */
  readonly id: string
  /** The title of the chart, as text. */
  readonly title: string
  /** The name of the axis: the metric, as text. */
  readonly metric: string
  /** `s`, `bytes`, another one's name as text, or null. */
  readonly unit: string | null
  /** In the order of the repetitions; what is no finite number is left out. */
  readonly old: readonly number[]
  readonly new: readonly number[]
  readonly oldMedian: number | null
  readonly newMedian: number | null
  /** The smallest difference that is called a change, a fraction of the old median; null: no band. */
  readonly changedThreshold: number | null
  /** The jobs of a head that was measured alone: the old median is the trunk's level, the new one that of all these jobs. */
  readonly jobs?: number
}

/** More dots of a side are a blot; these are chosen evenly by rank, the smallest and the largest among them. */
const MOST_DOTS = 300

/** A fraction of the old median; beyond it the samples are one dot. */
const WIDEST_BAND = 1e6

/** Pixels from the top. */
const BAND_TOP = 20
const ROW_HEIGHT = 62
const TITLE_IN_ROW = 14
const LANES_IN_ROW = 40
/** The distance from the foot of a name to its row. */
const BELOW_TITLE = 5
const AXIS = BAND_TOP + 2 * ROW_HEIGHT + 6
const HEIGHT = AXIS + 40

/** Places for a dot that would lie on another one, in this order. Pixels from the middle of the row. */
const LANES = [0, 5, -5, 10, -10, 15, -15]

/** Dots closer than this lie on each other, in per cent of a plot of 600 pixels. */
const TOO_CLOSE = (MARKER_RADIUS * 200) / 600

/**
 * The samples of one query as dots on two lines, old above new, with the medians and the band around the old one within which
 * a difference is not called a change. Plain SVG that grows with its place and not its text; the same values give the same
 * picture. null where there is nothing to draw.
 */
export function stripPlot(given: StripPlotInput): string | null {
  const input = { ...given, oldMedian: finiteOrNull(given.oldMedian), newMedian: finiteOrNull(given.newMedian) }
  const sides = { old: dotsOf(input.old), new: dotsOf(input.new) }
  const band = bandOf(input)
  const drawn = [...sides.old, ...sides.new].map(({ value }) => value)
  if (drawn.length === 0) return null
  const medians = [input.oldMedian, input.newMedian].filter((value) => value !== null)
  const axis = linearAxis([...drawn, ...medians, ...(band ?? [])], input.unit)

  return `<svg class="chart strip" role="img" aria-labelledby="${input.id}-title" aria-describedby="${input.id}-desc" width="100%" height="${HEIGHT}">
<title id="${input.id}-title">${xmlText(input.title)}</title>
<desc id="${input.id}-desc">${xmlText(describe(input, band))}</desc>
${band === null ? '' : drawBand(band, axis.position, input)}
${axis.ticks.map(({ at, label }) => drawTick(at, label)).join('')}
<text class="unit" x="100%" y="${AXIS + 33}" text-anchor="end">${xmlText(axis.unit === '' ? input.metric : `${input.metric}, ${axis.unit}`)}</text>
<line class="axis" x1="0" x2="100%" y1="${AXIS}" y2="${AXIS}"/>
${drawRow('old', sides.old, input, axis.position)}
${drawRow('new', sides.new, input, axis.position)}
</svg>`
}

function finiteOrNull(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null
}

interface Dot {
  readonly value: number
  /** 0-based. */
  readonly repetition: number
}

/** By value, so that the lanes do not depend on the order of the repetitions. */
function dotsOf(samples: readonly number[]): Dot[] {
  const dots = samples
    .map((value, repetition) => ({ value, repetition }))
    .filter(({ value }) => Number.isFinite(value))
    .sort((a, b) => a.value - b.value || a.repetition - b.repetition)
  if (dots.length <= MOST_DOTS) return dots
  return Array.from(
    { length: MOST_DOTS },
    (_, index) => dots[Math.round((index * (dots.length - 1)) / (MOST_DOTS - 1))]!,
  )
}

type Band = readonly [low: number, high: number]

function bandOf({ oldMedian, changedThreshold }: StripPlotInput): Band | null {
  if (oldMedian === null || changedThreshold === null || !(changedThreshold > 0 && changedThreshold < WIDEST_BAND)) {
    return null
  }
  const half = Math.abs(oldMedian) * changedThreshold
  // A measured value is not below 0: a threshold above 100% ends there.
  const low = oldMedian - half
  const band = [oldMedian > 0 ? Math.max(0, low) : low, oldMedian + half] as const
  return half > 0 && band.every(Number.isFinite) ? band : null
}

function drawBand(
  [low, high]: Band,
  position: (value: number) => number,
  { changedThreshold, jobs }: StripPlotInput,
): string {
  const of = jobs === undefined ? 'old median' : 'baseline'
  const [from, to] = [position(low), position(high)]
  const middle = (from + to) / 2
  const [x, anchor] = middle < 30 ? [from, 'start'] : middle > 70 ? [to, 'end'] : [middle, 'middle']
  const edge = (at: number) => upright('edge', `${coordinate(at)}%`, AXIS)
  return `<rect class="band" x="${coordinate(from)}%" y="${BAND_TOP}" width="${coordinate(to - from)}%" height="${AXIS - BAND_TOP}"/>${edge(from)}${edge(to)}
<text x="${coordinate(x)}%" y="${BAND_TOP - 6}" text-anchor="${anchor}">${xmlText(`${of} ± ${thresholdPercent(changedThreshold!)}`)}</text>`
}

/** A line through both rows that leaves out where their names stand. */
function upright(kind: string, x: string, bottom: number): string {
  const names = [BAND_TOP, BAND_TOP + ROW_HEIGHT]
  return names
    .map((top, index) => {
      const end = names[index + 1] ?? bottom
      return `<line class="${kind}" x1="${x}" x2="${x}" y1="${top + TITLE_IN_ROW + BELOW_TITLE}" y2="${end}"/>`
    })
    .join('')
}

function drawTick(at: number, label: string): string {
  const anchor = at < 6 ? 'start' : at > 94 ? 'end' : 'middle'
  const x = coordinate(at)
  return `${upright('grid', `${x}%`, AXIS + 4)}<text class="tick" x="${x}%" y="${AXIS + 17}" text-anchor="${anchor}">${label}</text>`
}

function drawRow(side: Side, dots: readonly Dot[], input: StripPlotInput, position: (value: number) => number): string {
  const top = BAND_TOP + (side === 'old' ? 0 : ROW_HEIGHT)
  const middle = top + LANES_IN_ROW
  const median = side === 'old' ? input.oldMedian : input.newMedian
  const words = (value: number) => valueWords([value], input.unit)
  const markers = spread(dots.map(({ value }) => position(value))).map(([x, offset], index) =>
    marker(
      side,
      x,
      middle + offset,
      `${side}, repetition ${dots[index]!.repetition + 1}: ${words(dots[index]!.value)}`,
    ),
  )
  const at = median === null ? null : coordinate(position(median))
  const title = titleOf(side, input, median === null ? null : words(median))
  return `<line class="row" x1="0" x2="100%" y1="${middle}" y2="${middle}"/>${markers.join('')}${at === null ? '' : `<line class="median ${side}" x1="${at}%" x2="${at}%" y1="${middle - 19}" y2="${middle + 19}"/>`}
<text class="side" x="2" y="${top + TITLE_IN_ROW}">${xmlText(title)}</text>`
}

function titleOf(side: Side, input: StripPlotInput, median: string | null): string {
  const { jobs } = input
  if (jobs !== undefined && side === 'old') return median === null ? 'no baseline' : `baseline: ${median}`
  const samples = counted(input[side].length, 'sample', 'samples')
  if (median === null) return `${side}: ${samples}`
  if (jobs === undefined || jobs === 1) return `${side}: ${samples}, median ${median}`
  return `${side}: ${samples} of the newest job, ${median} in ${jobs} jobs`
}

/** Positions in ascending order, each with a lane in which no other dot is near; where all lanes are full, the middle. */
function spread(positions: readonly number[]): (readonly [x: number, offset: number])[] {
  const last = LANES.map(() => Number.NEGATIVE_INFINITY)
  return positions.map((x) => {
    const free = last.findIndex((before) => x - before >= TOO_CLOSE)
    const lane = free === -1 ? last.indexOf(Math.min(...last)) : free
    // In a full lane beside the one before, by a third of a dot.
    const shown = free === -1 ? Math.min(99, Math.max(x, last[lane]! + TOO_CLOSE / 3)) : x
    last[lane] = shown
    return [shown, LANES[lane]!] as const
  })
}

function describe(input: StripPlotInput, band: Band | null): string {
  const { unit, oldMedian, newMedian } = input
  const sentences =
    input.jobs === undefined
      ? [sideWords('Old', input.old, oldMedian, unit), sideWords('New', input.new, newMedian, unit)]
      : [
          oldMedian === null ? 'There is no baseline.' : `The baseline is ${valueWords([oldMedian], unit)}.`,
          sideWords('New', input.new, null, unit),
        ]
  if (oldMedian !== null && newMedian !== null && oldMedian !== 0) {
    const difference = (newMedian - oldMedian) / oldMedian
    if (Math.abs(difference) < Number.MAX_VALUE / 1e3)
      sentences.push(
        `${input.jobs === undefined ? 'The medians differ' : 'They differ'} by ${signedPercent(difference)}.`,
      )
  }
  if (band !== null) {
    const [low, high] = band
    sentences.push(
      `A new median within ${thresholdPercent(input.changedThreshold!)} of ${input.jobs === undefined ? 'the old one' : 'the baseline'}, between ${valueWords([low, high], unit)}, is not called a change.`,
    )
  }
  return sentences.join(' ')
}

function sideWords(name: string, samples: readonly number[], median: number | null, unit: string | null): string {
  const finite = samples.filter(Number.isFinite)
  if (finite.length === 0) return `${name}: no samples.`
  const least = finite.reduce((low, value) => Math.min(low, value))
  const most = finite.reduce((high, value) => Math.max(high, value))
  const left = samples.length - finite.length
  const shown = finite.length > MOST_DOTS ? `, ${MOST_DOTS} of them drawn` : ''
  return `${name}: ${counted(finite.length, 'sample', 'samples')} between ${valueWords([least, most], unit)}${median === null ? '' : `, median ${valueWords([median], unit)}`}${shown}${left === 0 ? '' : `; ${counted(left, 'value that isn’t a number is', 'values that aren’t numbers are')} not drawn`}.`
}
