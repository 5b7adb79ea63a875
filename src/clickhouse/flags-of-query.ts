import { z } from 'zod'
import type { QueryId } from '../measurement/run.ts'
import { timestamp } from './ci-parameters.ts'
import type { ClickHouse } from './client.ts'
import { NO_INDEX } from './query-hash.ts'
import { readSql } from './sql-file.ts'

const SQL = readSql('./queries/flags-of-query.sql')

/** The newest runs of pull requests that are looked through: the table of results is ordered by run and not by query. */
export const FLAG_RUNS = 2000

/** A run of a pull request in which a query has changed. */
export interface QueryFlag {
  readonly pullRequestNumber: number
  readonly head: string
  readonly architecture: string | null
  /** When the run finished, milliseconds since 1970. */
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
  shown_architecture: z.string().nullable(),
  time: z.coerce.number(),
  direction: z.enum(['slower', 'faster']),
  difference: z.number(),
  threshold: z.number().nullable().catch(null),
  oldMedian: z.number().nullable().catch(null),
  newMedian: z.number().nullable().catch(null),
})

/**
 * The pull requests in which a query was flagged (`changed`, either way) among the newest `FLAG_RUNS` runs: of each pull
 * request and architecture the newest run that flagged it, the newest first.
 * @throws StoreUnavailable
 */
export async function selectFlagsOfQuery(
  clickhouse: ClickHouse,
  { repositoryId, query, metric, since, limit }: FlagsWanted,
): Promise<QueryFlag[]> {
  const parameters = {
    repositoryId,
    test: query.test,
    queryName: query.queryName ?? '',
    queryIndex: query.queryIndex ?? NO_INDEX,
    ordinal: query.ordinal ?? 0,
    metric,
    since: timestamp(since / 1000),
    runs: FLAG_RUNS,
    limit,
  }
  const rows = await clickhouse.read('flags-of-query', SQL, parameters, row)
  return rows.map(({ shown_architecture: architecture, ...flag }) => ({ ...flag, architecture }))
}
