import type { ClickHouse } from '../client.ts'
import { StoreUnavailable } from '../store-unavailable.ts'
import type { HistoryQueries } from './history-queries.ts'
import { historySql } from './history-sql.ts'
import { HistoryUnavailable, type TrunkHistory } from './trunk-history.ts'
import { TrunkHistoryLookup } from './trunk-history-lookup.ts'

/** Characters: our engine takes addresses of a megabyte, a server by default as well. */
const PARAMETER_LENGTH = 100_000

/** The same row is always in the part of the same month, so that FINAL looks at each month by itself. */
export const SETTINGS_OF_OWN_ROWS = { do_not_merge_across_partitions_select_final: 1 } as const

export interface OwnTrunkHistoryOptions {
  /** Awaited before each statement; brings the tables about. Left out: they are there. */
  readonly ready?: () => Promise<void>
}

/** The bot's own `trunk_history`. The connection stays the caller's. */
export function ownTrunkHistory(clickhouse: ClickHouse, { ready }: OwnTrunkHistoryOptions = {}): TrunkHistory {
  const read: HistoryQueries['read'] = async (name, parameters, row) => {
    try {
      await ready?.()
      return await clickhouse.read(
        name,
        historySql(name, { file: 'own-rows', columns: '' }),
        parameters,
        row,
        SETTINGS_OF_OWN_ROWS,
      )
    } catch (error) {
      if (error instanceof StoreUnavailable) throw new HistoryUnavailable('unreachable', error.message)
      throw error
    }
  }
  return new TrunkHistoryLookup({ source: 'own', parameterLength: PARAMETER_LENGTH, seriesOfBothSources: true, read })
}
