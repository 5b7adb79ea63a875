import { z } from 'zod'
import { NO_INDEX } from '../../intake/measurement/query-hash.ts'
import type { QueryId } from '../../intake/measurement/run.ts'
import type { ClickHouse } from '../client.ts'
import { readSql } from '../sql-file.ts'

/** Finds the query that the address of a page means. */

const ON_TRUNK = readSql(new URL('./query-on-trunk.sql', import.meta.url))
const IN_RUNS = readSql(new URL('./query-in-runs.sql', import.meta.url))
const AT_INDEX = readSql(new URL('./tests-at-index.sql', import.meta.url))

/** Pairs of metric and architecture: ClickHouse's largest queries have some 230 metrics on two architectures. */
const MOST_ROWS = 2000

/** Runs of pull requests that are looked at: some twenty heads of a project with 24 checks. */
const RUNS = 500

/** Tests whose names begin alike. */
const MOST_TESTS = 100

interface TestWanted {
  readonly repositoryId: number
  /** The tables whose copied rows count, as `HistoryOf.copiedFrom`. */
  readonly copiedFrom?: readonly string[]
  /** The beginning of the test's name, each run of other characters than letters, digits and `_` written as one hyphen. */
  readonly name: string
}

/** A query as the address of its page names it. */
export interface QueryWanted extends TestWanted {
  /** The hash as `queryHash` computes it. */
  readonly hash: bigint
}

/** A query without a text as old addresses name it, from when its index alone was its hash. */
export interface IndexWanted extends TestWanted {
  /** `NO_INDEX` where that is unknown. */
  readonly index: number
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
 * The query that an address means, with the metrics and architectures that it has rows of on the trunk. Where the trunk has none,
 * or some of its metrics are copied and others are not, also those of the newest runs of pull requests. Positions are the newest ones.
 * @throws StoreUnavailable
 */
export async function selectQueriesByHash(
  clickhouse: ClickHouse,
  { repositoryId, copiedFrom = [], hash, name }: QueryWanted,
): Promise<MeasuredQuery[]> {
  const parameters = { repositoryId, hash: hash.toString(), ...beginning(name), limit: MOST_ROWS }
  const inRuns = async () => await clickhouse.read('query-in-runs', IN_RUNS, { ...parameters, runs: RUNS }, row)
  const [onTrunk, beside] = await Promise.all([
    clickhouse.read('query-on-trunk', ON_TRUNK, { ...parameters, copiedFrom: ['', ...copiedFrom] }, row),
    copiedFrom.length > 0 ? inRuns() : [],
  ])
  const keyOf = (one: z.infer<typeof row>) => JSON.stringify([one.test, one.queryName, one.metric, one.architecture])
  const known = new Set(onTrunk.map(keyOf))
  const others = onTrunk.length > 0 || copiedFrom.length > 0 ? beside : await inRuns()
  return [...onTrunk, ...others.filter((one) => !known.has(keyOf(one)))].map(
    ({ test, queryName, queryIndex, metric, architecture }) => ({
      test,
      queryIndex: queryIndex === NO_INDEX ? null : queryIndex,
      queryName: queryName === '' ? null : queryName,
      metric,
      architecture: architecture === '' ? null : architecture,
    }),
  )
}

/**
 * The tests with a query without a text at an index, on the trunk or in the newest runs of pull requests, sorted.
 * @throws StoreUnavailable
 */
export async function selectTestsAtIndex(
  clickhouse: ClickHouse,
  { repositoryId, copiedFrom = [], name, index }: IndexWanted,
): Promise<string[]> {
  const parameters = {
    repositoryId,
    copiedFrom: ['', ...copiedFrom],
    index,
    ...beginning(name),
    runs: RUNS,
    limit: MOST_TESTS,
  }
  const rows = await clickhouse.read('tests-at-index', AT_INDEX, parameters, z.object({ test: z.string() }))
  return rows.map(({ test }) => test)
}

/** The table is ordered by the whole name, which begins with the prefix. */
function beginning(name: string) {
  return { name, prefix: /^[A-Za-z0-9_]*/.exec(name)![0] }
}
