import type { MeasuredOften } from '../../report/quality.ts'
import type { Connection } from '../connection.ts'
import { type MeasuredOftenOf, selectMeasuredOften } from '../history/measured-queries.ts'
import { type FoundQuery, type QueriesWanted, selectFoundQueries } from './found-queries.ts'
import {
  type IndexWanted,
  type MeasuredQuery,
  type QueryWanted,
  selectQueriesByHash,
  selectTestsAtIndex,
} from './query-by-hash.ts'

/** The queries that the trunk and pull requests have measured. */
export type Queries = ReturnType<typeof openQueries>

export function openQueries({ ready }: Pick<Connection, 'ready'>) {
  return {
    /**
     * The queries that an address may mean, with the metrics and architectures that they have on the trunk, else in the newest
     * runs of pull requests.
     */
    byHash: async (wanted: QueryWanted): Promise<readonly MeasuredQuery[]> =>
      await selectQueriesByHash(await ready(), wanted),
    /** The tests with a query without a text at an index, sorted, whose names begin like this. */
    testsAtIndex: async (wanted: IndexWanted): Promise<readonly string[]> =>
      await selectTestsAtIndex(await ready(), wanted),
    /** The queries of a repository whose test, position or text holds a text. */
    find: async (wanted: QueriesWanted): Promise<readonly FoundQuery[]> =>
      await selectFoundQueries(await ready(), wanted),
    /** What the runs of the trunk and of pull requests say of each query together, those of most runs first. */
    measuredOften: async (of: MeasuredOftenOf): Promise<MeasuredOften[]> =>
      await selectMeasuredOften(await ready(), of),
  }
}
