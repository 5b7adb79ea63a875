import type { Series, SeriesPoint } from '../../intake/imports/history/series.ts'
import { parseHistoryTime } from '../../intake/imports/parse-time.ts'
import type { ChangePoint } from '../../judge/statistics/change-points/change-points.ts'
import { fewestPoints } from '../../judge/statistics/change-points/spikes.ts'
import { levelColumn, SIZE } from '../../report/step/columns.ts'
import { count, counted, minute, thresholdPercent } from '../../text/numbers.ts'
import { type Column, tsvText } from '../../text/table.ts'
import type { CommandIO } from './command.ts'
import {
  type Colour,
  type ColouredColumn,
  formatTable,
  painter,
  type TerminalColumn,
  terminalColumns,
} from './table.ts'
import { plainText, terminalWidth, truncate, withSpaces } from './terminal-text.ts'

/** A step of one series with what its file says of the two points. */
export interface SeriesChangePoint extends Omit<ChangePoint, 'lastGood'> {
  readonly series: string | null
  readonly lastGoodIndex: number
  readonly lastGood: SeriesPoint
  readonly firstBad: SeriesPoint
  /** Null where the medians are equal and the means are not. */
  readonly direction: 'slower' | 'faster' | null
}

const LONGEST_COMMIT = 12
const LONGEST_TIME = 25

/**
 * The lines that `change-points` prints for a person: a count, then a row for each step in the order of the file. Points
 * are counted from 1 there, as lines are.
 */
export function changePointsTable(
  points: readonly SeriesChangePoint[],
  series: readonly Series[],
  { maxP, minStep }: { readonly maxP: number; readonly minStep: number },
  io: CommandIO,
): string[] {
  const paint = painter(io.stdout, io.env)
  const lines = [paint(summary(points.length, series, maxP), 'bold')]
  const sorted = series.filter((one) => one.sorted)
  if (sorted.length > 0) {
    lines.push(paint(`${counted(sorted.length, 'series', 'series')} sorted by time`, 'dim'))
  }
  if (points.length === 0) return lines
  lines.push('', ...formatTable(columnsOf(points), points, terminalWidth(io.stdout), paint))
  if (points.some(({ before, after }) => isBelow(before, after, minStep))) {
    const least = withSpaces(thresholdPercent(minStep))
    lines.push('', paint(`--min-step ${least} applies to the means of the levels; their medians are shown`, 'dim'))
  }
  return lines
}

/** `no steps in 4 points of 1 series; 4 of them without a value; 1 series has fewer than the 6 points that a step needs` */
function summary(steps: number, series: readonly Series[], maxP: number): string {
  const points = series.reduce((sum, one) => sum + one.points.length, 0)
  if (points === 0) return 'no steps: there are no points'
  const measured = series.map((one) => measuredPoints(one.points))
  const without = points - measured.reduce((sum, one) => sum + one, 0)
  const fewest = fewestPoints(maxP)
  const short = measured.filter((one) => one < fewest).length
  const found = steps === 0 ? 'no steps' : counted(steps, 'step', 'steps')
  return [
    `${found} in ${counted(points, 'point', 'points')} of ${counted(series.length, 'series', 'series')}`,
    ...(without === 0 ? [] : [`${count(without)} of them without a value`]),
    ...(short === 0
      ? []
      : [
          `${counted(short, 'series has', 'series have')} fewer than the ${fewest} values that a step needs at this --max-p`,
        ]),
  ].join('; ')
}

export function measuredPoints(points: readonly SeriesPoint[]): number {
  return points.reduce((sum, { value }) => sum + (Number.isFinite(value) ? 1 : 0), 0)
}

/** The step relative to the smaller level, as the means are compared. */
function isBelow(before: number, after: number, minStep: number): boolean {
  const smaller = Math.min(Math.abs(before), Math.abs(after))
  return smaller > 0 && Math.abs(after - before) / smaller <= minStep
}

function has(points: readonly SeriesChangePoint[], part: 'commit' | 'time'): boolean {
  return points.some(({ firstBad }) => firstBad[part] !== null)
}

/** Columns of which nothing is known in any row are left out. */
function columnsOf(points: readonly SeriesChangePoint[]): readonly TerminalColumn<SeriesChangePoint>[] {
  const named = points.some(({ series }) => series !== null)
  const columns: readonly (ColouredColumn<SeriesChangePoint> | null)[] = [
    {
      heading: named ? 'series' : 'at point',
      isNumber: !named,
      text: named ? ({ series }) => series ?? '' : positionText,
    },
    { ...SIZE, colour: colourOf },
    { heading: '', text: ({ direction }) => direction ?? '', colour: colourOf },
    levelColumn(null),
    named ? { heading: 'at point', isNumber: true, text: positionText } : null,
    {
      heading: 'medians of points',
      text: ({ beforeFrom, lastGoodIndex, index, afterTo }) =>
        `${rangeText(beforeFrom, lastGoodIndex)} → ${rangeText(index, afterTo)}`,
    },
    has(points, 'commit')
      ? {
          heading: 'last good → first bad',
          text: ({ lastGood, firstBad }) => `${commitText(lastGood)} → ${commitText(firstBad)}`,
        }
      : null,
    has(points, 'time') ? { heading: 'time', text: ({ firstBad }) => timeText(firstBad.time ?? '') } : null,
  ]
  return terminalColumns(columns.filter((column) => column !== null))
}

/** Steps in the TSV, counted and named as in the JSON. */
export const CHANGE_POINT_COLUMNS: readonly Column<SeriesChangePoint>[] = [
  { key: 'series', value: ({ series }) => tsvText(series) },
  { key: 'index', value: ({ index }) => index },
  { key: 'last_good_commit', value: ({ lastGood }) => lastGood.commit },
  { key: 'last_good_time', value: ({ lastGood }) => lastGood.time },
  { key: 'first_bad_commit', value: ({ firstBad }) => firstBad.commit },
  { key: 'first_bad_time', value: ({ firstBad }) => firstBad.time },
  { key: 'before', value: ({ before }) => before },
  { key: 'after', value: ({ after }) => after },
  { key: 'step', value: ({ step }) => step },
  { key: 'direction', value: ({ direction }) => direction },
  { key: 'p_value', value: ({ pValue }) => pValue },
  { key: 'earliest', value: ({ earliest }) => earliest },
  { key: 'latest', value: ({ latest }) => latest },
]

function colourOf({ direction }: SeriesChangePoint): Colour | undefined {
  if (direction === null) return undefined
  return direction === 'slower' ? 'red' : 'green'
}

/** `72`, or `72 (71…74)` where the step may be elsewhere. */
function positionText({ index, earliest, latest }: SeriesChangePoint): string {
  return earliest === latest ? String(index + 1) : `${index + 1} (${earliest + 1}…${latest + 1})`
}

function rangeText(first: number, last: number): string {
  return first === last ? String(first + 1) : `${first + 1}–${last + 1}`
}

function commitText({ commit }: SeriesPoint): string {
  if (commit === null || commit === '') return '?'
  // The beginning of an id, as git shows it.
  return /^[0-9a-f]{13,64}$/.test(commit)
    ? commit.slice(0, LONGEST_COMMIT)
    : truncate(plainText(commit), LONGEST_COMMIT)
}

/** A number of seconds since 1970 says nothing to a person. */
function timeText(time: string): string {
  const since1970 = /^\d+(?:\.\d+)?$/.test(time.trim()) ? parseHistoryTime(time.trim()) : null
  return since1970 === null ? truncate(plainText(time), LONGEST_TIME) : minute(since1970)
}
