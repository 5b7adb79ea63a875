import { z } from 'zod'
import { type QueueReport, queueReportSchema } from '../../report/queue/queue.ts'
import type { RecordReport } from '../../report/record/record.ts'
import type { ReportRow } from '../../report/report.ts'
import type { RepositoryAddress } from '../../report/urls.ts'
import { jsonText } from '../../text/json-text.ts'
import type { ClickHouse } from '../client.ts'
import { bool, count } from '../column-values.ts'
import { readSql } from '../sql-file.ts'
import type { RepositoryName } from './report-queries.ts'

/** A repository that has reports, by the newest of them. */
export interface ReportedRepository extends RepositoryAddress, RepositoryName {
  /** When its newest report was stored, in milliseconds. */
  readonly storedAt: number
}

const REPORTS = readSql(new URL('./queue-reports.sql', import.meta.url))
const RECORD = readSql(new URL('./record-reports.sql', import.meta.url))
const REPOSITORIES = readSql(new URL('./reported-repositories.sql', import.meta.url))

/** Reports are up to some MB each: few of them at a time, so that the memory stays small. */
const SETTINGS = { max_block_size: '16' } as const

const { failingTests, title, author } = queueReportSchema.shape
const NOT_NAMED = { title: null, author: null }

/** A part that an earlier version left out is an empty text; one that this version does not know says nothing. */
const row = z
  .object({
    pullRequestNumber: count,
    head: z.string(),
    judgedAt: count,
    said: jsonText(z.object({ title, author })).catch(NOT_NAMED),
    failingTests: jsonText(failingTests).catch(null),
  })
  .transform(({ said, ...of }): QueueReport => ({ ...of, ...said }))

/** The newest report of each pull request that was judged since then, in milliseconds; the latest first. */
export async function selectQueueReports(
  clickhouse: ClickHouse,
  of: { readonly repositoryId: number; readonly since: number; readonly limit: number },
): Promise<QueueReport[]> {
  return await clickhouse.read('queue-reports', REPORTS, { ...of }, row, SETTINGS)
}

/** The rows are those that the code of this or an earlier version wrote; what another one wrote says nothing. */
const recordedRows = z
  .array(
    z.looseObject({
      test: z.string(),
      metric: z.string(),
      decidedBy: z.int(),
      results: z.array(z.unknown()).min(1),
      evidence: z.array(z.looseObject({ kind: z.string() })),
    }),
  )
  .transform((rows) => rows as unknown as readonly ReportRow[])
const NO_CLAIMS = { rows: [], withdrawn: [] }

const recordRow = z
  .object({
    pullRequestNumber: count,
    claims: jsonText(z.object({ rows: recordedRows, withdrawn: recordedRows })).catch(NO_CLAIMS),
  })
  .transform(({ claims, ...of }): RecordReport => ({ ...of, ...claims }))

/** The claims of the newest report of each head that was judged since then, in milliseconds; the latest first. */
export async function selectRecordReports(
  clickhouse: ClickHouse,
  of: { readonly repositoryId: number; readonly since: number; readonly limit: number },
): Promise<RecordReport[]> {
  return await clickhouse.read('record-reports', RECORD, { ...of }, recordRow)
}

/** The repositories that have reports, those judged latest first. */
export async function selectReportedRepositories(clickhouse: ClickHouse, limit: number): Promise<ReportedRepository[]> {
  const repository = z.object({ id: count, isPrivate: bool, owner: z.string(), repo: z.string(), storedAt: count })
  return await clickhouse.read('reported-repositories', REPOSITORIES, { limit }, repository)
}
