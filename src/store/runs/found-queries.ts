import { z } from 'zod'
import { NO_INDEX } from '../../intake/measurement/query-hash.ts'
import type { QueryId } from '../../intake/measurement/run.ts'
import type { Direction, Outcome } from '../../judge/verdict/classified-query.ts'
import type { ClickHouse } from '../client.ts'
import { count, float } from '../column-values.ts'
import { readSql } from '../sql-file.ts'

/** Finds queries by a text, for the search page. */

const IN_RUNS = readSql(new URL('./queries-found.sql', import.meta.url))
const ON_TRUNK = readSql(new URL('./queries-found-on-trunk.sql', import.meta.url))

/** Runs that are searched: of each check with its architecture and shard the newest ones, of all together so many. */
const RUNS_OF_CHECK = 20
const RUNS = 400

export interface QueriesWanted {
  readonly repositoryId: number
  /** Part of the test, of `test #position` or of the text, without regard to case. */
  readonly text: string
  /** The metric of the trunk's history, the tables whose copied rows count, and from when on, in milliseconds. */
  readonly metric: string
  readonly copiedFrom: readonly string[]
  readonly since: number
  readonly limit: number
}

export interface FoundQuery extends QueryId {
  /** When it was measured last, in milliseconds. */
  readonly finishedAt: number
  /** What the run that measured it last says of it; null: it is known from the trunk's history alone. */
  readonly last: {
    /** 0: the trunk. */
    readonly pullRequestNumber: number
    readonly head: string
    readonly outcome: Outcome | null
    readonly direction: Direction | null
    readonly difference: number | null
  } | null
}

const onTrunk = z.object({ testName: z.string(), queryName: z.string(), queryIndex: z.number(), finishedAt: count })

const inRuns = onTrunk.extend({
  place: count,
  pullRequestNumber: count,
  head: z.string(),
  outcomeName: z.enum(['changed', 'unstable', 'too-small', 'not-significant']).nullable().catch(null),
  directionName: z.enum(['slower', 'faster']).nullable().catch(null),
  change: float,
})

/** The queries that a person searches for, those measured last first: in the newest runs; on the trunk where none of these has one. */
export async function selectFoundQueries(clickhouse: ClickHouse, wanted: QueriesWanted): Promise<FoundQuery[]> {
  const { repositoryId, text, limit } = wanted
  const of = { repositoryId, text, limit }
  const runs = { ...of, runs: RUNS, runsOfCheck: RUNS_OF_CHECK }
  const found = await clickhouse.read('queries-found', IN_RUNS, runs, inRuns)
  if (found.length > 0) {
    return found.map(({ pullRequestNumber, head, outcomeName: outcome, directionName: direction, change, ...row }) => ({
      ...queryOf(row),
      finishedAt: row.finishedAt,
      last: { pullRequestNumber, head, outcome, direction, difference: Number.isFinite(change) ? change : null },
    }))
  }
  const { metric, copiedFrom, since } = wanted
  const trunk = { ...of, metric, copiedFrom: ['', ...copiedFrom], since: Math.floor(since / 1000) }
  const rows = await clickhouse.read('queries-found-on-trunk', ON_TRUNK, trunk, onTrunk)
  return rows.map((row) => ({ ...queryOf(row), finishedAt: row.finishedAt, last: null }))
}

interface QueryRow extends z.infer<typeof onTrunk> {
  readonly place?: number
}

function queryOf({ testName: test, queryName, queryIndex, place = 0 }: QueryRow): QueryId {
  return {
    test,
    queryIndex: queryIndex === NO_INDEX ? null : queryIndex,
    queryName: queryName === '' ? null : queryName,
    ...(place > 0 && { ordinal: place }),
  }
}
