import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { readRun } from '../../src/intake/archive/read-run.ts'
import { Budget } from '../../src/intake/measurement/budget.ts'
import { formatsNamed } from '../../src/intake/measurement/formats/formats.ts'
import { Interest } from '../../src/intake/measurement/interest.ts'
import { readMembers } from '../../src/intake/measurement/read-members.ts'
import type { RunContents } from '../../src/intake/measurement/run.ts'
import type { Member } from '../../src/intake/measurement/source.ts'

/** One run of the recorded data: 68 queries, 7 + 7 repetitions, read by the reader that the bot uses. */
export interface RecordedRun extends Pick<RunContents, 'measurements' | 'warnings'> {
  /** `history-measured 12` or `run-a-a`. */
  readonly name: string
  /** Both sides are the same build: whatever is flagged is noise. */
  readonly isSameBuild: boolean
  readonly oldCommit: string
  readonly newCommit: string
  /** Milliseconds. */
  readonly time: number
}

const DATA = new URL('../../test/data/', import.meta.url)
const HOUR = 3_600_000

/** All recorded runs, in the order of time. */
export async function recordedRuns(): Promise<RecordedRun[]> {
  const history = await measuredHistory()
  return [...history, await sameBuildRun(history.at(-1)!.time)]
}

/**
 * The 23 points of the measured trunk history, in the order of time: 21 of the same build against itself, 2 where the
 * release changes. The file's rows are written as ClickHouse's raw files and read as such.
 */
export async function measuredHistory(): Promise<RecordedRun[]> {
  const [, ...lines] = gunzipSync(readFileSync(new URL('history-measured/raw-runs.tsv.gz', DATA)))
    .toString('utf8')
    .trimEnd()
    .split('\n')
  const points = Map.groupBy(
    lines.map((line) => line.split('\t')),
    ([point]) => point!,
  )
  return await Promise.all([...points].map(async ([point, rows]) => await pointOf(point, rows)))
}

async function pointOf(point: string, rows: readonly string[][]): Promise<RecordedRun> {
  const [, oldVersion, newVersion, oldCommit, newCommit, epoch] = rows[0]!
  const tests = Map.groupBy(rows, (fields) => fields[6]!)
  const members = [...tests].map(([test, ofTest]) => rawFile(test, ofTest))
  const { measurements, warnings } = await readMembers(
    `point ${point}`,
    eachOf(members),
    new Interest(formatsNamed('auto'), null),
    new Budget(),
  )
  return {
    name: `history-measured ${point}`,
    isSameBuild: oldVersion === newVersion,
    oldCommit: oldCommit!,
    newCommit: newCommit!,
    time: Number(epoch) * 1000,
    measurements,
    warnings,
  }
}

/** The rows of one test as perf.py writes them. The file does not have the texts of the queries: their place stands for them. */
function rawFile(test: string, rows: readonly string[][]): Member {
  const indexes = new Set(rows.map((fields) => fields[7]!))
  const names = [...indexes].map((index) => `display-name\t${index}\t${test} query ${index}\n`)
  const queries = rows.map(
    ([, , , , , , , index, side, run, seconds]) =>
      `query\t${index}\t${test}.query${index}.run${run}\t${side}\t${seconds}\n`,
  )
  const name = `${test}-raw.tsv`
  const bytes = new TextEncoder().encode([...names, ...queries].join(''))
  return { name, where: name, direct: false, side: null, bytes: eachOf([bytes]) }
}

async function* eachOf<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

/**
 * The recorded A/A run, of the same 68 queries. Its files have the texts; here, too, the place stands for them, so that the
 * measured history is their history. It ended after the history, on the same day; `after` is the time of its last point.
 */
export async function sameBuildRun(after: number): Promise<RecordedRun> {
  const { measurements, warnings } = await readRun(fileURLToPath(new URL('run-a-a/', DATA)))
  return {
    name: 'run-a-a',
    isSameBuild: true,
    oldCommit: 'a'.repeat(40),
    newCommit: 'a'.repeat(40),
    time: after + HOUR,
    measurements: measurements.map((one) => ({ ...one, queryName: `${one.test} query ${one.queryIndex}` })),
    warnings,
  }
}
