import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { changeRows } from '../change-rows.ts'
import type { ClickHouse } from '../client.ts'
import { count, float } from '../column-values.ts'
import { readSql, readStatements } from '../sql-file.ts'
import { reading } from '../table.ts'
import { OTHERS_FROM } from './run-rows.ts'
import { QUERY_RESULTS, RUNS, storedQuery } from './run-tables.ts'

/** Statements about stored runs and their rows. `stored-runs.ts` makes runs of them. */

const SQL = {
  countedRuns: readSql(new URL('./counted-runs.sql', import.meta.url)),
  rowsOfRun: readSql(new URL('./rows-of-run.sql', import.meta.url)),
  runsStored: readSql(new URL('./runs-stored.sql', import.meta.url)),
  runsOfHead: readSql(new URL('./runs-of-head.sql', import.meta.url)),
  workflowsOfTrunk: readSql(new URL('./workflows-of-trunk.sql', import.meta.url)),
  newestOfTrunk: readSql(new URL('./newest-of-trunk.sql', import.meta.url)),
  measuredCommits: readSql(new URL('./measured-commits.sql', import.meta.url)),
  runsOfCommits: readSql(new URL('./runs-of-commits.sql', import.meta.url)),
  attemptsOfHead: readSql(new URL('./attempts-of-head.sql', import.meta.url)),
  mediansOfRuns: readSql(new URL('./medians-of-runs.sql', import.meta.url)),
  measurementsOfRun: readSql(new URL('./measurements-of-run.sql', import.meta.url)),
  queriesWithoutMetric: readSql(new URL('./queries-without-metric.sql', import.meta.url)),
  placesOfRun: readSql(new URL('./places-of-run.sql', import.meta.url)),
  samplesOfRun: readSql(new URL('./samples-of-run.sql', import.meta.url)),
}
const DELETE_RUN = readStatements(new URL('./delete-run.sql', import.meta.url))

export interface RunRef {
  readonly repositoryId: number
  readonly runId: string
}

/** The runs of a head, by its full commit id, whose samples are kept at a time. */
export interface RunsOfHead {
  readonly repositoryId: number
  readonly head: string
  readonly now: Date
}

const countedRun = reading(RUNS, 'run_id', 'expires', 'stored_at', 'measurements', 'samples').extend({
  foundMeasurements: count,
  foundSamples: count,
})

/** What the row of a run says that it has, and what is there. */
export type CountedRun = z.infer<typeof countedRun>

/**
 * Whether a run is stored completely. Two processes that write the same one at once may leave more or fewer rows than its own row says, and so
 * may one that is killed while it writes such a run anew.
 */
export function isWhole({ measurements, samples, foundMeasurements, foundSamples }: CountedRun): boolean {
  return measurements === foundMeasurements && samples === foundSamples
}

async function selectCountedRuns(
  clickhouse: ClickHouse,
  of: RunsOfHead,
  runIds: readonly string[],
): Promise<CountedRun[]> {
  return await clickhouse.read('counted-runs', SQL.countedRuns, { ...of, runIds, othersFrom: OTHERS_FROM }, countedRun)
}

/** null: the run has no row, or its samples are gone. */
export async function selectCountedRun(
  clickhouse: ClickHouse,
  { runId, ...of }: RunRef & RunsOfHead,
): Promise<CountedRun | null> {
  return (await selectCountedRuns(clickhouse, of, [runId]))[0] ?? null
}

/** Until when the samples of a run are kept; null: it is not stored completely, or they are gone. */
export async function runKeptUntil(clickhouse: ClickHouse, of: RunRef & RunsOfHead): Promise<Date | null> {
  const run = await selectCountedRun(clickhouse, of)
  return run !== null && isWhole(run) ? new Date(run.expires * 1000) : null
}

/**
 * Rows of runs whose measurements and samples were counted and are all there: that is done once in the life of the process, and again where
 * a reading finds that some are missing.
 */
export type WholeRuns = LRUCache<string, true>

const MOST_WHOLE_RUNS = 50_000

export function wholeRuns(): WholeRuns {
  return new LRUCache({ max: MOST_WHOLE_RUNS })
}

const storedRow = reading(RUNS, 'run_id', 'stored_at')

type StoredRow = z.infer<typeof storedRow>

export function keyOfStored({ runId, storedAt }: StoredRow): string {
  return `${runId} ${storedAt}`
}

/** The newest rows of the runs of a head, those that are named or all, whether they are whole or not. */
export async function selectStoredRows(
  clickhouse: ClickHouse,
  of: RunsOfHead,
  runIds: readonly string[],
): Promise<StoredRow[]> {
  return await clickhouse.read('runs-stored', SQL.runsStored, { ...of, runIds }, storedRow)
}

/** The ids of the runs of a head, those that are named or all, that are stored completely and whose samples are kept. */
export async function selectRunsStored(
  clickhouse: ClickHouse,
  of: RunsOfHead,
  whole: WholeRuns,
  runIds: readonly string[] = [],
): Promise<ReadonlySet<string>> {
  const rows = await selectStoredRows(clickhouse, of, runIds)
  const known = rows.filter((row) => whole.has(keyOfStored(row)))
  const unknown = rows.filter((row) => !known.includes(row)).map(({ runId }) => runId)
  const counted = unknown.length === 0 ? [] : (await selectCountedRuns(clickhouse, of, unknown)).filter(isWhole)
  for (const run of counted) whole.set(keyOfStored(run), true)
  return new Set([...known, ...counted].map(({ runId }) => runId))
}

const countedRows = z.object({ of: z.enum(['own', 'results', 'samples', 'stacks']), rows: count })

export type RowsOfRun = Readonly<Record<z.infer<typeof countedRows>['of'], number>>

export async function countRowsOfRun(
  clickhouse: ClickHouse,
  run: RunRef & RunsOfHead & { readonly from: number },
): Promise<RowsOfRun> {
  const counts = { own: 0, results: 0, samples: 0, stacks: 0 }
  for (const { of, rows } of await clickhouse.read('rows-of-run', SQL.rowsOfRun, { ...run }, countedRows))
    counts[of] += rows
  return counts
}

const storedPlace = reading(QUERY_RESULTS, 'test', 'query_index', 'query_name', 'ordinal', 'metric')

/** The queries of a run with their metrics, as far as its rows stand before a position. */
export async function selectPlacesOfRun(
  clickhouse: ClickHouse,
  run: RunRef & { readonly before: number },
): Promise<z.infer<typeof storedPlace>[]> {
  return await clickhouse.read('places-of-run', SQL.placesOfRun, { ...run }, storedPlace)
}

export async function deleteRowsOfRun(clickhouse: ClickHouse, run: RunRef & { readonly from: number }): Promise<void> {
  await changeRows(clickhouse, 'delete-run', DELETE_RUN, { ...run })
}

const storedRun = reading(
  RUNS,
  'run_id',
  'pull_request_number',
  'check_name',
  'architecture',
  'shard',
  'shards',
  'attempt',
  'source',
  'old_commit',
  'new_commit',
  'warnings',
  'confirmations',
  'about',
  'measurements',
  'samples',
  'stored_at',
).extend({ finishedAt: RUNS.columns.finished_at_text.read })

export type StoredRun = z.infer<typeof storedRun>

export async function selectRunsOfHead(
  clickhouse: ClickHouse,
  { repositoryId, head, now }: RunsOfHead,
  most = 1,
): Promise<StoredRun[]> {
  return await clickhouse.read('runs-of-head', SQL.runsOfHead, { repositoryId, head, now, most }, storedRun)
}

const runCommits = reading(RUNS, 'head', 'old_commit', 'new_commit')

/** Runs that measured one of two commits: more are of commits that everything is held against. */
const MOST_OF_COMMITS = 500

export async function selectRunsOfCommits(
  clickhouse: ClickHouse,
  parameters: { readonly repositoryId: number; readonly old: string; readonly new: string; readonly now: Date },
): Promise<z.infer<typeof runCommits>[]> {
  return await clickhouse.read(
    'runs-of-commits',
    SQL.runsOfCommits,
    { ...parameters, limit: MOST_OF_COMMITS },
    runCommits,
  )
}

const measuredCommit = z
  .object({
    commit: z.string(),
    finishedAt: count,
    number: count,
    isHead: count.transform(Boolean),
    baseOf: z.array(count),
  })
  .transform(({ number, isHead, ...of }): MeasuredCommit => ({ ...of, headOf: isHead ? number : null }))

/** A commit whose samples are kept. */
export interface MeasuredCommit {
  /** Full commit id. */
  readonly commit: string
  /** When a run of it finished last; milliseconds. */
  readonly finishedAt: number
  /** The pull request that it is a head of, 0 on the trunk; null: it was only held against. */
  readonly headOf: number | null
  /** The pull requests whose heads were held against it, the newest first. */
  readonly baseOf: readonly number[]
}

/** The commits that were measured last, the latest first. */
export async function selectMeasuredCommits(
  clickhouse: ClickHouse,
  parameters: { readonly repositoryId: number; readonly now: Date; readonly limit: number },
): Promise<readonly MeasuredCommit[]> {
  return await clickhouse.read('measured-commits', SQL.measuredCommits, { ...parameters }, measuredCommit)
}

/** The commit of the newest run of the trunk; null: none is stored with its samples. */
export async function selectNewestOfTrunk(
  clickhouse: ClickHouse,
  parameters: { readonly repositoryId: number; readonly now: Date },
): Promise<string | null> {
  const row = reading(RUNS, 'head')
  const [newest] = await clickhouse.read('newest-of-trunk', SQL.newestOfTrunk, { ...parameters }, row)
  return newest?.head ?? null
}

/** A matrix of a hundred machines with ten shards each. */
const MOST_CHECKS_OF_TRUNK = 1000

/** The path of the workflow by the name of the check, empty where no workflow of GitHub Actions gave its newest results. */
export async function selectWorkflowsOfTrunk(
  clickhouse: ClickHouse,
  repositoryId: number,
): Promise<ReadonlyMap<string, string>> {
  const row = z.object({ checkName: z.string(), workflow: z.string() })
  const parameters = { repositoryId, most: MOST_CHECKS_OF_TRUNK }
  const rows = await clickhouse.read('workflows-of-trunk', SQL.workflowsOfTrunk, parameters, row)
  return new Map(rows.map(({ checkName, workflow }) => [checkName, workflow]))
}

const storedAttempt = reading(RUNS, 'run_id', 'check_name', 'architecture', 'shard', 'attempt')

export async function selectAttemptsOfHead(
  clickhouse: ClickHouse,
  parameters: RunsOfHead & { readonly most: number },
): Promise<z.infer<typeof storedAttempt>[]> {
  return await clickhouse.read('attempts-of-head', SQL.attemptsOfHead, { ...parameters }, storedAttempt)
}

const storedMedians = z.object({ runId: z.string(), old: z.array(float), new: z.array(float) })

export async function selectMediansOfRuns(
  clickhouse: ClickHouse,
  parameters: { readonly repositoryId: number; readonly runIds: readonly string[]; readonly metric: string },
): Promise<z.infer<typeof storedMedians>[]> {
  return await clickhouse.read('medians-of-runs', SQL.mediansOfRuns, { ...parameters }, storedMedians)
}

const storedMeasurement = reading(
  QUERY_RESULTS,
  'measurement',
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
  'old_median',
  'new_median',
  'better',
  'given',
  'taken',
).extend({ notes: QUERY_RESULTS.columns.source_notes.read })

export type StoredMeasurement = z.infer<typeof storedMeasurement>

/** A run, and of which metrics; none: of all. */
export interface MeasurementsRef extends RunRef {
  readonly metrics: readonly string[]
}

/** The metrics whose samples are kept. */
export async function selectMeasurementsOfRun(
  clickhouse: ClickHouse,
  wanted: MeasurementsRef & { readonly before: number },
): Promise<StoredMeasurement[]> {
  return await clickhouse.read('measurements-of-run', SQL.measurementsOfRun, { ...wanted }, storedMeasurement)
}

const queryWithoutMetric = storedQuery.extend({ problems: z.array(QUERY_RESULTS.columns.problems.read) })

export async function selectQueriesWithoutMetric(
  clickhouse: ClickHouse,
  wanted: RunRef & { readonly metric: string; readonly before: number },
): Promise<z.infer<typeof queryWithoutMetric>[]> {
  return await clickhouse.read('queries-without-metric', SQL.queriesWithoutMetric, { ...wanted }, queryWithoutMetric)
}

const storedSamples = z.object({ measurement: z.number(), old: z.array(float), new: z.array(float) })

export type StoredSamples = z.infer<typeof storedSamples>

export async function selectSamplesOfRun(clickhouse: ClickHouse, wanted: MeasurementsRef): Promise<StoredSamples[]> {
  return await clickhouse.read('samples-of-run', SQL.samplesOfRun, { ...wanted }, storedSamples)
}
