import { z } from 'zod'
import type { ClickHouse } from './client.ts'
import { readSql } from './sql-file.ts'
import { fillPlaceholders } from './sql-placeholders.ts'

/** One function per file in `queries/`: its parameters typed, its rows validated. */

const SQL = {
  runStored: readSql('./queries/run-stored.sql'),
  rowsOfRun: readSql('./queries/rows-of-run.sql'),
  deleteSamples: readSql('./queries/delete-samples.sql'),
  deleteStacks: readSql('./queries/delete-stacks.sql'),
  deleteQueryResults: readSql('./queries/delete-query-results.sql'),
  runsOfHead: readSql('./queries/runs-of-head.sql'),
  attemptsOfHead: readSql('./queries/attempts-of-head.sql'),
  mediansOfRuns: readSql('./queries/medians-of-runs.sql'),
  measurementsOfRun: readSql('./queries/measurements-of-run.sql'),
  storedOfRun: readSql('./queries/stored-of-run.sql'),
  samplesOfRun: readSql('./queries/samples-of-run.sql'),
  reportOfPullRequest: readSql('./queries/report-of-pull-request.sql'),
  reportOfHead: readSql('./queries/report-of-head.sql'),
  reportBefore: readSql('./queries/report-before.sql'),
  newestReport: readSql('./queries/newest-report.sql'),
  repositoryByName: readSql('./queries/repository-by-name.sql'),
}

export interface RunRef {
  readonly repositoryId: number
  readonly runId: string
}

export interface PullRequestRef {
  readonly repositoryId: number
  readonly pullRequestNumber: number
}

/** 64-bit integers come as text: as numbers they would lose digits. Counts are far below that. */
const count = z.coerce.number().int().nonnegative()

const NON_FINITE: Readonly<Record<string, number>> = { nan: NaN, '-nan': NaN, inf: Infinity, '-inf': -Infinity }
const float = z.union([z.number(), z.enum(['nan', '-nan', 'inf', '-inf']).transform((text) => NON_FINITE[text] ?? NaN)])

/** A Bool comes as true or false, the result of a comparison as 0 or 1. */
const bool = z.union([z.boolean(), z.literal([0, 1])]).transform(Boolean)

export async function isRunStored(
  clickhouse: ClickHouse,
  parameters: RunRef & { readonly head: string; readonly now: Date },
): Promise<boolean> {
  const rows = await clickhouse.read('run-stored', SQL.runStored, { ...parameters }, z.object({ stored: bool }))
  return rows[0]?.stored ?? false
}

export interface RowCounts {
  readonly results: number
  readonly samples: number
  readonly stacks: number
}

export async function countRowsOfRun(clickhouse: ClickHouse, run: RunRef): Promise<RowCounts> {
  const row = z.object({ results: count, samples: count, stacks: count })
  const rows = await clickhouse.read('rows-of-run', SQL.rowsOfRun, { ...run }, row)
  return rows[0] ?? { results: 0, samples: 0, stacks: 0 }
}

export async function deleteRowsOfRun(clickhouse: ClickHouse, run: RunRef): Promise<void> {
  await change(clickhouse, 'delete-stacks', SQL.deleteStacks, run)
  await change(clickhouse, 'delete-samples', SQL.deleteSamples, run)
  await change(clickhouse, 'delete-query-results', SQL.deleteQueryResults, run)
}

const storedRun = z.object({
  runId: z.string(),
  pullRequestNumber: z.number(),
  checkName: z.string(),
  architecture: z.string().nullable(),
  shard: z.number().nullable(),
  shards: z.number().nullable(),
  attempt: z.number(),
  source: z.string(),
  finishedAt: z.string(),
  oldCommit: z.string().nullable(),
  newCommit: z.string().nullable(),
  /** JSON. */
  warnings: z.string(),
  /** JSON; empty where nothing was measured again. */
  confirmations: z.string(),
  measurements: z.number(),
  samples: count,
})

export type StoredRun = z.infer<typeof storedRun>

export async function selectRunsOfHead(
  clickhouse: ClickHouse,
  parameters: { readonly repositoryId: number; readonly head: string; readonly now: Date },
): Promise<StoredRun[]> {
  return await clickhouse.read('runs-of-head', SQL.runsOfHead, { ...parameters }, storedRun)
}

const storedAttempt = z.object({
  runId: z.string(),
  checkName: z.string(),
  architecture: z.string().nullable(),
  shard: z.number().nullable(),
  attempt: z.number(),
})

export async function selectAttemptsOfHead(
  clickhouse: ClickHouse,
  parameters: { readonly repositoryId: number; readonly head: string; readonly now: Date; readonly most: number },
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

const storedMeasurement = z.object({
  measurement: z.number(),
  test: z.string(),
  queryIndex: z.number().nullable(),
  queryName: z.string().nullable(),
  ordinal: z.number().nullable(),
  metric: z.string(),
  unit: z.string().nullable(),
  architecture: z.string().nullable(),
  reportThreshold: float.nullable(),
  rounded: bool,
  /** JSON. */
  problems: z.string(),
})

export type StoredMeasurement = z.infer<typeof storedMeasurement>

/** A run, and of which metrics; none: of all. */
export interface MeasurementsRef extends RunRef {
  readonly metrics: readonly string[]
}

/** Those whose samples are kept. */
export async function selectMeasurementsOfRun(
  clickhouse: ClickHouse,
  of: MeasurementsRef,
): Promise<StoredMeasurement[]> {
  return await clickhouse.read('measurements-of-run', SQL.measurementsOfRun, { ...of }, storedMeasurement)
}

/** How many measurements, those without samples among them, and samples are there. */
export async function countStoredOfRun(
  clickhouse: ClickHouse,
  run: RunRef,
): Promise<{ readonly measurements: number; readonly samples: number }> {
  const row = z.object({ measurements: count, samples: count })
  const rows = await clickhouse.read('stored-of-run', SQL.storedOfRun, { ...run }, row)
  return rows[0] ?? { measurements: 0, samples: 0 }
}

const storedSamples = z.object({ measurement: z.number(), old: z.array(float), new: z.array(float) })

export type StoredSamples = z.infer<typeof storedSamples>

export async function selectSamplesOfRun(clickhouse: ClickHouse, of: MeasurementsRef): Promise<StoredSamples[]> {
  return await clickhouse.read('samples-of-run', SQL.samplesOfRun, { ...of }, storedSamples)
}

const storedReport = z.object({ report: z.string() })

const reportVersion = z.object({ head: z.string(), judgedAt: count, storedAt: count })

/** What tells a stored report from the others of its pull request. Times in milliseconds. */
export type ReportVersion = z.infer<typeof reportVersion>

/** Which report is the newest of a pull request, or of one of its heads; null: there is none. */
export async function selectNewestReport(
  clickhouse: ClickHouse,
  of: PullRequestRef & { readonly head: string | null },
): Promise<ReportVersion | null> {
  const rows = await clickhouse.read('newest-report', SQL.newestReport, { ...of, head: of.head ?? '' }, reportVersion)
  return rows[0] ?? null
}

const versionedReport = storedReport.extend(reportVersion.shape)

/** The report's JSON as stored with what tells it apart, like the one below; null when there is none. */
export async function selectReportOfPullRequest(
  clickhouse: ClickHouse,
  of: PullRequestRef,
): Promise<z.infer<typeof versionedReport> | null> {
  const rows = await clickhouse.read('report-of-pull-request', SQL.reportOfPullRequest, { ...of }, versionedReport)
  return rows[0] ?? null
}

export async function selectReportOfHead(
  clickhouse: ClickHouse,
  of: PullRequestRef & { readonly head: string },
): Promise<z.infer<typeof versionedReport> | null> {
  const rows = await clickhouse.read('report-of-head', SQL.reportOfHead, { ...of }, versionedReport)
  return rows[0] ?? null
}

export async function selectReportBefore(
  clickhouse: ClickHouse,
  of: PullRequestRef & { readonly head: string },
): Promise<string | null> {
  const rows = await clickhouse.read('report-before', SQL.reportBefore, { ...of }, storedReport)
  return rows[0]?.report ?? null
}

export async function selectRepositoryByName(
  clickhouse: ClickHouse,
  of: { readonly owner: string; readonly name: string },
): Promise<{ id: number; isPrivate: boolean } | null> {
  const row = z.object({ id: count, isPrivate: bool })
  const rows = await clickhouse.read('repository-by-name', SQL.repositoryByName, { ...of }, row)
  return rows[0] ?? null
}

/**
 * `ON CLUSTER` waits for every host, also for one that is down, which does its part when it is back. Whether the rows have
 * gone where they are asked for is counted afterwards. Seconds.
 */
const WITHOUT_THE_DEAD = { distributed_ddl_output_mode: 'never_throw', distributed_ddl_task_timeout: '10' } as const

async function change(clickhouse: ClickHouse, name: string, template: string, run: RunRef): Promise<void> {
  const sql = fillPlaceholders(template, clickhouse.cluster)
  if (sql !== null) await clickhouse.command(name, sql, { ...run }, clickhouse.cluster === null ? {} : WITHOUT_THE_DEAD)
}
