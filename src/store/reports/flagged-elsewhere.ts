import { queryHash } from '../../intake/measurement/query-hash.ts'
import { type QueryId, queryKey } from '../../intake/measurement/run.ts'
import { HistoryUnavailable } from '../../judge/history/trunk-history.ts'
import type { Flag, TimeRange } from '../../judge/history/trunk-series.ts'
import type { Direction } from '../../judge/verdict/classified-query.ts'
import { timestamp } from '../../text/time.ts'
import type { ClickHouse } from '../client.ts'
import { RUNS } from '../runs/run-tables.ts'
import { readSql } from '../sql-file.ts'
import { StoreUnavailable } from '../store-unavailable.ts'
import { reading } from '../table.ts'
import { FLAGS } from './flag-rows.ts'

/** Pull requests that flagged the same queries, for evidence. One query on its page: `flags-of-query.ts`. */

const SQL = readSql(new URL('./flagged-elsewhere.sql', import.meta.url))

export interface FlaggedWanted extends QueryId {
  readonly architecture: string | null
  readonly metric: string
  readonly direction: Direction
}

const row = reading(
  FLAGS,
  'test',
  'query_name',
  'query_index',
  'ordinal',
  'metric',
  'architecture',
  'direction',
  'pull_request_number',
  'difference',
).extend({ time: FLAGS.columns.finished_at.read, oldCommit: RUNS.columns.old_commit.read })

/**
 * The other pull requests in which each wanted query was flagged (`changed` in a report, in the same direction, on the same
 * architecture) in a range of time: each once, with the newest head that flagged it, newest first. Of the reports
 * of one head the newest alone counts.
 * @throws HistoryUnavailable
 */
export async function flaggedElsewhere(
  clickhouse: ClickHouse,
  repositoryId: number,
  pullRequestNumber: number,
  range: TimeRange,
  wanted: readonly FlaggedWanted[],
): Promise<(readonly Flag[])[]> {
  if (wanted.length === 0) return []
  const parameters = {
    repositoryId,
    pullRequestNumber,
    from: timestamp(range.from / 1000),
    to: timestamp(range.to / 1000),
    hashes: [...new Set(wanted.map(queryHash))],
  }
  const rows = await clickhouse.read('flagged-elsewhere', SQL, parameters, row).catch((error: unknown) => {
    throw error instanceof StoreUnavailable ? new HistoryUnavailable('unreachable', error.message) : error
  })
  const found = new Map<string, Map<number, Flag>>()
  // Newest first: of one pull request the first stands.
  for (const { ordinal, ...flagged } of rows) {
    const key = keyOf(ordinal === null ? flagged : { ...flagged, ordinal })
    const { pullRequestNumber: number, time, difference, oldCommit } = flagged
    const known = found.get(key) ?? new Map<number, Flag>()
    found.set(key, known)
    if (!known.has(number)) known.set(number, { pullRequestNumber: number, time, difference, oldCommit })
  }
  return wanted.map((query) => [...(found.get(keyOf(query))?.values() ?? [])])
}

function keyOf(query: FlaggedWanted): string {
  return JSON.stringify([queryKey(query), query.architecture, query.metric, query.direction])
}
