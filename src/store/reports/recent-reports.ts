import { z } from 'zod'
import type { OutcomeCounts } from '../../judge/verdict/classified-query.ts'
import { type Summary, summarySchema } from '../../report/render/summary.ts'
import { jsonText } from '../../text/json-text.ts'
import type { ClickHouse } from '../client.ts'
import { count } from '../column-values.ts'
import { readSql } from '../sql-file.ts'

/** The newest report of a head, in numbers. */
export interface RecentReport {
  readonly pullRequestNumber: number
  readonly head: string
  /** Milliseconds. */
  readonly judgedAt: number
  readonly baseRef: string
  /** How the repository was set when it was judged: `shadow`, `advisory` or `gating`. */
  readonly mode: string
  readonly complete: boolean
  readonly counts: OutcomeCounts
  /** The numbers of its headline; null: the report is from before they were kept. */
  readonly said: Summary | null
}

const SQL = readSql(new URL('./recent-reports.sql', import.meta.url))

const row = z.object({
  pullRequestNumber: count,
  head: z.string(),
  judgedAt: count,
  baseRef: z.string(),
  mode: z.string(),
  complete: z.union([z.boolean(), z.literal([0, 1])]).transform(Boolean),
  slower: count,
  faster: count,
  unstable: count,
  tooSmall: count,
  notSignificant: count,
  notCompared: count,
  said: jsonText(summarySchema).nullable().catch(null),
})

/** A place in the list of reports: right after this one. Many can be judged within one millisecond. */
export type AfterReport = Pick<RecentReport, 'judgedAt' | 'pullRequestNumber' | 'head'>

/** Before the newest: later than any report. */
export const NEWEST_REPORT: AfterReport = { judgedAt: 9_999_999_999_999, pullRequestNumber: 0, head: '' }

/** The latest first, of those judged at once the highest number; only what comes after the place. */
export async function selectRecentReports(
  clickhouse: ClickHouse,
  {
    repositoryId,
    after,
    limit,
  }: { readonly repositoryId: number; readonly after: AfterReport; readonly limit: number },
): Promise<RecentReport[]> {
  const { judgedAt: before, pullRequestNumber: number, head: afterHead } = after
  const parameters = { repositoryId, before, number, head: afterHead, limit }
  const rows = await clickhouse.read('recent-reports', SQL, parameters, row)
  return rows.map(({ pullRequestNumber, head, judgedAt, baseRef, mode, complete, said, ...counts }) => ({
    pullRequestNumber,
    head,
    judgedAt,
    baseRef,
    mode,
    complete,
    counts,
    said,
  }))
}
