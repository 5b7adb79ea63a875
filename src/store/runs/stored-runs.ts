import { LRUCache } from 'lru-cache'
import { decidingMetric, mayDecide } from '../../measurement/formats/formats.ts'
import { type Measurement, type Run, unmeasured, unmeasuredBy } from '../../measurement/run.ts'
import { DAY } from '../../text/time.ts'
import { type ClassifiedQuery, metricInPlaceOf } from '../../verdict/classified-query.ts'
import { WORK_METRICS } from '../../verdict/evidence/different-work.ts'
import type { StoredAttempt } from '../../verdict/evidence/shard-shift.ts'
import type { ClickHouse } from '../client.ts'
import {
  countMeasuredRows,
  countRowsOfRun,
  deleteRowsOfRun,
  type RunRef,
  type StoredMeasurement,
  type StoredRun,
  selectAttemptsOfHead,
  selectMeasurementsOfRun,
  selectMediansOfRuns,
  selectQueriesWithoutMetric,
  selectRunsOfHead,
  selectSamplesOfRun,
} from './run-queries.ts'
import { RESULT_COLUMNS, RUN_COLUMNS, rowsOfRun, runRow, SAMPLE_COLUMNS } from './run-rows.ts'
import { countStacks, STACK_COLUMNS, stackRows } from './stack-rows.ts'

/** Writes of a run that are found incomplete afterwards are made once more: another writer removed them in between. */
const WRITE_TRIES = 2

/** Attempts of one check that are looked at: somebody who has run it five times more has seen enough. */
const MOST_ATTEMPTS = 6

/** Told of what could not be read. */
type Warn = (details: Record<string, unknown>, message: string) => void

interface RunWriting {
  readonly sampleDays: number
  /** The metric that the repository judges by. */
  readonly primaryMetric: string
  readonly now: Date
}

/**
 * Measurements of runs that were read before, by their run and metric: a run never changes, and each further shard and each command asks for
 * all of its head again.
 */
export type KnownMeasurements = LRUCache<string, readonly Measurement[]>

/** Numbers that are kept, some 15 MB: ten runs of 3,000 queries. */
const MOST_KNOWN_NUMBERS = 1_000_000

/** What a measurement takes beside its samples, in numbers. */
const MEASUREMENT_SIZE = 10

export function knownMeasurements(): KnownMeasurements {
  return new LRUCache({
    maxSize: MOST_KNOWN_NUMBERS,
    sizeCalculation: (measurements) =>
      measurements.reduce((sum, one) => sum + MEASUREMENT_SIZE + one.old.length + one.new.length, 1),
  })
}

interface RunsWanted {
  readonly repositoryId: number
  readonly head: string
  /** Not given: all metrics. */
  readonly metric: string | undefined
  readonly now: Date
  readonly warn: Warn
  readonly known: KnownMeasurements
}

/**
 * Stores a run with the outcomes of its queries, unless it is there (false). The row of the run comes last, so that one which was cut off
 * does not count.
 * @throws TooLargeToStore, StoreUnavailable
 */
export async function writeRun(
  clickhouse: ClickHouse,
  run: Run,
  results: readonly ClassifiedQuery[],
  { sampleDays, primaryMetric, now }: RunWriting,
): Promise<boolean> {
  const expires = new Date(now.getTime() + sampleDays * DAY)
  const rows = rowsOfRun(run, results, expires, primaryMetric)
  const stackCount = countStacks(run)
  const ref = { repositoryId: run.repositoryId, runId: rows.runId }
  const count = () => countRowsOfRun(clickhouse, { ...ref, head: run.head, now })

  for (let tries = 1; ; tries++) {
    const left = await count()
    if (left.stored) return false
    if (left.results + left.samples + left.stacks > 0) await deleteRowsOfRun(clickhouse, ref)
    const writes: Promise<void>[] = []
    if (rows.resultCount > 0) writes.push(clickhouse.insert('query_results', RESULT_COLUMNS, rows.results))
    if (rows.sampleCount > 0) writes.push(clickhouse.insert('samples', SAMPLE_COLUMNS, rows.samples))
    if (stackCount > 0) writes.push(clickhouse.insert('stacks', STACK_COLUMNS, stackRows(run, rows.runId, expires)))
    await allDone(writes)
    const written = await count()
    const isComplete =
      written.results === rows.resultCount && written.samples === rows.sampleCount && written.stacks === stackCount
    if (isComplete) break
    if (tries === WRITE_TRIES) {
      throw new Error(
        `${run.check} of ${run.head} was not stored: ${written.samples} samples and ${written.stacks} stacks are there ` +
          `after ${rows.sampleCount} and ${stackCount} were written. Does a second bot write to the same database?`,
      )
    }
  }
  await clickhouse.insert('runs', RUN_COLUMNS, [runRow(run, rows, expires, now)])
  return true
}

/** Resolves when all have ended, with the first error where there is one: what goes on after it would be taken for another writer's. */
async function allDone(writes: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(writes)).find((write) => write.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/** The newest attempts of the checks of a head, whole: with the measurements of all metrics, or of one and the work beside it. */
export async function readRuns(
  clickhouse: ClickHouse,
  { repositoryId, head, metric, now, warn, known }: RunsWanted,
): Promise<Run[]> {
  const runs: Run[] = []
  for (const stored of await selectRunsOfHead(clickhouse, { repositoryId, head, now })) {
    const ref = { repositoryId, runId: stored.runId }
    const key = JSON.stringify([repositoryId, stored.runId, metric])
    const measurements = known.get(key) ?? (await comparedIn(clickhouse, ref, metric?.toWellFormed(), stored, warn))
    if (measurements === null) continue
    known.set(key, measurements)
    const decides = metric === undefined ? undefined : decidingMetric(metric, measurements)
    runs.push({
      repositoryId,
      pullRequestNumber: stored.pullRequestNumber,
      head,
      check: stored.checkName,
      architecture: stored.architecture,
      shard: stored.shard,
      shards: stored.shards,
      attempt: stored.attempt,
      source: stored.source,
      finishedAt: stored.finishedAt,
      measurements,
      oldCommit: stored.oldCommit,
      newCommit: stored.newCommit,
      warnings: stored.warnings,
      ...(decides !== undefined && decides !== metric && { decides }),
      ...(stored.confirmations !== null && { confirmations: stored.confirmations }),
      ...stored.about,
    })
  }
  return runs
}

function givenOf({ given }: Pick<StoredMeasurement, 'given'>): Pick<Measurement, 'given' | 'comparison'> {
  if (given === null) return {}
  const { comparison, ...bySide } = given
  return {
    ...(Object.keys(bySide).length > 0 && { given: bySide }),
    ...(comparison !== undefined && { comparison }),
  }
}

/** The attempts of the checks of a head, those that were replaced among them, with the medians of one metric. */
export async function readAttempts(
  clickhouse: ClickHouse,
  { repositoryId, head, metric, now }: { readonly metric: string } & Pick<RunsWanted, 'repositoryId' | 'head' | 'now'>,
): Promise<readonly StoredAttempt[]> {
  const attempts = await selectAttemptsOfHead(clickhouse, { repositoryId, head, now, most: MOST_ATTEMPTS })
  const runIds = attempts.map(({ runId }) => runId)
  const found = await selectMediansOfRuns(clickhouse, { repositoryId, runIds, metric: metric.toWellFormed() })
  const medians = new Map(found.map((run) => [run.runId, run.old.map((old, place) => [old, run.new[place]!] as const)]))
  return attempts.map(({ runId, checkName, ...attempt }) => ({
    ...attempt,
    check: checkName,
    medians: medians.get(runId) ?? [],
  }))
}

/**
 * The measurements that a report is made of: those of one metric and the work beside it, and of two programs or machines, or of one program
 * that has a metric of its own, all of them: its report has them beside each other.
 */
async function comparedIn(
  clickhouse: ClickHouse,
  ref: RunRef,
  metric: string | undefined,
  stored: StoredRun,
  warn: Warn,
): Promise<readonly Measurement[] | null> {
  const found = await measurementsOf(clickhouse, ref, metric, stored, warn)
  if (metric === undefined || found === null) return found
  const decides = decidingMetric(metric, found)
  const isOneProgram = decides !== metric && found.filter((one) => one.metric === decides).length === 1
  if (stored.about.labels === undefined && !isOneProgram) return found
  const all = (await measurementsOf(clickhouse, ref, undefined, stored, warn)) ?? found
  return [...all, ...unmeasuredBy(decides, all)]
}

function keyOfQuery(row: {
  readonly test: string
  readonly queryIndex: number | null
  readonly queryName: string | null
  readonly ordinal: number | null
  readonly architecture: string | null
}): string {
  return JSON.stringify([row.test, row.queryIndex, row.queryName, row.ordinal, row.architecture])
}

/** null when rows are missing, which only somebody else's hand in the tables can bring about. */
async function measurementsOf(
  clickhouse: ClickHouse,
  ref: RunRef,
  metric: string | undefined,
  stored: StoredRun,
  warn: Warn,
): Promise<Measurement[] | null> {
  const found = await countMeasuredRows(clickhouse, ref)
  if (found.measurements !== stored.measurements || found.samples !== stored.samples) {
    warn(
      {
        ...ref,
        measurements: found.measurements,
        expected: stored.measurements,
        samples: found.samples,
        expectedSamples: stored.samples,
      },
      'A stored run is not complete any more and is left out',
    )
    return null
  }
  const metrics = metric === undefined ? [] : [...mayDecide(metric), ...WORK_METRICS]
  const all = await selectMeasurementsOfRun(clickhouse, { ...ref, metrics })
  const decides = metric === undefined ? undefined : decidingMetric(metric, all)
  const wanted = new Set([decides, ...WORK_METRICS])
  const inPlace = new Map(
    [...Map.groupBy(all, keyOfQuery)].map(([query, ofQuery]) => [query, metricInPlaceOf(decides ?? '', ofQuery)]),
  )
  const isWanted = (row: (typeof all)[number]) => wanted.has(row.metric) || row.metric === inPlace.get(keyOfQuery(row))
  const rows = decides === undefined ? all : all.filter(isWanted)
  const samples = new Map(
    (await selectSamplesOfRun(clickhouse, { ...ref, metrics })).map((row) => [row.measurement, row]),
  )
  const measured = rows.map((row) => ({
    test: row.test,
    queryIndex: row.queryIndex,
    queryName: row.queryName,
    ...(row.ordinal === null ? {} : { ordinal: row.ordinal }),
    metric: row.metric,
    unit: row.unit,
    architecture: row.architecture,
    old: samples.get(row.measurement)?.old ?? [],
    new: samples.get(row.measurement)?.new ?? [],
    reportThreshold: row.reportThreshold,
    rounded: row.rounded,
    problems: row.problems,
    ...(row.better === 'higher' && { better: row.better }),
    ...givenOf(row),
    ...(row.notes.length > 0 && { notes: row.notes }),
  }))
  if (decides === undefined) return measured
  const lost = await selectQueriesWithoutMetric(clickhouse, { ...ref, metric: decides })
  return [
    ...measured,
    ...lost.map(({ ordinal, architecture, problems, ...row }) => {
      const query = { ...row, ...(ordinal === null ? {} : { ordinal }) }
      return unmeasured(query, { metric: decides, architecture, problems: problems.flat() })
    }),
  ]
}
