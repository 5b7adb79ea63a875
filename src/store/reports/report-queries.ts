import { z } from 'zod'
import type { ClickHouse } from '../client.ts'
import { bool, count } from '../column-values.ts'
import { readSql } from '../sql-file.ts'
import { reading } from '../table.ts'
import { REPORTS } from './stored-report.ts'

/** Statements that find reports. What a stored report holds: `stored-report.ts`. */

export interface RepositoryName {
  readonly id: number
  readonly isPrivate: boolean
}

const SQL = {
  reportOfPullRequest: readSql(new URL('./report-of-pull-request.sql', import.meta.url)),
  reportOfHead: readSql(new URL('./report-of-head.sql', import.meta.url)),
  reportBefore: readSql(new URL('./report-before.sql', import.meta.url)),
  newestReport: readSql(new URL('./newest-report.sql', import.meta.url)),
  repositoryByName: readSql(new URL('./repository-by-name.sql', import.meta.url)),
  repositoryById: readSql(new URL('./repository-by-id.sql', import.meta.url)),
}

export interface PullRequestRef {
  readonly repositoryId: number
  readonly pullRequestNumber: number
}

const storedReport = reading(REPORTS, 'report')

const reportVersion = reading(REPORTS, 'head', 'judged_at', 'stored_at')

/** The key that tells a stored report from the others of its pull request. Times in milliseconds. */
export type ReportVersion = z.infer<typeof reportVersion>

/** The newest report of a pull request, or of one of its heads, by its key; null: there is none. */
export async function selectNewestReport(
  clickhouse: ClickHouse,
  of: PullRequestRef & { readonly head: string | null },
): Promise<ReportVersion | null> {
  const rows = await clickhouse.read('newest-report', SQL.newestReport, { ...of, head: of.head ?? '' }, reportVersion)
  return rows[0] ?? null
}

const versionedReport = storedReport.extend(reportVersion.shape)

type VersionedReport = z.infer<typeof versionedReport>

/** The report's JSON as stored with what tells it apart, like the one below; null when there is none. */
export async function selectReportOfPullRequest(
  clickhouse: ClickHouse,
  of: PullRequestRef,
): Promise<VersionedReport | null> {
  return versioned(await clickhouse.readValues('report-of-pull-request', SQL.reportOfPullRequest, { ...of }))
}

export async function selectReportOfHead(
  clickhouse: ClickHouse,
  of: PullRequestRef & { readonly head: string },
): Promise<VersionedReport | null> {
  return versioned(await clickhouse.readValues('report-of-head', SQL.reportOfHead, { ...of }))
}

/** `writeReport` leaves no tab and no line break in the JSON. */
function versioned(values: readonly string[] | null): VersionedReport | null {
  if (values === null) return null
  const [head, judgedAt, storedAt, report] = values
  return versionedReport.parse({ head, judgedAt, storedAt, report })
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
): Promise<RepositoryName | null> {
  const row = z.object({ id: count, isPrivate: bool })
  const rows = await clickhouse.read('repository-by-name', SQL.repositoryByName, { ...of }, row)
  return rows[0] ?? null
}

export async function selectRepositoryById(
  clickhouse: ClickHouse,
  repositoryId: number,
): Promise<{ owner: string; repo: string } | null> {
  const row = z.object({ owner: z.string(), repo: z.string() })
  const rows = await clickhouse.read('repository-by-id', SQL.repositoryById, { repositoryId }, row)
  return rows[0] ?? null
}
