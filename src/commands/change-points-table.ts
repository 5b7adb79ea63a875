import type { Series, SeriesPoint } from '../history/series.ts'
import { change, counted, signedPercent } from '../render/numbers.ts'
import type { SeriesChangePoint } from './change-points.ts'
import type { CommandIO } from './command.ts'
import { type Cell, type Column, formatTable, painter } from './table.ts'
import { plainText, truncate } from './terminal-text.ts'

const LONGEST_COMMIT = 12
const LONGEST_TIME = 25

/** The lines that `change-points` prints for a person: a count, then a row for each step in the order of the file. */
export function changePointsTable(
  points: readonly SeriesChangePoint[],
  series: readonly Series[],
  io: CommandIO,
): string[] {
  const paint = painter(io.stdout, io.env)
  const width = io.stdout.isTTY === true ? (io.stdout.columns ?? 80) : null
  const lines = [paint(summary(points.length, series), 'bold')]
  const sorted = series.filter((one) => one.sorted)
  if (sorted.length > 0) {
    lines.push(paint(`${counted(sorted.length, 'series', 'series')} put in the order of time`, 'dim'))
  }
  if (points.length === 0) return lines
  const columns: Column[] = [
    { title: 'step', align: 'right' },
    { title: 'before → after', align: 'right' },
    { title: 'position', align: 'right' },
    ...(has(points, 'commit') ? ([{ title: 'last good → first bad', align: 'left' }] as const) : []),
    ...(has(points, 'time') ? ([{ title: 'time', align: 'left' }] as const) : []),
    ...(points.some((point) => point.series !== null) ? ([{ title: 'series', align: 'left' }] as const) : []),
  ]
  lines.push(
    '',
    ...formatTable(
      columns,
      points.map((point) => cells(point, columns)),
      width,
      paint,
    ),
  )
  return lines
}

function summary(steps: number, series: readonly Series[]): string {
  const points = series.reduce((sum, one) => sum + one.points.length, 0)
  const found = steps === 0 ? 'no steps' : counted(steps, 'step', 'steps')
  return `${found} in ${counted(points, 'point', 'points')} of ${counted(series.length, 'series', 'series')}`
}

function has(points: readonly SeriesChangePoint[], part: 'commit' | 'time'): boolean {
  return points.some(({ firstBad }) => firstBad[part] !== null)
}

function cells(point: SeriesChangePoint, columns: readonly Column[]): Cell[] {
  const { series, before, after, direction, lastGood, firstBad } = point
  const colour = direction === 'slower' ? 'red' : direction === 'faster' ? 'green' : undefined
  const texts: Readonly<Record<string, string>> = {
    step: stepText(point.step),
    'before → after': change(before, after, null),
    position: positionText(point),
    'last good → first bad': `${commitText(lastGood)} → ${commitText(firstBad)}`,
    time: truncate(plainText(firstBad.time ?? ''), LONGEST_TIME),
    series: plainText(series ?? ''),
  }
  return columns.map(({ title }) => ({
    text: texts[title]!.replaceAll('\u00a0', ' '),
    colour: title === 'step' ? colour : undefined,
  }))
}

function stepText(step: number): string {
  return Number.isFinite(step) ? signedPercent(step) : `${step > 0 ? 'up' : 'down'} from 0`
}

/** `71`, or `71 (70…73)` where the step may be elsewhere. */
function positionText({ index, earliest, latest }: SeriesChangePoint): string {
  return earliest === latest ? String(index) : `${index} (${earliest}…${latest})`
}

function commitText({ commit }: SeriesPoint): string {
  return commit === null || commit === '' ? '?' : truncate(plainText(commit), LONGEST_COMMIT)
}
