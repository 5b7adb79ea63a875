import type { Release } from '../../../inbox/releases.ts'
import type { TrunkPoint, TrunkStep } from '../../../judge/history/trunk-series.ts'
import { xmlText } from '../../../judge/profile/xml-text.ts'
import { count, counted, day, signedPercent, values as valueWords } from '../../../text/numbers.ts'
import { historyColumns, MOST_POINTS } from './history-columns.ts'
import { type LinearAxis, linearAxis } from './linear-axis.ts'
import { across, acrossPage, coordinate, dots, down, grid, type PlotArea, stretched } from './plot-area.ts'
import { drawReleases, releaseWords } from './release-marks.ts'
import { type TimeAxis, timeAxis } from './time-axis.ts'

/** The chart of a query’s history on the trunk, as SVG without a script. */

export interface HistoryChartInput {
  /** The beginning of the ids in the SVG: letters, digits and hyphens, unique on the page. */
  readonly id: string
  /** The title of the chart, as text. */
  readonly title: string
  /** The name of the axis: the metric, as text. */
  readonly metric: string
  /** `s`, `bytes`, another one's name as text, or null. */
  readonly unit: string | null
  /** In the order of time. One whose new side is no positive number was not measured and is not drawn. */
  readonly points: readonly TrunkPoint[]
  readonly steps: readonly TrunkStep[]
  /** The numbers of those that somebody accepted, from 0. */
  readonly accepted?: ReadonlySet<number>
  /** The releases within the time of the points, the oldest first. */
  readonly releases?: readonly Release[]
  /** Of the pull request that the reader comes from; absent or null: of none. */
  readonly own?: OwnValue | null
}

/** What a head of a pull request measured, beside the trunk's history. */
export interface OwnValue {
  readonly pullRequest: number
  /** Full commit id. */
  readonly head: string
  /** The median of the new build, in the unit of the history. */
  readonly value: number
  /** Milliseconds since 1970. One outside of the history stands at its edge. */
  readonly time: number
}

/** Lanes of labels above the points, and their pixels. */
const LANES = 3
const LANE_HEIGHT = 16
const AREA: PlotArea = { top: 24 + LANES * LANE_HEIGHT, bottom: 330 }
const HEIGHT = AREA.bottom + 24

/** Per cent of the drawing on a phone that a character of a label takes. */
const CHARACTER = 2.3

/** Points that are drawn: whose new side was measured. */
export function drawnPoints(points: readonly TrunkPoint[]): TrunkPoint[] {
  return points.filter((point) => Number.isFinite(point.new) && point.new > 0 && Number.isFinite(point.time))
}

/** The time axis of a history, the same for all of its charts; null without a point. */
export function axisOfHistory(points: readonly TrunkPoint[]): TimeAxis | null {
  const drawn = drawnPoints(points)
  if (drawn.length === 0) return null
  return timeAxis(
    drawn.reduce((least, { time }) => Math.min(least, time), Number.POSITIVE_INFINITY),
    drawn.reduce((most, { time }) => Math.max(most, time), Number.NEGATIVE_INFINITY),
  )
}

/**
 * The new medians of a query over time, the band around each old median within which a run has not moved,
 * and the steps: window and interval shaded, the levels as lines, each with its number. Plain SVG; the same history gives the
 * same picture. null where there is nothing to draw.
 */
export function historyChart(input: HistoryChartInput): string | null {
  const drawn = drawnPoints(input.points)
  const x = axisOfHistory(drawn)
  if (x === null) return null
  const own = input.own ?? null
  const values = [...drawn.map((point) => point.new), ...input.steps.flatMap(levelsOf)]
  const y = linearAxis(own === null ? values : [...values, own.value], input.unit)
  const columns = historyColumns(drawn.map((point) => ({ x: x.position(point.time), value: point.new })))
  const at = (column: (typeof columns)[number]) => [across(column.x), down(y.position(column.middle), AREA)] as const
  const isTogether = drawn.length > MOST_POINTS
  const shapes = [
    input.steps.map((step) => drawWindow(step, x)).join(''),
    drawBand(drawn, x, y),
    isTogether ? drawRanges(columns, y) : '',
    dots(isTogether ? 'points middles' : 'points', columns.map(at)),
    drawLevels(input.steps, x, y),
    own === null ? '' : `<path class="pull" d="M0 ${down(y.position(own.value), AREA)}H${across(100)}"/>`,
  ]
  return `<svg class="chart history" role="img" aria-labelledby="${input.id}-title ${input.id}-desc" width="100%" height="${HEIGHT}">
<title id="${input.id}-title">${xmlText(input.title)}</title>
<desc id="${input.id}-desc">${xmlText(historyWords(input))}</desc>
<text class="unit" x="0" y="12">${xmlText(y.unit === '' ? input.metric : `${input.metric}, ${y.unit}`)} ↑</text>
${grid(x, y, AREA)}
${stretched(shapes.join(''), AREA)}
${drawReleases(input.releases ?? [], x, AREA)}${drawLabels(input.steps, x, input.accepted ?? new Set())}${own === null ? '' : drawOwn(own, input.unit, x, y)}
</svg>`
}

function levelsOf({ before, after }: TrunkStep): number[] {
  return [before, after].filter(Number.isFinite)
}

function directionOf({ step }: TrunkStep): 'slower' | 'faster' {
  return step > 0 ? 'slower' : 'faster'
}

/** The window from the last good to the first bad commit, within the wider interval of where it may have been. */
function drawWindow(step: TrunkStep, x: TimeAxis): string {
  const rectangle = (kind: string, from: number, to: number) => {
    const [left, right] = [across(x.position(from)), across(x.position(to))]
    // A window of an hour is still to be seen among months.
    const width = Math.max(right - left, 24)
    return `<rect class="${kind}" x="${left - (width - (right - left)) / 2}" y="0" width="${width}" height="${AREA.bottom - AREA.top}"/>`
  }
  const { earliest, latest, lastGood, firstBad } = step
  return `${rectangle('interval', earliest.time, latest.time)}${rectangle(`window ${directionOf(step)}`, lastGood.time, firstBad.time)}`
}

/** The line from run to run passes over runs without a known threshold. */
function drawBand(drawn: readonly TrunkPoint[], x: TimeAxis, y: LinearAxis): string {
  const low = historyColumns(edgePoints(drawn, x, -1))
  const high = historyColumns(edgePoints(drawn, x, 1))
  if (low.length === 0) return ''
  const corner = (at: number, value: number) => `${across(at)} ${down(y.position(value), AREA)}`
  // The bound of the column's median run: a single wide one would hide the others.
  const upper = high.map((column) => corner(column.x, column.middle))
  const lower = low.map((column) => corner(column.x, column.middle)).reverse()
  return `<path class="noise" d="M${[...upper, ...lower].join('L')}Z"/>`
}

function edgePoints(drawn: readonly TrunkPoint[], x: TimeAxis, sign: 1 | -1) {
  return drawn.flatMap(({ time, old, threshold }) => {
    if (threshold === null || !(old > 0)) return []
    // A time is not below 0: a threshold above 100% ends there.
    const value = Math.max(0, old * (1 + sign * threshold))
    return Number.isFinite(value) ? [{ x: x.position(time), value }] : []
  })
}

function drawRanges(columns: ReturnType<typeof historyColumns>, y: LinearAxis): string {
  const lines = columns.map(({ x, low, high }) => {
    return `M${across(x)} ${down(y.position(low), AREA)}V${down(y.position(high), AREA)}`
  })
  return `<path class="ranges" d="${lines.join('')}"/>`
}

/** The level after each step until it is back or the next one comes, and the one before the first. */
function drawLevels(steps: readonly TrunkStep[], x: TimeAxis, y: LinearAxis): string {
  const line = (from: number, to: number, value: number) =>
    Number.isFinite(value)
      ? `M${across(x.position(from))} ${down(y.position(value), AREA)}H${across(x.position(to))}`
      : ''
  const lines = steps.map((step, index) => {
    const before = index === 0 ? line(x.low, step.lastGood.time, step.before) : ''
    const end = step.recovered?.time ?? steps[index + 1]?.lastGood.time ?? x.high
    return before + line(step.firstBad.time, end, step.after)
  })
  return lines.length === 0 ? '' : `<path class="level" d="${lines.join('')}"/>`
}

interface Label {
  readonly at: number
  /** The second where the first has no room. */
  readonly texts: readonly [string, string]
  readonly kind: string
}

/** `1: +18.7%` at the first bad run, `1: +18.7%, accepted` where somebody did, `1 is back` where it recovered; the number alone where there is no room. */
function drawLabels(steps: readonly TrunkStep[], x: TimeAxis, accepted: ReadonlySet<number>): string {
  const labels = steps.flatMap((step, index): Label[] => {
    const number = String(index + 1)
    const at = x.position(step.firstBad.time)
    const kind = `step ${directionOf(step)}${accepted.has(index) ? ' accepted' : ''}`
    const size = `${number}: ${signedPercent(step.step)}`
    const label: Label = { at, texts: [accepted.has(index) ? `${size}, accepted` : size, number], kind }
    if (step.recovered === null) return [label]
    const back = x.position(step.recovered.time)
    return [label, { at: back, texts: [`${number} is back`, ''], kind: 'recovered' }]
  })
  const ends = Array.from({ length: LANES }, () => Number.NEGATIVE_INFINITY)
  return (
    labels
      // A step that is another one's way back is said first.
      .toSorted((a, b) => a.at - b.at || Number(a.kind === 'recovered') - Number(b.kind === 'recovered'))
      .map(({ at, texts, kind }) => {
        const placed = texts.map((text) => placeIn(ends, at, text)).find(({ lane }) => lane !== -1)
        const place = coordinate(acrossPage(at))
        const top = placed === undefined ? AREA.top : AREA.top - 8 - placed.lane * LANE_HEIGHT
        const line = `<line class="${kind}" x1="${place}%" x2="${place}%" y1="${top}" y2="${AREA.bottom}"/>`
        if (placed === undefined || placed.text === '') return line
        ends[placed.lane] = placed.end
        return `${line}<text class="label" x="${place}%" dx="${placed.isLeft ? -4 : 4}" y="${top + 4}" text-anchor="${placed.isLeft ? 'end' : 'start'}">${xmlText(placed.text)}</text>`
      })
      .join('')
  )
}

/** A square on its tip, as nothing else in the chart, with the number of the pull request left of it. */
function drawOwn(own: OwnValue, unit: string | null, x: TimeAxis, y: LinearAxis): string {
  const place = `${coordinate(acrossPage(x.position(own.time)))}%`
  const top = coordinate(AREA.top + down(y.position(own.value), AREA))
  const words = `#${own.pullRequest}: ${valueWords([own.value], unit)}`
  return `<svg class="pull" x="${place}" y="${top}" overflow="visible"><path d="${OWN_SHAPE}"/></svg><text class="label" x="${place}" dx="-10" y="${top}" dy="-6" text-anchor="end">${xmlText(words)}</text>`
}

/** Around its middle. */
export const OWN_SHAPE = 'M0-7L7 0L0 7L-7 0Z'

/** In the first lane where it has room beside its line, left of it at the right edge; lane -1 where there is none. */
function placeIn(ends: readonly number[], at: number, text: string) {
  const width = text.length * CHARACTER
  const isLeft = at + width > 100
  const from = isLeft ? at - width : at
  return { text, isLeft, end: from + width, lane: ends.findIndex((end) => end + 1 < from) }
}

/** The chart in sentences, for whoever does not see it. */
export function historyWords({ points, steps, metric, unit, releases = [], own }: HistoryChartInput): string {
  const drawn = drawnPoints(points)
  if (drawn.length === 0) return 'No run.'
  const [first, last] = [drawn[0]!, drawn.at(-1)!]
  const news = drawn.map((point) => point.new)
  const least = news.reduce((a, b) => Math.min(a, b))
  const most = news.reduce((a, b) => Math.max(a, b))
  const left = points.length - drawn.length
  const sentences = [
    `${counted(drawn.length, 'run', 'runs')} ${daysOf(first, last)}, ${metric} of the new build between ${valueWords([least, most], unit)}.`,
  ]
  if (left > 0)
    sentences.push(`${counted(left, 'run has', 'runs have')} no value and ${left === 1 ? 'is' : 'are'} not drawn.`)
  sentences.push(
    steps.length === 0
      ? 'No lasting step.'
      : `${counted(steps.length, 'lasting step', 'lasting steps')}: ${steps
          .slice(0, 5)
          .map(
            (step) =>
              `${signedPercent(step.step)} on ${day(step.firstBad.time, last.time)}${step.recovered === null ? '' : `, back on ${day(step.recovered.time, last.time)}`}`,
          )
          .join('; ')}${steps.length > 5 ? `; and ${count(steps.length - 5)} more` : ''}.`,
  )
  if (releases.length > 0) sentences.push(releaseWords(releases, last.time))
  if (own) sentences.push(`#${own.pullRequest} at ${own.head.slice(0, 7)}: ${valueWords([own.value], unit)}.`)
  return sentences.join(' ')
}

function daysOf(first: TrunkPoint, last: TrunkPoint): string {
  const [from, to] = [day(first.time, last.time), day(last.time, last.time)]
  return from === to ? `on ${to}` : `from ${from} to ${to}`
}
