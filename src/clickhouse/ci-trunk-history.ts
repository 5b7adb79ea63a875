import { ExternalDatabase, type ExternalDatabaseSettings, ExternalDatabaseUnavailable } from './external-database.ts'
import { type Column, type Columns, ExternalTable, textColumn, timeColumn } from './external-table.ts'
import type { HistoryQueries } from './history-queries.ts'
import { historySql } from './history-sql.ts'
import { HistoryUnavailable, type TrunkHistory } from './trunk-history.ts'
import { TrunkHistoryLookup } from './trunk-history-lookup.ts'

export interface CiTrunkHistorySettings extends Omit<ExternalDatabaseSettings, 'called'> {
  /** `query_metrics_v2` or `database.query_metrics_v2`, in the columns of that table. */
  readonly table: string
}

export interface CiTrunkHistory extends TrunkHistory {
  close(): Promise<void>
}

/** A proxy before a server takes addresses of 8 KB; what is no text takes the rest. */
const PARAMETER_LENGTH = 5000

/**
 * A database that belongs to others and keeps the trunk's measurements in the columns of `query_metrics_v2`: it is only
 * read, with limits, and reached at the first lookup. Of the other columns of that table any may be missing: without
 * `pr_number` and `base_branch` every row is the trunk's, without `arch` no row has an architecture.
 * @throws HistoryUnavailable for a url or a name of a table that is none
 */
export function openCiTrunkHistory({ table, ...settings }: CiTrunkHistorySettings): CiTrunkHistory {
  try {
    const database = new ExternalDatabase({ ...settings, called: 'the history database' })
    return new CiTrunkHistoryLookup(database, new MetricsTable(new ExternalTable(database, table, COLUMNS)))
  } catch (error) {
    throw historyUnavailable(error)
  }
}

class CiTrunkHistoryLookup extends TrunkHistoryLookup implements CiTrunkHistory {
  readonly #database: ExternalDatabase

  constructor(database: ExternalDatabase, queries: HistoryQueries) {
    super(queries)
    this.#database = database
  }

  async close(): Promise<void> {
    await this.#database.close()
  }
}

class MetricsTable implements HistoryQueries {
  readonly source = 'ci-database'
  readonly parameterLength = PARAMETER_LENGTH
  readonly #table: ExternalTable

  constructor(table: ExternalTable) {
    this.#table = table
  }

  read: HistoryQueries['read'] = async (name, parameters, row) => {
    try {
      const sqlOf = (columns: string) => historySql(name, { file: 'external-rows', columns })
      return await this.#table.read(name, sqlOf, parameters, row)
    } catch (error) {
      throw historyUnavailable(error)
    }
  }
}

const number = (name: string, absent: string | null): Column => ({
  type: /^Float64$/,
  read: `ifNull(toFloat64(${name}), nan)`,
  absent,
})

const COLUMNS: Columns = {
  event_date: { type: /^Date$/, read: 'toDate(event_date)', absent: 'toDate(event_time)' },
  event_time: timeColumn('event_time'),
  pr_number: { type: /^UInt\d+$/, read: 'toUInt32(ifNull(pr_number, 0))', absent: 'toUInt32(0)' },
  old_sha: textColumn('old_sha'),
  new_sha: textColumn('new_sha', true),
  test: textColumn('test', true),
  query_index: { type: /^UInt32$/, read: 'toUInt32(ifNull(query_index, 4294967295))', absent: null },
  query_display_name: textColumn('query_display_name', true),
  metric: textColumn('metric', true),
  old_value: number('old_value', null),
  new_value: number('new_value', null),
  diff: number('diff', '(toFloat64(new_value) - toFloat64(old_value)) / toFloat64(old_value)'),
  stat_threshold: number('stat_threshold', 'nan'),
  arch: textColumn('arch'),
  base_branch: textColumn('base_branch'),
}

function historyUnavailable(error: unknown): unknown {
  return error instanceof ExternalDatabaseUnavailable ? new HistoryUnavailable(error.problem, error.message) : error
}
