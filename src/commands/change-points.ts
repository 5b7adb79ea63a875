import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { readSeries, type Series } from '../imports/history/series.ts'
import { type ChangePoint, changePoints } from '../statistics/change-points/change-points.ts'
import { DIVISIVE_DEFAULTS } from '../statistics/change-points/e-divisive.ts'
import type { ChangePointsOptions } from './change-points-options.ts'
import { changePointsTable, measuredPoints, type SeriesChangePoint } from './change-points-table.ts'
import { type CommandIO, EXIT_OK, InputError } from './command.ts'
import { Progress } from './progress.ts'
import { plainText } from './terminal-text.ts'

/** `change-points --json`. Fields are added freely, never renamed or dropped. */
const JSON_SCHEMA_VERSION = 1

/** Finds the steps of every series of a file and prints them. */
export async function run(options: ChangePointsOptions, io: CommandIO): Promise<number> {
  const { file, values, time, commit, windowLength, maxP, minStep, higherIsBetter, json } = options
  const settings = {
    windowLength: windowLength ?? DIVISIVE_DEFAULTS.windowLength,
    maxP: maxP ?? DIVISIVE_DEFAULTS.maxP,
    minStep: minStep ?? DIVISIVE_DEFAULTS.minStep,
  }
  const progress = new Progress(io.stderr)
  try {
    const columns = { values, series: options.series, time, commit }
    const warnings: string[] = []
    const warn = (message: string) => warnings.push(message)
    const source = file === '-' ? 'stdin' : file
    const series = await readSeries(await open(file, io, progress), source, columns, { warn })
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
      const document = { schemaVersion: JSON_SCHEMA_VERSION, ...settings, points, series: series.map(summaryOf) }
      // JSON has no infinity: stringify writes null for a step from 0
      io.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
    } else {
      io.stdout.write(`${changePointsTable(points, series, settings, io).join('\n')}\n`)
    }
    for (const message of warnings) io.stderr.write(`warning: ${plainText(message)}\n`)
    return EXIT_OK
  } finally {
    progress.done()
  }
}

async function open(file: string, io: CommandIO, progress: Progress): Promise<AsyncIterable<Uint8Array>> {
  if (file === '-') return counted(io.stdin ?? process.stdin, progress)
  const stats = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new InputError(error.code === 'ENOENT' ? `${file}: there is no such file` : `${file}: ${error.message}`)
  })
  if (stats.isDirectory()) throw new InputError(`${file}: a folder; give a CSV or TSV file in it`)
  return counted(createReadStream(file), progress)
}

async function* counted(bytes: AsyncIterable<Uint8Array>, progress: Progress): AsyncGenerator<Uint8Array> {
  let read = 0
  for await (const chunk of bytes) {
    read += chunk.length
    progress.update(() => `reading: ${(read / 1e6).toFixed(0)} MB`)
    yield chunk
  }
}

function described(series: Series, point: ChangePoint, higherIsBetter: boolean): SeriesChangePoint {
  const { index, lastGood, before, after, beforeFrom, afterTo, step, pValue, earliest, latest } = point
  const direction = step === 0 ? null : step > 0 === higherIsBetter ? 'faster' : 'slower'
  return {
    series: series.name,
    index,
    lastGoodIndex: lastGood,
    lastGood: series.points[lastGood]!,
    firstBad: series.points[index]!,
    before,
    after,
    beforeFrom,
    afterTo,
    step,
    direction,
    pValue,
    earliest,
    latest,
  }
}

function summaryOf({ name, points, sorted }: Series) {
  return { series: name, points: points.length, notMeasured: points.length - measuredPoints(points), sorted }
}
