import type { z } from 'zod'
import { queryHash } from '../../intake/measurement/query-hash.ts'
import type { QueryId } from '../../intake/measurement/run.ts'
import { timestamp } from '../../text/time.ts'
import type { ClickHouse } from '../client.ts'
import { readSql } from '../sql-file.ts'
import { reading } from '../table.ts'
import { FLAGS } from './flag-rows.ts'

/** Pull requests that flagged one query, for its page. */

const SQL = readSql(new URL('./flags-of-query.sql', import.meta.url))

const { finished_at, threshold, old_median, new_median } = FLAGS.columns

const row = reading(
  FLAGS,
  'pull_request_number',
  'head',
  'query_index',
  'architecture',
  'direction',
  'difference',
).extend({
  /** When its run finished, milliseconds since 1970. */
  time: finished_at.read,
  threshold: threshold.read.catch(null),
  oldMedian: old_median.read.catch(null),
  newMedian: new_median.read.catch(null),
})

/** A report of a pull request in which a query has changed; the index is that of its run. */
export type QueryFlag = Readonly<z.output<typeof row>>

export interface FlagsWanted {
  readonly repositoryId: number
  readonly query: QueryId
  readonly metric: string
  /** Milliseconds since 1970. */
  readonly since: number
  readonly limit: number
}

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
