import { createHash } from 'node:crypto'
import {
  type Measurement,
  PRIMARY_METRIC,
  type QueryId,
  type Run,
  resultNumbers,
  type Side,
} from '../../measurement/run.ts'
import { median } from '../../statistics/median.ts'
import type { ClassifiedQuery } from '../../verdict/classified-query.ts'
import { betterColumn } from '../column-values.ts'
import { countSamples, isSummary, keptSamples } from './kept-samples.ts'
import { writeAbout } from './run-about.ts'

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
  readonly results: Iterable<unknown[]>
  readonly measurements: number
  readonly resultCount: number
  readonly samples: Iterable<unknown[]>
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

/** A metric of a query. */
type Place = Omit<QueryId, 'ordinal'> & { readonly ordinal?: number | null; readonly metric: string }

function keyOfPlace({ test, queryIndex, queryName, ordinal = null, metric }: Place): string {
  return JSON.stringify([text(test), queryIndex, text(queryName), ordinal, text(metric)])
}

/** The position from which on metrics stand that were stored after those that a report is made of. */
export const OTHERS_FROM = 1_000_000

/**
 * `primaryMetric` is the one that the repository judges by. `before`: what has its rows already.
 * @throws TooLargeToStore
 */
export function rowsOfRun(
  run: Run,
  results: readonly ClassifiedQuery[],
  expires: Date,
  primaryMetric = PRIMARY_METRIC,
  before: readonly Place[] | null = null,
): RunRows {
  if (run.measurements.length + results.length > MAX_MEASUREMENTS) {
    throw new TooLargeToStore(`The run has ${run.measurements.length} measurements; ${MAX_MEASUREMENTS} can be stored`)
  }
  const kept = keptSamples(run, results, primaryMetric)
  const there = new Set(before?.map(keyOfPlace))
  const isNew = (row: Place) => before === null || !there.has(keyOfPlace(row))
  const wanted: Wanted = { measurements: run.measurements.map(isNew), isNew, from: before === null ? 0 : OTHERS_FROM }
  const sampleCount = countSamples(run.measurements.filter((_, index) => kept[index] && wanted.measurements[index]))
  if (sampleCount > MAX_SAMPLES) {
    throw new TooLargeToStore(`The run has ${sampleCount} samples; ${MAX_SAMPLES} can be stored`)
  }

  const runId = runIdOf(run)
  const judged = judgedBy(run, results)
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

export const RUN_COLUMNS = [
  'repository_id',
  'head',
  'run_id',
  'pull_request_number',
  'check_name',
  'architecture',
  'shard',
  'shards',
  'attempt',
  'source',
  'finished_at',
  'finished_at_text',
  'old_commit',
  'new_commit',
  'warnings',
  'confirmations',
  'about',
  'measurements',
  'samples',
  'expires',
  'stored_at',
] as const

export function runRow(
  run: Run,
  { runId, measurements, sampleCount }: Pick<RunRows, 'runId' | 'measurements' | 'sampleCount'>,
  expires: Date,
  storedAt: Date,
): unknown[] {
  return [
    run.repositoryId,
    text(run.head),
    runId,
    run.pullRequestNumber,
    text(run.check),
    text(run.architecture),
    run.shard,
    run.shards,
    run.attempt,
    text(run.source),
    timeOf(run.finishedAt),
    text(run.finishedAt),
    text(run.oldCommit),
    text(run.newCommit),
    JSON.stringify(run.warnings),
    run.confirmations === undefined ? '' : JSON.stringify(run.confirmations),
    writeAbout(run),
    measurements,
    sampleCount,
    seconds(expires),
    storedAt.toISOString(),
  ]
}

export const RESULT_COLUMNS = [
  'repository_id',
  'run_id',
  'pull_request_number',
  'head',
  'check_name',
  'finished_at',
  'measurement',
  'is_measurement',
  'samples_kept',
  'test',
  'query_index',
  'query_name',
  'ordinal',
  'metric',
  'unit',
  'architecture',
  'report_threshold',
  'rounded',
  'problems',
  'old_repetitions',
  'new_repetitions',
  'old_median',
  'new_median',
  'status',
  'status_reason',
  'difference',
  'threshold',
  'p_value',
  'rank_p_value',
  'q_value',
  'smallest_p_value',
  'separated',
  'outcome',
  'direction',
  'changed_threshold',
  'changed_threshold_source',
  'unstable_threshold',
  'unstable_threshold_source',
  'notes',
  'better',
  'given',
  'source_notes',
  'taken',
] as const

/** Measurements with the result of each, and results of which nothing was measured. */
interface Judged {
  readonly ofMeasurements: readonly (ClassifiedQuery | null)[]
  readonly others: readonly ClassifiedQuery[]
}

function judgedBy({ measurements, architecture }: Run, results: readonly ClassifiedQuery[]): Judged {
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
): Generator<unknown[]> {
  const shared = sharedColumns(run, runId)
  for (const [index, measurement] of run.measurements.entries()) {
    if (measurements[index] !== true) continue
    const result = judged.ofMeasurements[index]!
    yield [
      ...shared,
      from + index,
      true,
      kept[index] ?? false,
      ...queryColumns(measurement),
      float(measurement.reportThreshold),
      measurement.rounded,
      measurement.problems.length === 0 ? '[]' : JSON.stringify(measurement.problems),
      measurement.old.length,
      measurement.new.length,
      float(result?.old.median ?? medianOf(measurement.old)),
      float(result?.new.median ?? medianOf(measurement.new)),
      ...outcomeColumns(result),
      betterColumn(measurement.better),
      givenText(measurement),
      measurement.notes ?? [],
      takenText(measurement),
    ]
  }
  for (const [place, result] of judged.others.entries()) {
    if (!isNew(result)) continue
    yield [
      ...shared,
      from + run.measurements.length + place,
      false,
      false,
      ...queryColumns(result),
      null,
      false,
      '[]',
      result.old.repetitions ?? 0,
      result.new.repetitions ?? 0,
      float(result.old.median),
      float(result.new.median),
      ...outcomeColumns(result),
      betterColumn(result.better),
      '',
      [],
      '',
    ]
  }
}

/** What the source gives in the place of samples. */
function givenText({ given, comparison }: Measurement): string {
  if (given === undefined && comparison === undefined) return ''
  return JSON.stringify(comparison === undefined ? given : { ...given, comparison })
}

function takenText({ taken, clock }: Measurement): string {
  return taken === undefined && clock === undefined ? '' : JSON.stringify({ ...taken, clock })
}

function sharedColumns(run: Run, runId: string): readonly unknown[] {
  return [run.repositoryId, runId, run.pullRequestNumber, text(run.head), text(run.check), timeOf(run.finishedAt)]
}

function queryColumns(query: Measurement | ClassifiedQuery): unknown[] {
  return [
    text(query.test),
    query.queryIndex,
    text(query.queryName),
    query.ordinal ?? null,
    text(query.metric),
    text(query.unit),
    text(query.architecture),
  ]
}

function outcomeColumns(result: ClassifiedQuery | null): unknown[] {
  if (result === null) return [...Array.from({ length: 15 }, () => null), []]
  return [
    result.status,
    result.statusReason,
    float(result.difference),
    float(result.threshold),
    float(result.pValue),
    float(result.rankPValue),
    float(result.qValue),
    float(result.smallestPValue),
    result.separated,
    result.outcome,
    result.direction,
    float(result.changedThreshold),
    result.changedThresholdSource,
    float(result.unstableThreshold),
    result.unstableThresholdSource,
    result.notes,
  ]
}

export const SAMPLE_COLUMNS = [
  'repository_id',
  'run_id',
  'measurement',
  'side',
  'repetition',
  'test',
  'metric',
  'value',
  'expires',
] as const

function* sampleRows(
  run: Run,
  runId: string,
  kept: readonly boolean[],
  expires: Date,
  { measurements, from }: Wanted,
): Generator<unknown[]> {
  const until = seconds(expires)
  for (const [index, measurement] of run.measurements.entries()) {
    if (kept[index] !== true || measurements[index] !== true || isSummary(measurement)) continue
    const test = text(measurement.test)
    const metric = text(measurement.metric)
    for (const side of ['old', 'new'] satisfies Side[]) {
      for (const [repetition, value] of measurement[side].entries()) {
        yield [run.repositoryId, runId, from + index, side, repetition, test, metric, float(value), until]
      }
    }
  }
}

/** null where there is none or not all samples are finite numbers. */
function medianOf(samples: readonly number[]): number | null {
  return samples.length > 0 && samples.every(Number.isFinite) ? median(samples) : null
}

/** JSON has no NaN, no infinity and no negative zero; the database reads them as text. */
export function float(value: number | null): number | string | null {
  if (value === null || (Number.isFinite(value) && !Object.is(value, -0))) return value
  if (Number.isNaN(value)) return 'nan'
  return Object.is(value, -0) ? '-0' : value > 0 ? 'inf' : '-inf'
}

/** Half a surrogate pair is no text that a database can hold; it comes back as U+FFFD. */
export function text<T extends string | null>(value: T): T {
  return (value === null ? null : value.toWellFormed()) as T
}

function timeOf(iso: string): string {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) throw new RangeError(`Not a time: ${JSON.stringify(iso)}`)
  return time.toISOString()
}

function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}
