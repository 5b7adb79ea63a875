import { type Command, InvalidArgumentError } from 'commander'
import { readSeries, type Series } from '../../intake/imports/history/series.ts'
import { type ChangePoint, changePoints } from '../../judge/statistics/change-points/change-points.ts'
import { DIVISIVE_DEFAULTS, WINDOW_LENGTH_MOST } from '../../judge/statistics/change-points/e-divisive.ts'
import { changePointsTable, measuredPoints, type SeriesChangePoint } from './change-points-table.ts'
import { type CommandIO, EXIT_OK, examples, type Finished, printJson } from './command.ts'
import { lookAt, readInput } from './input-file.ts'
import { parseFraction } from './option-values.ts'
import { Progress } from './progress.ts'
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
  readonly json?: boolean
}

/** The description, options and examples of `perf-triage change-points`. */
export function define(command: Command, io: CommandIO, finished: Finished): void {
  command
    .description(
      'Finds the lasting steps in a CSV or TSV file with a header: value and, optionally, time, commit and series.',
    )
    .argument('<file>', 'the file; - reads stdin')
    .option(
      '--value <column>',
      'the column of the values (default: value); if repeated, each is a series',
      collectColumn,
    )
    .option('--series <column>', 'the column that names the series (default: series); may be repeated', collectColumn)
    .option('--time <column>', 'the column of the times (default: time)', parseColumn)
    .option('--commit <column>', 'the column of the commits (default: commit)', parseColumn)
    .option(
      '--window-length <points>',
      'number of points looked at together',
      parseWindowLength,
      DIVISIVE_DEFAULTS.windowLength,
    )
    .option('--max-p <p>', 'the largest p-value of a step', parseMaxP, DIVISIVE_DEFAULTS.maxP)
    .option('--min-step <fraction>', 'the smallest step, as a fraction', parseFraction, DIVISIVE_DEFAULTS.minStep)
    .option('--higher-is-better', 'a rise means faster: the values are rates, not times')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['change-points history.csv', 'each step with the commits around it'],
        ['change-points history.tsv --min-step 0.02 --json', 'smaller steps too; one JSON document'],
        ['change-points runs.csv --value p50 --value p99', 'columns with other names, each a series'],
        ['change-points rows.tsv --value new_value --series test --series query_index', 'a series for each query'],
        ['change-points - --window-length 30 --max-p 0.01', 'from stdin, with shorter windows'],
      ),
    )
    .action(async (file: string, options: ChangePointsOptions) => {
      finished(await run(file, options, io))
    })
}

function parseWindowLength(text: string): number {
  const length = Number(text)
  if (!/^\d+$/.test(text.trim()) || length < 2 || length > WINDOW_LENGTH_MOST) {
    throw new InvalidArgumentError(`It must be a whole number of points from 2 to ${WINDOW_LENGTH_MOST}.`)
  }
  return length
}

function parseMaxP(text: string): number {
  const p = text.trim() === '' ? Number.NaN : Number(text)
  if (!(p > 0 && p <= 1))
    throw new InvalidArgumentError('It must be a probability such as 0.001, above 0 and at most 1.')
  return p
}

/** `--value a --value b`. */
function collectColumn(name: string, before: readonly string[] = []): readonly string[] {
  const column = parseColumn(name)
  return before.includes(column) ? before : [...before, column]
}

function parseColumn(name: string): string {
  if (name.trim() === '') throw new InvalidArgumentError('It must be the name of a column in the header.')
  return name
}

/** Finds the steps of every series of a file and prints them. */
async function run(file: string, options: ChangePointsOptions, io: CommandIO): Promise<number> {
  const { value = [], time = null, commit = null, higherIsBetter = false, json } = options
  const { windowLength, maxP, minStep } = options
  const settings = { windowLength, maxP, minStep }
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
