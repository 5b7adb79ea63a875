import { z } from 'zod'
import type { QueryId } from '../measurement/run.ts'
import type { ClickHouse } from './client.ts'
import { NO_INDEX } from './query-hash.ts'
import { readSql } from './sql-file.ts'

const ON_TRUNK = readSql('./queries/query-on-trunk.sql')
const IN_RUNS = readSql('./queries/query-in-runs.sql')

/** Pairs of metric and architecture: ClickHouse's largest queries have some 230 metrics on two architectures. */
const MOST_ROWS = 2000

/** Runs of pull requests that are looked at: some twenty heads of a project with 24 checks. */
const RUNS = 500

/** What an address says of a query. */
export interface QueryWanted {
  readonly repositoryId: number
  /** As `queryHash` computes it. */
  readonly hash: bigint
  /** The beginning of the test's name, each run of other characters than letters, digits and `_` written as one hyphen. */
  readonly name: string
}

/** A query with one metric on one architecture of which there are rows. */
export interface MeasuredQuery extends QueryId {
  readonly metric: string
  readonly architecture: string | null
}

const row = z.object({
  test: z.string(),
  queryName: z.string(),
  queryIndex: z.number(),
  metric: z.string(),
  architecture: z.string(),
})

/**
 * The queries that an address may mean, with the metrics and architectures that they have rows of on the trunk; where the
 * trunk has none, those of the newest runs of pull requests. Positions are the newest ones. Mostly it is one query; a test
 * whose name begins alike may have another one without a text.
 * @throws StoreUnavailable
 */
export async function selectQueriesByHash(
  clickhouse: ClickHouse,
  { repositoryId, hash, name }: QueryWanted,
): Promise<MeasuredQuery[]> {
  const parameters = {
    repositoryId,
    hash: hash.toString(),
    name,
    // The table is ordered by the whole name, which begins like this.
    prefix: /^[A-Za-z0-9_]*/.exec(name)![0],
    limit: MOST_ROWS,
  }
  const onTrunk = await clickhouse.read('query-on-trunk', ON_TRUNK, parameters, row)
  const found =
    onTrunk.length > 0 ? onTrunk : await clickhouse.read('query-in-runs', IN_RUNS, { ...parameters, runs: RUNS }, row)
  return found.map(({ test, queryName, queryIndex, metric, architecture }) => ({
    test,
    queryIndex: queryIndex === NO_INDEX ? null : queryIndex,
    queryName: queryName === '' ? null : queryName,
    metric,
    architecture: architecture === '' ? null : architecture,
  }))
}
