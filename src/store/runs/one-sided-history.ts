import { z } from 'zod'
import { type Run, resultKey, runKey } from '../../intake/measurement/run.ts'
import {
  comparableRuns,
  type MeasuredOnce,
  MOST_RUNS_LOOKED_AT,
  type OneSidedHistory,
  oneSidedHistory,
  type Place,
} from '../../judge/history/one-sided-history.ts'
import type { ClickHouse } from '../client.ts'
import { count, float } from '../column-values.ts'
import { readSql } from '../sql-file.ts'
import { reading } from '../table.ts'
import { RUNS, storedQuery } from './run-tables.ts'

/** What the trunk measured before, where the head alone was measured. */

const TRUNK_RUNS_SQL = readSql(new URL('./trunk-runs-before.sql', import.meta.url))
const JOBS_SQL = readSql(new URL('./jobs-of-head.sql', import.meta.url))
const MEDIANS_SQL = readSql(new URL('./new-medians-of-runs.sql', import.meta.url))

/** Jobs of a head that are looked at; three of them count. */
const MOST_JOBS = 6

/** Queries of a check. */
export const MOST_QUERIES = 100_000

export interface OneSidedWanted {
  readonly repositoryId: number
  readonly metric: string
  /** Milliseconds: runs of the trunk that ended before. */
  readonly before: number
  readonly head: { readonly sha: string; readonly pullRequestNumber: number }
}

interface StoredJob extends Place, Pick<MeasuredOnce, 'time'> {
  readonly runId: string
}

/** What the trunk and all jobs of a head measured of the checks of these runs, by `runKey`. @throws StoreUnavailable */
export async function readOneSidedHistories(
  clickhouse: ClickHouse,
  runs: readonly Run[],
  { repositoryId, metric, before, head }: OneSidedWanted,
): Promise<ReadonlyMap<string, OneSidedHistory>> {
  const trunk = await selectTrunkRuns(clickhouse, repositoryId, before)
  const ofHead = { repositoryId, head: head.sha, pullRequestNumber: head.pullRequestNumber, most: MOST_JOBS }
  const jobs = (await clickhouse.read('jobs-of-head', JOBS_SQL, ofHead, storedJob)).map(jobOf)
  const histories = new Map<string, OneSidedHistory>()
  for (const run of runs) {
    const own = jobs.filter(({ check, architecture, shard }) => isEqual({ check, architecture, shard }, run))
    const of = { repositoryId, metric, architecture: run.architecture }
    const compared = comparableRuns(run, trunk, own)
    const measuredOn = await selectMedians(clickhouse, compared.trunk, of)
    const measuredIn = await selectMedians(clickhouse, compared.jobs, of)
    histories.set(runKey(run), oneSidedHistory(measuredOn, measuredIn))
  }
  return histories
}

/** The history of jobs that are not stored: what the trunk measured before a time, in milliseconds, and these. @throws StoreUnavailable */
export async function readHistoryOfJobs(
  clickhouse: ClickHouse,
  of: Place,
  jobs: readonly MeasuredOnce[],
  { repositoryId, metric, before }: Omit<OneSidedWanted, 'head'>,
): Promise<OneSidedHistory> {
  const stored = await selectTrunkRuns(clickhouse, repositoryId, before)
  const compared = comparableRuns(of, stored, jobs)
  const { architecture } = of
  return oneSidedHistory(
    await selectMedians(clickhouse, compared.trunk, { repositoryId, metric, architecture }),
    compared.jobs,
  )
}

/** The newest runs of the trunk, newest first. */
export async function selectTrunkRuns(clickhouse: ClickHouse, repositoryId: number, before: number) {
  const parameters = { repositoryId, before: new Date(before), most: MOST_RUNS_LOOKED_AT }
  const rows = await clickhouse.read('trunk-runs-before', TRUNK_RUNS_SQL, parameters, storedTrunkRun)
  return rows.map(jobOf)
}

function isEqual(a: Omit<Place, 'machine'>, b: Omit<Place, 'machine'>): boolean {
  return a.check === b.check && a.architecture === b.architecture && a.shard === b.shard
}

const storedJob = reading(RUNS, 'run_id', 'check_name', 'architecture', 'shard', 'about').extend({ time: count })

const storedTrunkRun = storedJob.extend(reading(RUNS, 'head', 'shards').shape)

function jobOf<Stored extends z.infer<typeof storedJob>>({ checkName, about, ...job }: Stored) {
  return { ...about, ...job, check: checkName }
}

const storedMedians = storedQuery.extend({ runs: z.array(count), medians: z.array(float) })

/** The runs with their medians. A query that states no architecture of its own is on that of the judged check. */
async function selectMedians(
  clickhouse: ClickHouse,
  jobs: readonly StoredJob[],
  of: { readonly repositoryId: number; readonly metric: string; readonly architecture: string | null },
): Promise<readonly MeasuredOnce[]> {
  const found = jobs.map(() => new Map<string, number>())
  const runIds = jobs.map(({ runId }) => runId)
  const wanted = { repositoryId: of.repositoryId, metric: of.metric.toWellFormed(), runIds, most: MOST_QUERIES }
  const rows = jobs.length === 0 ? [] : await clickhouse.read('new-medians-of-runs', MEDIANS_SQL, wanted, storedMedians)
  for (const { runs, medians, ordinal, architecture, ...query } of rows) {
    const key = resultKey({
      ...query,
      ...(ordinal === null ? {} : { ordinal }),
      architecture: architecture ?? of.architecture,
    })
    for (const [place, run] of runs.entries()) found[run]!.set(key, medians[place]!)
  }
  return jobs.map((job, index) => ({ ...job, medians: found[index]! }))
}
