import { readSeries, type Series } from '../../intake/imports/history/series.ts'
import { type ChangePoint, changePoints } from '../../judge/statistics/change-points/change-points.ts'
import {
  CHANGE_POINT_COLUMNS,
  changePointsTable,
  measuredPoints,
  type SeriesChangePoint,
} from './change-points-table.ts'
import { type CommandIO, EXIT_OK, printJson } from './command.ts'
import { lookAt, readInput } from './input-file.ts'
import type { TableForm } from './option-values.ts'
import { Progress } from './progress.ts'
import { formOf, printTsv } from './table.ts'
import { plainText } from './terminal-text.ts'

/** `change-points`, as the command line gives it. */
interface ChangePointsOptions {
  /** Names of the columns whose values are looked at. Not given: `value`. */
  readonly value?: readonly string[]
  /** Names of the columns that a series is called by. Not given: `series`. */
  readonly series?: readonly string[]
  readonly time?: string
  readonly commit?: string
  readonly windowLength: number
  readonly maxP: number
  readonly minStep: number
  readonly higherIsBetter?: boolean
  readonly as?: TableForm
  readonly json?: boolean
}

/** Finds the steps of every series of a file and prints them. */
export async function run(file: string, options: ChangePointsOptions, io: CommandIO): Promise<number> {
  const { value = [], time = null, commit = null, higherIsBetter = false, json } = options
  const { windowLength, maxP, minStep } = options
  const settings = { windowLength, maxP, minStep }
  const form = formOf(options, 'table')
  const progress = new Progress(io.stderr)
  try {
    const columns = { values: value, series: options.series ?? [], time, commit }
    const warnings: string[] = []
    const warn = (message: string) => warnings.push(message)
    const source = file === '-' ? 'stdin' : file
    await lookAt(file, 'a CSV or TSV file in it')
    const bytes = readInput(file, io, (read) => progress.update(() => `reading: ${(read / 1e6).toFixed(0)} MB`))
    const series = await readSeries(bytes, source, columns, { warn })
    const points: SeriesChangePoint[] = []
    for (const [i, one] of series.entries()) {
      progress.update(() => `looking for steps: ${i} of ${series.length} series`)
      const found = changePoints(
        Float64Array.from(one.points, ({ value }) => value),
        settings,
      )
      for (const point of found) points.push(described(one, point, higherIsBetter))
    }
    progress.done()
    if (json) {
      // JSON has no infinity: stringify writes null for a step from 0
      printJson({ ...settings, points, series: series.map(summaryOf) }, io)
    } else if (form === 'tsv') {
      printTsv(CHANGE_POINT_COLUMNS, points, io)
    } else {
      io.stdout.write(`${changePointsTable(points, series, settings, io).join('\n')}\n`)
    }
    for (const message of warnings) io.stderr.write(`warning: ${plainText(message)}\n`)
    return EXIT_OK
  } finally {
    progress.done()
  }
}

function described(series: Series, point: ChangePoint, higherIsBetter: boolean): SeriesChangePoint {
  const { index, lastGood, pValue, earliest, latest, ...levels } = point
  const { step } = levels
  const direction = step === 0 ? null : step > 0 === higherIsBetter ? 'faster' : 'slower'
  return {
    series: series.name,
    index,
    lastGoodIndex: lastGood,
    lastGood: series.points[lastGood]!,
    firstBad: series.points[index]!,
    ...levels,
    direction,
    pValue,
    earliest,
    latest,
  }
}

function summaryOf({ name, points, sorted }: Series) {
  return { series: name, points: points.length, notMeasured: points.length - measuredPoints(points), sorted }
}
