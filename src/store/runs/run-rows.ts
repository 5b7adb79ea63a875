import { createHash } from 'node:crypto'
import {
  type ByMetric,
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

/** Whether a place is none of these. */
function noneOf(places: readonly Place[]): (place: Place) => boolean {
  const byMetric = new Map<string, Set<string>>()
  for (const place of places) {
    const metric = text(place.metric)
    const ofMetric = byMetric.get(metric)
    if (ofMetric === undefined) byMetric.set(metric, new Set([keyOfQuery(place)]))
    else ofMetric.add(keyOfQuery(place))
  }
  return (place) => byMetric.get(text(place.metric))?.has(keyOfQuery(place)) !== true
}

function keyOfQuery({ test, queryIndex, queryName, ordinal = null }: Place): string {
  return JSON.stringify([text(test), queryIndex, text(queryName), ordinal])
}

/** The position from which on metrics stand that were stored after those that a report is made of. */
export const OTHERS_FROM = 1_000_000

/** A result for each of the measurements, which are all of one metric. */
export type Judge = (measurements: readonly Measurement[]) => readonly ClassifiedQuery[]

/**
 * The rows of a run with what came of its measurements. `primaryMetric` is the one that the repository judges by.
 * @throws TooLargeToStore
 */
export function rowsOfRun(
  run: Run,
  results: readonly ClassifiedQuery[],
  expires: Date,
  primaryMetric = PRIMARY_METRIC,
): RunRows {
  const { ofMeasurements, others } = matched(run.measurements, run.architecture, results)
  const part: Part = { measurements: () => run.measurements, resultsOf: () => ofMeasurements }
  const resultCount = results.length
  const source = { run, expires, parts: [part], resultCount, others, from: 0, isNew: () => true }
  return rowsOf(source, results, primaryMetric)
}

/**
 * The rows of the metrics that are not among those of `before`. Each is made and judged when its rows are read: 180,000 measurements with their
 * results are hundreds of megabytes.
 * @throws TooLargeToStore
 */
export function rowsOfOthers(
  run: Run,
  byMetric: ByMetric,
  judge: Judge,
  expires: Date,
  primaryMetric: string,
  before: readonly Place[],
): RunRows {
  const resultsOf = (ofMetric: readonly Measurement[]) =>
    matched(ofMetric, run.architecture, judge(ofMetric)).ofMeasurements
  const parts = [...byMetric.values()].map((measurements): Part => ({ measurements, resultsOf }))
  const decided = judge(byMetric.get(primaryMetric)?.() ?? [])
  const source = { run, expires, parts, resultCount: null, others: [], from: OTHERS_FROM, isNew: noneOf(before) }
  return rowsOf(source, decided, primaryMetric)
}

/** Measurements that are made when they are asked for, and the result of each. */
interface Part {
  readonly measurements: () => readonly Measurement[]
  readonly resultsOf: (measurements: readonly Measurement[]) => readonly (ClassifiedQuery | null)[]
}

interface Source {
  readonly run: Run
  readonly expires: Date
  readonly parts: readonly Part[]
  /** null: as many as there are measurements. */
  readonly resultCount: number | null
  /** Results of which nothing was measured. */
  readonly others: readonly ClassifiedQuery[]
  /** The position of the first measurement. */
  readonly from: number
  /** Whether there is no row of it yet. */
  readonly isNew: (place: Place) => boolean
}

/** A part that has been made once; to make it again takes as long. */
interface CountedPart extends Part {
  readonly length: number
  readonly new: number
  readonly samples: number
}

function countOf(measurements: readonly Measurement[], isNew: Source['isNew']): Omit<CountedPart, keyof Part> {
  return {
    length: measurements.length,
    new: measurements.filter(isNew).length,
    samples: sum(measurements.map(countSamples)),
  }
}

interface PlacedMeasurement {
  readonly position: number
  readonly measurement: Measurement
}

/** The measurements without a row that have samples. */
function* measurementsWithSamples(
  parts: readonly CountedPart[],
  { from, isNew }: Pick<Source, 'from' | 'isNew'>,
): Generator<PlacedMeasurement> {
  let before = from
  for (const { measurements, length, samples } of parts) {
    for (const [place, measurement] of (samples === 0 ? [] : measurements()).entries())
      if (!isSummary(measurement) && isNew(measurement)) yield { position: before + place, measurement }
    before += length
  }
}

/** `decided`: the results of the primary metric, or all. */
function rowsOf(source: Source, decided: readonly ClassifiedQuery[], primaryMetric: string): RunRows {
  const { run, parts, others, resultCount, isNew } = source
  const counted = parts.map((part) => ({ ...part, ...countOf(part.measurements(), isNew) }))
  const all = sum(counted.map(({ length }) => length))
  if (all + (resultCount ?? all) > MAX_MEASUREMENTS) {
    throw new TooLargeToStore(`The run has ${all} measurements; ${MAX_MEASUREMENTS} can be stored`)
  }
  const measured = sum(counted.map(({ new: ofPart }) => ofPart))
  const isKept = keptSamples(sum(counted.map(({ samples }) => samples)), decided, primaryMetric)
  const sampled = () => measurementsWithSamples(counted, source).filter(({ measurement }) => isKept(measurement))
  const sampleCount = sampled().reduce((count, { measurement }) => count + countSamples(measurement), 0)
  if (sampleCount > MAX_SAMPLES) {
    throw new TooLargeToStore(`The run has ${sampleCount} samples; ${MAX_SAMPLES} can be stored`)
  }
  const runId = runIdOf(run)
  return {
    runId,
    results: { [Symbol.iterator]: () => resultRows(source, runId, isKept) },
    measurements: measured,
    resultCount: measured + others.filter(isNew).length,
    samples: { [Symbol.iterator]: () => sampleRows(source, runId, sampled()) },
    sampleCount,
  }
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

function* resultRows(
  { run, parts, others, from, isNew }: Source,
  runId: string,
  isKept: (measurement: Measurement) => boolean,
): Generator<ResultRow> {
  const shared = { run, runId, finishedAt: new Date(run.finishedAt) }
  let position = from
  for (const { measurements, resultsOf } of parts) {
    const ofPart = measurements()
    const results = resultsOf(ofPart)
    for (const [index, measurement] of ofPart.entries()) {
      const row = { ...shared, position, samplesKept: isKept(measurement), measurement, result: results[index]! }
      if (isNew(measurement)) yield row
      position += 1
    }
  }
  for (const result of others) {
    if (isNew(result)) yield { ...shared, position, samplesKept: false, measurement: null, result }
    position += 1
  }
}

function* sampleRows(
  { run, expires }: Source,
  runId: string,
  sampled: Iterable<PlacedMeasurement>,
): Generator<SampleRow> {
  const until = secondsOf(expires)
  for (const { position, measurement } of sampled) {
    for (const side of ['old', 'new'] satisfies Side[]) {
      for (const [repetition, value] of measurement[side].entries()) {
        yield { run, runId, position, measurement, side, repetition, value, until }
      }
    }
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
