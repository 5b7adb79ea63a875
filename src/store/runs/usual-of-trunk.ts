import { z } from 'zod'
import { lastCompleteRuns, type Usual, usualOf } from '../../report/usual.ts'
import type { ClickHouse } from '../client.ts'
import { count } from '../column-values.ts'
import { readSql } from '../sql-file.ts'
import { MOST_QUERIES, type OneSidedWanted, selectTrunkRuns } from './one-sided-history.ts'
import { storedQuery } from './run-tables.ts'

/** How much the trunk usually measures, so that a head that measured less is noticed. */

const REPETITIONS_SQL = readSql(new URL('./repetitions-of-runs.sql', import.meta.url))

const queryOfRuns = storedQuery.extend({
  shards: z.array(count),
  repetitions: z.array(count),
  processes: z.array(count),
})

/** How much the trunk measured before a time, by its last complete runs; null: nothing yet. @throws StoreUnavailable */
export async function readUsualOfTrunk(
  clickhouse: ClickHouse,
  { repositoryId, metric, before }: Omit<OneSidedWanted, 'head'>,
): Promise<Usual | null> {
  const shards = lastCompleteRuns(await selectTrunkRuns(clickhouse, repositoryId, before))
  if (shards.length === 0) return null
  const wanted = {
    repositoryId,
    metric: metric.toWellFormed(),
    runIds: shards.map(({ runId }) => runId),
    most: MOST_QUERIES,
  }
  const rows = await clickhouse.read('repetitions-of-runs', REPETITIONS_SQL, wanted, queryOfRuns)
  const queries = rows.map(({ ordinal, ...query }) => ({ ...query, ...(ordinal !== null && { ordinal }) }))
  return usualOf(shards, queries)
}
