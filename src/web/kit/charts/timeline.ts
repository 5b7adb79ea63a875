import type { EntryDay } from '../../../judge/ledger/entry-timeline.ts'
import { xmlText } from '../../../judge/profile/xml-text.ts'
import { count, counted, day as dayWords } from '../../../text/numbers.ts'
import { capital } from '../../../text/phrase.ts'
import { DAY } from '../../../text/time.ts'
import { coordinate } from './plot-area.ts'

/** Hits over days, as SVG. */

export interface TimelineMark {
  /** Milliseconds since 1970. */
  readonly time: number
  /** `opened`, `closed`, … */
  readonly label: string
}

export interface TimelineInput {
  /** The beginning of the ids in the SVG: letters, digits and hyphens, unique on the page. */
  readonly id: string
  /** The title of the chart, as text. */
  readonly title: string
  /** Days one after the other, without a gap. */
  readonly days: readonly EntryDay[]
  /** Marks outside of the days are not drawn. */
  readonly marks: readonly TimelineMark[]
  /** A bar upwards is this: `hit in a pull request`, `hits in pull requests`. */
  readonly one: string
  readonly many: string
}

/** Per cent of the width: left of it are the numbers. */
const PLOT_LEFT = 9
/** Pixels. */
const MARK_LANE = 16
const LABEL_SPACE = 14
const PLOT_HEIGHT = 150
/** The height of one hit, where there are few. */
const MOST_UNIT = 36
const AXIS_SPACE = 22
/** The narrowest bar can still be seen. */
const LEAST_BAR = 2

/**
 * Hits per day as bars: those in pull requests upwards and filled, on them the rows of mass failures as outlines, those of
 * the trunk downwards and hatched. Marks are lines with words. null where there is no bar.
 */
export function timelineChart(input: TimelineInput): string | null {
  const { id, days } = input
  const up = Math.max(0, ...days.map(({ pullRequestHits, inMassFailures }) => pullRequestHits + inMassFailures))
  const down = Math.max(0, ...days.map(({ trunkHits }) => trunkHits))
  if (up + down === 0) return null

  const first = days[0]!.start
  const marks = input.marks
    .filter(({ time }) => time >= first && time < first + days.length * DAY)
    .toSorted((a, b) => a.time - b.time)
  const plot = plotOf(days.length, marks.length, up, down)
  const { unit, base, top, bottom, across } = plot
  const ticks = [
    ...ticksOf(up, unit).map((value) => drawTick(value, base - value * unit)),
    ...ticksOf(down, unit).map((value) => drawTick(value, base + value * unit)),
  ]
  const lines = marks.map((mark, index) =>
    drawMark(mark, across((mark.time - first) / DAY), (index + 1) * MARK_LANE - 4, bottom),
  )
  return `<svg class="chart timeline" role="img" aria-labelledby="${id}-title ${id}-desc" width="100%" height="${coordinate(bottom + AXIS_SPACE)}">
<title id="${id}-title">${xmlText(input.title)}</title>
<desc id="${id}-desc">${xmlText(describe(input, marks))}</desc>
<pattern id="${id}-hatch" class="hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="4" height="4"/><line x1="0" x2="0" y1="0" y2="4"/></pattern>
${ticks.join('')}
${days.map((day, index) => drawDay(day, index, input, plot)).join('')}
<line class="axis" x1="${PLOT_LEFT}%" x2="100%" y1="${coordinate(base)}" y2="${coordinate(base)}"/>
${dateTicks(days, across, top, bottom)}
${lines.join('')}
</svg>`
}

/** Heights are pixels from the top of the picture, what lies across is per cent of its width. */
interface Plot {
  /** The height of one hit. */
  readonly unit: number
  readonly top: number
  /** The line that the bars stand on and hang from. */
  readonly base: number
  readonly bottom: number
  /** Where so many days after the first one are. */
  readonly across: (days: number) => number
}

/** `up`, `down`: the most hits of a day above and below the line. */
function plotOf(days: number, marks: number, up: number, down: number): Plot {
  const top = marks * MARK_LANE + LABEL_SPACE
  const unit = Math.min(PLOT_HEIGHT / (up + down), MOST_UNIT)
  const base = top + up * unit
  const across = (at: number) => PLOT_LEFT + (at / days) * (100 - PLOT_LEFT)
  return { unit, top, base, bottom: base + down * unit, across }
}

function drawDay(day: EntryDay, index: number, { id, days, one, many }: TimelineInput, plot: Plot): string {
  const { base, unit, across } = plot
  const width = ((100 - PLOT_LEFT) / days.length) * 0.8
  const bar = (kind: string, y: number, size: number, words: string) =>
    `<rect class="${kind}"${kind === 'trunk' ? ` fill="url(#${id}-hatch)"` : ''} x="${coordinate(across(index + 0.1))}%" y="${coordinate(y)}" width="${coordinate(width)}%" height="${coordinate(size)}"><title>${xmlText(`${dayWords(day.start, day.start)}: ${words}`)}</title></rect>`
  const { pullRequestHits, inMassFailures, trunkHits } = day
  const filled = pullRequestHits * unit
  const seen = Math.max(filled, LEAST_BAR)
  const outlined = inMassFailures * unit
  const massWords = `${counted(inMassFailures, 'row', 'rows')} of a mass failure`
  const trunkWords = `${counted(trunkHits, 'hit', 'hits')} on the main branch`
  return [
    pullRequestHits === 0 ? '' : bar('pull-requests', base - seen, seen, counted(pullRequestHits, one, many)),
    inMassFailures === 0 ? '' : bar('mass-failures', base - filled - outlined, outlined, massWords),
    trunkHits === 0 ? '' : bar('trunk', base, Math.max(trunkHits * unit, LEAST_BAR), trunkWords),
  ].join('')
}

/** Pixels between two numbers, so that none stands on another. */
const TICK_SPACE = 24

/** Round numbers up to the largest value, as far apart as they need; the largest alone where none fits. */
function ticksOf(largest: number, unit: number): number[] {
  let by = 1
  // 1, 2, 5, 10, 20, …
  while (by * unit < TICK_SPACE) by *= String(by).startsWith('2') ? 2.5 : 2
  const ticks = Array.from({ length: Math.floor(largest / by) }, (_, index) => (index + 1) * by)
  return ticks.length === 0 && largest * unit >= TICK_SPACE / 2 ? [largest] : ticks
}

function drawTick(value: number, y: number): string {
  return `<line class="grid" x1="${PLOT_LEFT}%" x2="100%" y1="${coordinate(y)}" y2="${coordinate(y)}"/><text class="tick" x="${PLOT_LEFT - 1}%" y="${coordinate(y + 4)}" text-anchor="end">${count(value)}</text>`
}

/** The first day, the last one and two in between: what fits on a phone. */
function dateTicks(days: readonly EntryDay[], across: (at: number) => number, top: number, bottom: number): string {
  const last = days.length - 1
  const places = [...new Set([0, Math.round(last / 3), Math.round((2 * last) / 3), last])]
  return places
    .map((index) => {
      const x = coordinate(across(index + 0.5))
      const anchor = index === 0 ? 'start' : index === last ? 'end' : 'middle'
      const label = dayWords(days[index]!.start, days[last]!.start)
      return `<line class="grid" x1="${x}%" x2="${x}%" y1="${coordinate(top)}" y2="${coordinate(bottom + 4)}"/><text class="tick" x="${anchor === 'end' ? '100' : x}%" y="${coordinate(bottom + 17)}" text-anchor="${anchor}">${label}</text>`
    })
    .join('')
}

function drawMark({ time, label }: TimelineMark, x: number, y: number, bottom: number): string {
  const anchor = x > 60 ? 'end' : 'start'
  const words = xmlText(`${label} ${dayWords(time, time)}`)
  return `<line class="mark" x1="${coordinate(x)}%" x2="${coordinate(x)}%" y1="${coordinate(y - 8)}" y2="${coordinate(bottom)}"/><text class="mark" x="${coordinate(x)}%" dx="${anchor === 'end' ? -4 : 4}" y="${coordinate(y)}" text-anchor="${anchor}">${words}</text>`
}

function describe({ days, one, many }: TimelineInput, marks: readonly TimelineMark[]): string {
  const last = days.at(-1)!.start
  const sum = (of: (day: EntryDay) => number) => ({
    total: days.reduce((total, day) => total + of(day), 0),
    on: days.filter((day) => of(day) > 0).length,
  })
  const [pullRequests, trunk, mass] = [
    sum((day) => day.pullRequestHits),
    sum((day) => day.trunkHits),
    sum((day) => day.inMassFailures),
  ]
  const onDays = (days_: number) => `on ${counted(days_, 'day', 'days')}`
  const all = (day: EntryDay) => day.pullRequestHits + day.trunkHits
  const most = days.reduce((worst, day) => (all(day) > all(worst) ? day : worst), days[0]!)
  return [
    `${counted(days.length, 'day', 'days')} from ${dayWords(days[0]!.start, last)} to ${dayWords(last, last)}.`,
    `${counted(pullRequests.total, one, many)}${pullRequests.total === 0 ? '' : ` ${onDays(pullRequests.on)}`}.`,
    ...(trunk.total === 0 ? [] : [`${counted(trunk.total, 'hit', 'hits')} on the main branch ${onDays(trunk.on)}.`]),
    ...(mass.total === 0
      ? []
      : [`${counted(mass.total, 'row', 'rows')} of mass failures ${onDays(mass.on)}, which don’t count as hits.`]),
    ...(all(most) === 0 ? [] : [`Most on ${dayWords(most.start, last)}: ${count(all(most))}.`]),
    ...marks.map(({ time, label }) => `${capital(label)} on ${dayWords(time, last)}.`),
  ].join(' ')
}
