import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { decidingMetric } from '../../intake/measurement/formats/formats.ts'
import { type ByMetric, type Measurement, type Run, unmeasured } from '../../intake/measurement/run.ts'
import type { ClassifiedQuery } from '../../judge/verdict/classified-query.ts'
import { metricsOfReport } from '../../judge/verdict/evidence/different-work.ts'
import type { StoredAttempt } from '../../judge/verdict/evidence/shard-shift.ts'
import { DAY } from '../../text/time.ts'
import type { ClickHouse } from '../client.ts'
import { insertInto } from '../table.ts'
import { decidedBy, givenOf, madeOf, needsAll, shortReadBack } from './read-back.ts'
import {
  type CountedRun,
  countRowsOfRun,
  deleteRowsOfRun,
  isWhole,
  keyOfStored,
  type RunRef,
  type RunsOfHead,
  runKeptUntil,
  type StoredMeasurement,
  type StoredRun,
  selectAttemptsOfHead,
  selectCountedRun,
  selectMeasurementsOfRun,
  selectMediansOfRuns,
  selectPlacesOfRun,
  selectQueriesWithoutMetric,
  selectRunsOfHead,
  selectSamplesOfRun,
  type WholeRuns,
} from './run-queries.ts'
import { type Judge, OTHERS_FROM, type RunRows, rowsOfOthers, rowsOfRun, runIdOf } from './run-rows.ts'
import { QUERY_RESULTS, RUNS, type RunRow, SAMPLES } from './run-tables.ts'
import { countStacks, STACKS, type StackRow, stackRows } from './stack-rows.ts'

/** Writes of a run that are found incomplete afterwards are made once more: another writer removed them in between. */
const WRITE_TRIES = 2

/** Runs of a head that are read at once: each is some thousand rows in memory. */
const RUNS_AT_ONCE = 4

/** Attempts of one check that are looked at: somebody who has run it five times more has seen enough. */
const MOST_ATTEMPTS = 6

/** The position before which all rows of a run stand. */
const ALL = 2 ** 32 - 1

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

/** Numbers that are kept, some 30 MB: fourteen shards of 790 queries. Twice as much where each row has texts of its own, as from the database. */
const MOST_KNOWN_NUMBERS = 1_000_000

/** What a measurement takes beside its samples, in numbers. */
const MEASUREMENT_SIZE = 10

export function knownMeasurements(): KnownMeasurements {
  return new LRUCache({
    maxSize: MOST_KNOWN_NUMBERS,
    sizeCalculation: sizeOf,
  })
}

function takenOf({ taken }: StoredMeasurement): Pick<Measurement, 'taken' | 'clock' | 'equalBuilds'> {
  if (taken === null) return {}
  const { clock, equalBuilds, ...sides } = taken
  return {
    ...(Object.keys(sides).length > 0 && { taken: sides }),
    ...(clock && { clock }),
    ...(equalBuilds !== undefined && { equalBuilds }),
  }
}

/** The memory that measurements take, in numbers of some 30 bytes; texts are not counted. */
export function sizeOf(measurements: readonly Measurement[]): number {
  return measurements.reduce((sum, one) => {
    const samples = one.old.length + one.new.length
    return sum + MEASUREMENT_SIZE + (one.taken === undefined ? samples : 3 * samples)
  }, 1)
}

interface RunsWanted {
  readonly repositoryId: number
  readonly head: string
  /** Not given: all metrics. */
  readonly metric: string | undefined
  readonly now: Date
  readonly warn: Warn
  readonly known: KnownMeasurements
  readonly whole: WholeRuns
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
  const { repositoryId, head } = run
  const expires = new Date(now.getTime() + sampleDays * DAY)
  const rows = rowsOfRun(run, results, expires, primaryMetric)
  const stacks = { count: countStacks(run), rows: () => stackRows(run, rows.runId, expires) }
  const of = { repositoryId, head, now }
  const { runId } = rows
  let torn: CountedRun | null = null
  const isThere = async (hasRow: boolean) => {
    // counting takes as long as four other statements, and a run that is new has no row
    torn = hasRow ? await selectCountedRun(clickhouse, { ...of, runId }) : null
    return torn !== null && isWhole(torn)
  }
  const isNew = await writeRows(clickhouse, run, rows, { from: 0, now, stacks, isThere })
  if (isNew) await insertInto(clickhouse, RUNS, [{ ...rows, run, expires, storedAt: afterThat(torn, now) }])
  return isNew
}

/** When a row is stored that replaces another. By the clock of another process that may have been stored later than now, and would stand. */
function afterThat(before: { readonly storedAt: number } | null, now: Date): Date {
  return new Date(Math.max(now.getTime(), (before?.storedAt ?? 0) + 1))
}

/**
 * Stores what a run has beside the metrics of its report, where those alone are there. `byMetric` has all of its measurements, or none
 * where the source is gone. Its row comes last again: until then what is read of the run is what was there before.
 * @throws TooLargeToStore, StoreUnavailable
 */
export async function writeOthers(
  clickhouse: ClickHouse,
  run: Run,
  byMetric: ByMetric,
  judge: Judge,
  { primaryMetric, now }: Omit<RunWriting, 'sampleDays'>,
): Promise<void> {
  const { repositoryId, head } = run
  const of = { repositoryId, head, runId: runIdOf(run), now }
  const storedRun = async () => (await selectRunsOfHead(clickhouse, of)).find(({ runId }) => runId === of.runId)
  const isThere = async () =>
    (await storedRun())?.about.othersUnread !== true && (await runKeptUntil(clickhouse, of)) !== null
  const stored = await storedRun()
  const expires = await runKeptUntil(clickhouse, of)
  if (expires === null || stored?.about.othersUnread !== true) return
  const before = await selectPlacesOfRun(clickhouse, { ...of, before: OTHERS_FROM })
  const rows = rowsOfOthers(run, byMetric, judge, expires, primaryMetric, before)
  const stacks = { count: 0, rows: () => [] }
  if (!(await writeRows(clickhouse, run, rows, { from: OTHERS_FROM, now, stacks, isThere }))) return
  const all: RunRow = {
    run,
    runId: of.runId,
    measurements: stored.measurements + rows.measurements,
    sampleCount: stored.samples + rows.sampleCount,
    expires,
    storedAt: afterThat(stored, now),
  }
  await insertInto(clickhouse, RUNS, [all])
}

interface RowsWriting {
  /** The position of the first of the rows. */
  readonly from: number
  readonly now: Date
  readonly stacks: { readonly count: number; readonly rows: () => Iterable<StackRow> }
  readonly isThere: (hasRow: boolean) => Promise<boolean>
}

/** False: they are there. Rows of a writing that was cut off are removed first. */
async function writeRows(
  clickhouse: ClickHouse,
  { repositoryId, head, check }: Run,
  rows: RunRows,
  { from, now, stacks, isThere }: RowsWriting,
): Promise<boolean> {
  const ref = { repositoryId, runId: rows.runId, from }
  const count = async () => {
    const found = await countRowsOfRun(clickhouse, { ...ref, head, now })
    return from === 0 ? found : { ...found, stacks: 0 }
  }
  for (let tries = 1; ; tries++) {
    const left = await count()
    if (await isThere(left.own > 0)) return false
    if (left.results + left.samples + left.stacks > 0) await deleteRowsOfRun(clickhouse, ref)
    const writes: Promise<void>[] = []
    if (rows.resultCount > 0) writes.push(insertInto(clickhouse, QUERY_RESULTS, rows.results))
    if (rows.sampleCount > 0) writes.push(insertInto(clickhouse, SAMPLES, rows.samples))
    if (stacks.count > 0) writes.push(insertInto(clickhouse, STACKS, stacks.rows()))
    await allDone(writes)
    const written = await count()
    const isComplete =
      written.results === rows.resultCount && written.samples === rows.sampleCount && written.stacks === stacks.count
    if (isComplete) return true
    if (tries === WRITE_TRIES) {
      throw new Error(
        `${check} of ${head} was not stored: ${written.samples} samples and ${written.stacks} stacks are there ` +
          `after ${rows.sampleCount} and ${stacks.count} were written. Is another bot writing to the same database?`,
      )
    }
  }
}

/** Resolves when all have ended, with the first error where there is one: what goes on after it would be taken for another writer's. */
async function allDone(writes: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(writes)).find((write) => write.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

function keyOfKnown({ repositoryId, runId }: RunRef, metric: string | undefined): string {
  return JSON.stringify([repositoryId, runId, metric])
}

/** Remembers of a run that was stored just now what `readRuns` would read of it: the comment on the next shard asks for it. */
export function rememberRun(known: KnownMeasurements, run: Run, primaryMetric: string): void {
  const back = shortReadBack(run, primaryMetric)
  if (back !== null) known.set(keyOfKnown({ ...run, runId: runIdOf(run) }, primaryMetric), back.measurements)
}

/** The newest attempts of the checks of a head, whole: with the measurements of all metrics, or of one and the work beside it. */
export async function readRuns(
  clickhouse: ClickHouse,
  { repositoryId, head, metric, now, warn, known, whole }: RunsWanted,
  attempts: 'newest' | 'all' = 'newest',
): Promise<Run[]> {
  const stored = await selectRunsOfHead(clickhouse, { repositoryId, head, now }, attempts === 'all' ? MOST_ATTEMPTS : 1)
  const runs = await pLimit(RUNS_AT_ONCE).map(stored, async (run): Promise<Run | null> => {
    const ref = { repositoryId, head, runId: run.runId, now }
    const key = keyOfKnown(ref, metric)
    const measurements = known.get(key) ?? (await comparedIn(clickhouse, ref, metric?.toWellFormed(), run, warn))
    if (measurements === null) {
      // Another process has written it since it was counted: the next look reads its source again.
      whole.delete(keyOfStored(run))
      return null
    }
    // by a metric that is stored later it has no measurements yet
    if (run.about.othersUnread !== true) known.set(key, measurements)
    const decides = metric === undefined ? undefined : decidingMetric(metric, measurements)
    return {
      repositoryId,
      pullRequestNumber: run.pullRequestNumber,
      head,
      check: run.checkName,
      architecture: run.architecture,
      shard: run.shard,
      shards: run.shards,
      attempt: run.attempt,
      source: run.source,
      finishedAt: run.finishedAt,
      measurements,
      oldCommit: run.oldCommit,
      newCommit: run.newCommit,
      warnings: run.warnings,
      ...(decides !== undefined && decides !== metric && { decides }),
      ...(run.confirmations !== null && { confirmations: run.confirmations }),
      ...run.about,
      ...(run.about.othersUnread === true && { storedAt: run.storedAt }),
    }
  })
  return runs.filter((run) => run !== null)
}

/** What stands in the place of samples: see `isSummary`. */
function summaryOf({ given }: StoredMeasurement, median: number | null): readonly number[] {
  return given?.comparison === undefined || median === null ? [] : [median]
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

/** The measurements that a report by a metric is made of. */
async function comparedIn(
  clickhouse: ClickHouse,
  ref: RunRef & RunsOfHead,
  metric: string | undefined,
  stored: StoredRun,
  warn: Warn,
): Promise<readonly Measurement[] | null> {
  const found = await measurementsOf(clickhouse, ref, metric, stored, warn)
  if (metric === undefined || found === null || !needsAll(found, metric, stored.about)) return found
  const all = (await measurementsOf(clickhouse, ref, undefined, stored, warn)) ?? found
  return madeOf(all, metric, found, stored.about)
}

/** null when its rows are not those that its own row says: see `isWhole`. */
async function measurementsOf(
  clickhouse: ClickHouse,
  ref: RunRef & RunsOfHead,
  metric: string | undefined,
  stored: StoredRun,
  warn: Warn,
): Promise<Measurement[] | null> {
  const before = stored.about.othersUnread === true ? OTHERS_FROM : ALL
  const metrics = metric === undefined ? [] : metricsOfReport(metric)
  const { repositoryId, runId } = ref
  const [counted, all, sampled] = await Promise.all([
    selectCountedRun(clickhouse, ref),
    selectMeasurementsOfRun(clickhouse, { repositoryId, runId, metrics, before }),
    selectSamplesOfRun(clickhouse, { repositoryId, runId, metrics }),
  ])
  if (counted === null || !isWhole(counted)) {
    warn({ repositoryId, runId, ...counted }, 'A stored run is no longer complete and is left out')
    return null
  }
  const decides = metric === undefined ? undefined : decidingMetric(metric, all)
  const rows = decides === undefined ? all : decidedBy(all, decides)
  const samples = new Map(sampled.map((row) => [row.measurement, row]))
  const measured = rows.map((row) => ({
    test: row.test,
    queryIndex: row.queryIndex,
    queryName: row.queryName,
    ...(row.ordinal === null ? {} : { ordinal: row.ordinal }),
    metric: row.metric,
    unit: row.unit,
    architecture: row.architecture,
    old: samples.get(row.measurement)?.old ?? summaryOf(row, row.oldMedian),
    new: samples.get(row.measurement)?.new ?? summaryOf(row, row.newMedian),
    reportThreshold: row.reportThreshold,
    rounded: row.rounded,
    problems: row.problems,
    ...(row.better !== 'lower' && { better: row.better }),
    ...givenOf(row),
    ...(row.notes.length > 0 && { notes: row.notes }),
    ...takenOf(row),
  }))
  if (decides === undefined) return measured
  const lost = await selectQueriesWithoutMetric(clickhouse, { repositoryId, runId, metric: decides, before })
  return [
    ...measured,
    ...lost.map(({ ordinal, architecture, problems, ...row }) => {
      const query = { ...row, ...(ordinal === null ? {} : { ordinal }) }
      return unmeasured(query, { metric: decides, architecture, problems: problems.flat() })
    }),
  ]
}
