import { z } from 'zod'
import { queryHash } from '../../intake/measurement/query-hash.ts'
import type { QueryId } from '../../intake/measurement/run.ts'
import { timestamp } from '../ci-parameters.ts'
import type { ClickHouse } from '../client.ts'
import { readSql } from '../sql-file.ts'

const SQL = readSql(new URL('./flags-of-query.sql', import.meta.url))

/** A report of a pull request in which a query has changed. */
export interface QueryFlag {
  readonly pullRequestNumber: number
  readonly head: string
  readonly architecture: string | null
  /** When its run finished, milliseconds since 1970. */
  readonly time: number
  readonly direction: 'slower' | 'faster'
  /** Fractions of the old median. */
  readonly difference: number
  readonly threshold: number | null
  readonly oldMedian: number | null
  readonly newMedian: number | null
  /** The query's position in that run. */
  readonly queryIndex: number | null
}

export interface FlagsWanted {
  readonly repositoryId: number
  readonly query: QueryId
  readonly metric: string
  /** Milliseconds since 1970. */
  readonly since: number
  readonly limit: number
}

const row = z.object({
  pullRequestNumber: z.number(),
  head: z.string(),
  queryIndex: z.number().nullable(),
  architecture: z.string().nullable(),
  time: z.coerce.number(),
  direction: z.enum(['slower', 'faster']),
  difference: z.number(),
  threshold: z.number().nullable().catch(null),
  oldMedian: z.number().nullable().catch(null),
  newMedian: z.number().nullable().catch(null),
})

/**
 * The pull requests in which a query was flagged (`changed` in a report, either way): of each pull request and architecture
 * the newest head that flagged it, the newest first. Of the reports of one head the newest alone counts; a report flags by
 * the metric that its repository judges by.
 * @throws StoreUnavailable
 */
export async function selectFlagsOfQuery(
  clickhouse: ClickHouse,
  { repositoryId, query, metric, since, limit }: FlagsWanted,
): Promise<QueryFlag[]> {
  const parameters = {
    repositoryId,
    hash: queryHash(query),
    ordinal: query.ordinal ?? 0,
    metric,
    since: timestamp(since / 1000),
    limit,
  }
  return await clickhouse.read('flags-of-query', SQL, parameters, row)
}
