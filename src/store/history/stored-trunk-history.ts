import type { ClickHouse } from '../client.ts'
import { readSql } from '../sql-file.ts'
import { StoreUnavailable } from '../store-unavailable.ts'
import type { HistoryQueries } from './history-queries.ts'
import { HistoryUnavailable, type TrunkHistory } from './trunk-history.ts'
import { TrunkHistoryLookup } from './trunk-history-lookup.ts'

const SERIES = readSql(new URL('./trunk/series.sql', import.meta.url))
const RUNS = readSql(new URL('./trunk/runs.sql', import.meta.url))
const STATEMENTS: Readonly<Record<string, string>> = {
  learned: readSql(new URL('./trunk/learned.sql', import.meta.url)),
  'most-runs': readSql(new URL('./trunk/most-runs.sql', import.meta.url)),
  newest: readSql(new URL('./trunk/newest.sql', import.meta.url)),
  moves: readSql(new URL('./trunk/moves.sql', import.meta.url)),
  'points-of-tests': readSql(new URL('./trunk/points-of-tests.sql', import.meta.url)),
  'series-of-wanted': SERIES,
  'series-of-tests': SERIES,
  'runs-of-wanted': RUNS,
  'runs-of-tests': RUNS,
}

/** Characters: our engine takes addresses of a megabyte, a server by default as well. */
const PARAMETER_LENGTH = 100_000

/** The same row is always in the part of the same month, so that FINAL looks at each month by itself. */
const SETTINGS = { do_not_merge_across_partitions_select_final: 1 } as const

/**
 * The trunk's history in one table, whatever it came from: who is believed of a run was settled when its rows were written. The
 * connection stays the caller's.
 * @param ready awaited before each statement; brings the tables about
 */
export function storedTrunkHistory(clickhouse: ClickHouse, ready: () => Promise<void> = async () => {}): TrunkHistory {
  const read: HistoryQueries['read'] = async (name, parameters, row) => {
    const sql = STATEMENTS[name]
    if (sql === undefined) throw new Error(`SQL file ${name} is unknown`)
    try {
      await ready()
      return await clickhouse.read(name, sql, { hashes: [], architectures: [], ...parameters }, row, SETTINGS)
    } catch (error) {
      if (error instanceof StoreUnavailable) throw new HistoryUnavailable('unreachable', error.message)
      throw error
    }
  }
  return new TrunkHistoryLookup({ source: 'own', parameterLength: PARAMETER_LENGTH, seriesOfBothSources: true, read })
}
