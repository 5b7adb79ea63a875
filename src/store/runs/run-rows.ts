import { createHash } from 'node:crypto'
import {
  type Measurement,
  PRIMARY_METRIC,
  type QueryId,
  type Run,
  resultNumbers,
  type Side,
} from '../../intake/measurement/run.ts'
import type { ClassifiedQuery } from '../../judge/verdict/classified-query.ts'
import { text } from '../table.ts'
import { countSamples, isSummary, keptSamples } from './kept-samples.ts'
import { type ResultRow, type SampleRow, secondsOf } from './run-tables.ts'

/** A run as rows of `runs`, `query_results` and `samples`. */

/** A run or report is beyond what is stored at all. Trying again does not help. */
export class TooLargeToStore extends Error {
  override readonly name = 'TooLargeToStore'
}

/** About fifty times a shard of ClickHouse's performance check. */
const MAX_MEASUREMENTS = 500_000
const MAX_SAMPLES = 5_000_000

export interface RunRows {
  readonly runId: string
  /** Made one by one while they are read, as the samples; may be read again. */
  readonly results: Iterable<ResultRow>
  readonly measurements: number
  readonly resultCount: number
  readonly samples: Iterable<SampleRow>
  readonly sampleCount: number
}

/**
 * The key that tells the runs of one head apart. Same key with a higher attempt replaces, and is never pooled with, the
 * older.
 */
export interface RunKey {
  readonly repositoryId: number
  readonly head: string
  readonly check: string
  readonly architecture: string | null
  readonly shard: number | null
  readonly attempt: number
}

/** A value of the columns that identify a run; absent and empty values differ. */
export function runIdOf(key: RunKey): string {
  const parts = [key.repositoryId, key.head, key.check, key.architecture, key.shard, key.attempt]
  const hex = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

export type Place = Omit<QueryId, 'ordinal'> & { readonly ordinal?: number | null; readonly metric: string }

function keyOfPlace({ test, queryIndex, queryName, ordinal = null, metric }: Place): string {
  return JSON.stringify([text(test), queryIndex, text(queryName), ordinal, text(metric)])
}

/** The position from which on metrics stand that were stored after those that a report is made of. */
export const OTHERS_FROM = 1_000_000

/** A result for each of the measurements, which are all of one metric or of several. */
export type Judge = (measurements: readonly Measurement[]) => readonly ClassifiedQuery[]

/**
 * `results`: what came of the measurements, or who judges them: metric by metric while the rows are read, since 180,000 results take twice the
 * memory of what they are of. `primaryMetric` is the one that the repository judges by. `before`: what has its rows already.
 * @throws TooLargeToStore
 */
export function rowsOfRun(
  run: Run,
  results: readonly ClassifiedQuery[] | Judge,
  expires: Date,
  primaryMetric = PRIMARY_METRIC,
  before: readonly Place[] | null = null,
): RunRows {
  const isJudge = typeof results === 'function'
  const resultsCount = isJudge ? run.measurements.length : results.length
  if (run.measurements.length + resultsCount > MAX_MEASUREMENTS) {
    throw new TooLargeToStore(`The run has ${run.measurements.length} measurements; ${MAX_MEASUREMENTS} can be stored`)
  }
  const decided = isJudge ? results(run.measurements.filter(({ metric }) => metric === primaryMetric)) : results
  const kept = keptSamples(run, decided, primaryMetric)
  const there = new Set(before?.map(keyOfPlace))
  const isNew = (row: Place) => before === null || !there.has(keyOfPlace(row))
  const wanted: Wanted = { measurements: run.measurements.map(isNew), isNew, from: before === null ? 0 : OTHERS_FROM }
  const sampleCount = countSamples(run.measurements.filter((_, index) => kept[index] && wanted.measurements[index]))
  if (sampleCount > MAX_SAMPLES) {
    throw new TooLargeToStore(`The run has ${sampleCount} samples; ${MAX_SAMPLES} can be stored`)
  }

  const runId = runIdOf(run)
  const judged = isJudge ? judgedByMetric(run, results) : judgedAtOnce(run, results)
  const measurements = wanted.measurements.filter(Boolean).length
  return {
    runId,
    results: { [Symbol.iterator]: () => resultRows(run, runId, judged, kept, wanted) },
    measurements,
    resultCount: measurements + judged.others.filter(isNew).length,
    samples: { [Symbol.iterator]: () => sampleRows(run, runId, kept, expires, wanted) },
    sampleCount,
  }
}

/** Measurements by their places in the run, with the result of each. */
interface JudgedPart {
  readonly places: readonly number[]
  readonly results: readonly (ClassifiedQuery | null)[]
}

/** The measurements in parts, each made when it is asked for, and results of which nothing was measured. */
interface Judged {
  readonly parts: Iterable<JudgedPart>
  readonly others: readonly ClassifiedQuery[]
}

function judgedByMetric({ measurements, architecture }: Run, judge: Judge): Judged {
  const places = Map.groupBy(measurements.keys(), (place) => measurements[place]!.metric)
  const partOf = (ofMetric: readonly number[]): JudgedPart => {
    const part = ofMetric.map((place) => measurements[place]!)
    return { places: ofMetric, results: matched(part, architecture, judge(part)).ofMeasurements }
  }
  return { parts: { [Symbol.iterator]: () => places.values().map(partOf) }, others: [] }
}

function judgedAtOnce({ measurements, architecture }: Run, results: readonly ClassifiedQuery[]): Judged {
  const { ofMeasurements, others } = matched(measurements, architecture, results)
  return { parts: [{ places: [...measurements.keys()], results: ofMeasurements }], others }
}

function matched(
  measurements: readonly Measurement[],
  architecture: string | null,
  results: readonly ClassifiedQuery[],
): { readonly ofMeasurements: readonly (ClassifiedQuery | null)[]; readonly others: readonly ClassifiedQuery[] } {
  const numberOf = resultNumbers(architecture)
  // by the number of the query, then by metric
  const unmatched = new Map<number, Map<string, ClassifiedQuery[]>>()
  for (const result of results) {
    const number = numberOf(result)
    const ofQuery = unmatched.get(number) ?? new Map<string, ClassifiedQuery[]>()
    if (ofQuery.size === 0) unmatched.set(number, ofQuery)
    const same = ofQuery.get(result.metric)
    if (same === undefined) ofQuery.set(result.metric, [result])
    else same.push(result)
  }
  const ofMeasurements = measurements.map((measurement) => {
    const same = unmatched.get(numberOf(measurement))?.get(measurement.metric) ?? []
    const place = same.findIndex(({ queryIndex }) => queryIndex === measurement.queryIndex)
    return same.splice(place, place === -1 ? 0 : 1)[0] ?? null
  })
  return { ofMeasurements, others: [...unmatched.values()].flatMap((ofQuery) => [...ofQuery.values()].flat()) }
}

/** The rows that are wanted, of each measurement and of results of which nothing was measured, and the position of the first. */
interface Wanted {
  readonly measurements: readonly boolean[]
  readonly isNew: (result: Place) => boolean
  readonly from: number
}

function* resultRows(
  run: Run,
  runId: string,
  judged: Judged,
  kept: readonly boolean[],
  { measurements, isNew, from }: Wanted,
): Generator<ResultRow> {
  const shared = { run, runId, finishedAt: new Date(run.finishedAt) }
  for (const { places, results } of judged.parts) {
    for (const [index, place] of places.entries()) {
      if (measurements[place] !== true) continue
      const [measurement, result] = [run.measurements[place]!, results[index]!]
      yield { ...shared, position: from + place, samplesKept: kept[place] ?? false, measurement, result }
    }
  }
  for (const [place, result] of judged.others.entries()) {
    const position = from + run.measurements.length + place
    if (isNew(result)) yield { ...shared, position, samplesKept: false, measurement: null, result }
  }
}

function* sampleRows(
  run: Run,
  runId: string,
  kept: readonly boolean[],
  expires: Date,
  { measurements, from }: Wanted,
): Generator<SampleRow> {
  const until = secondsOf(expires)
  for (const [index, measurement] of run.measurements.entries()) {
    if (kept[index] !== true || measurements[index] !== true || isSummary(measurement)) continue
    const position = from + index
    for (const side of ['old', 'new'] satisfies Side[]) {
      for (const [repetition, value] of measurement[side].entries()) {
        yield { run, runId, position, measurement, side, repetition, value, until }
      }
    }
  }
}
