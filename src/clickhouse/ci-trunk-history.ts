import {
  ExternalDatabase,
  type ExternalDatabaseSettings,
  ExternalDatabaseUnavailable,
  quotedTable,
  UNKNOWN_COLUMN,
} from './external-database.ts'
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

/** How long the columns of the table are taken for known. Milliseconds. */
const COLUMNS_KNOWN = 10 * 60_000

/** Without these there is no history. */
const ESSENTIAL = [
  'event_time',
  'new_sha',
  'test',
  'query_index',
  'query_display_name',
  'metric',
  'old_value',
  'new_value',
]

/**
 * A database that belongs to others and keeps the trunk's measurements in the columns of `query_metrics_v2`: it is only
 * read, with limits, and reached at the first lookup. Of the other columns of that table any may be missing: without
 * `pr_number` and `base_branch` every row is the trunk's, without `arch` no row has an architecture.
 * @throws HistoryUnavailable for a url or a name of a table that is none
 */
export function openCiTrunkHistory({ table, ...settings }: CiTrunkHistorySettings): CiTrunkHistory {
  try {
    const quoted = quotedTable(table)
    const database = new ExternalDatabase({ ...settings, called: 'the history database' })
    return new CiTrunkHistoryLookup(database, new MetricsTable(database, table, quoted))
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
  readonly #database: ExternalDatabase
  readonly #table: string
  readonly #quoted: string
  #columns: { readonly sql: string; readonly at: number } | null = null

  constructor(database: ExternalDatabase, table: string, quoted: string) {
    this.#database = database
    this.#table = table
    this.#quoted = quoted
  }

  read: HistoryQueries['read'] = async (name, parameters, row) => {
    for (;;) {
      const known = this.#columns
      try {
        const columns = await this.#columnsSql()
        const sql = historySql(name, { file: 'external-rows', columns })
        return await this.#database.read(name, sql, parameters, row)
      } catch (error) {
        const isOutdated = error instanceof ExternalDatabaseUnavailable && error.code === UNKNOWN_COLUMN
        // The table may have changed since its columns were read.
        if (!isOutdated || known === null) throw historyUnavailable(error)
        this.#columns = null
      }
    }
  }

  /** The columns that the statements name, whatever the table has of them and in whichever types. */
  async #columnsSql(): Promise<string> {
    const known = this.#columns
    if (known !== null && Date.now() - known.at < COLUMNS_KNOWN) return known.sql
    const types = await this.#database.columnsOf(this.#table)
    const missing = ESSENTIAL.filter((name) => !types.has(name))
    if (missing.length > 0) {
      throw new HistoryUnavailable(
        'missing-column',
        `Table ${this.#quoted} of the history database has no column ${missing.join(', ')}.`,
      )
    }
    const columns = Object.entries(COLUMNS).map(([name, { type, read, absent }]) => {
      const stated = types.get(name)
      if (stated === undefined) return `${absent} AS ${name}`
      return type.test(stated) ? name : `${read} AS ${name}`
    })
    const sql = `SELECT ${columns.join(', ')} FROM ${this.#quoted}`
    this.#columns = { sql, at: Date.now() }
    return sql
  }
}

interface Column {
  /** Types that are taken as they are. */
  readonly type: RegExp
  /** How one of another type is read. */
  readonly read: string
  /** What stands in its place where the table lacks it. */
  readonly absent: string
}

const TEXT_TYPES = /^(String|LowCardinality\(String\))$/
const text = (name: string): Column => ({ type: TEXT_TYPES, read: `ifNull(toString(${name}), '')`, absent: "''" })
const number = (name: string, absent: string): Column => ({
  type: /^Float64$/,
  read: `ifNull(toFloat64(${name}), nan)`,
  absent,
})
const DATE_TIME = /^DateTime(\(.*\))?$/

const COLUMNS: Readonly<Record<string, Column>> = {
  event_date: { type: /^Date$/, read: 'toDate(event_date)', absent: 'toDate(event_time)' },
  event_time: { type: DATE_TIME, read: "toDateTime(ifNull(event_time, toDateTime(0)), 'UTC')", absent: '' },
  pr_number: { type: /^UInt\d+$/, read: 'toUInt32(ifNull(pr_number, 0))', absent: 'toUInt32(0)' },
  old_sha: text('old_sha'),
  new_sha: text('new_sha'),
  test: text('test'),
  query_index: { type: /^UInt32$/, read: 'toUInt32(ifNull(query_index, 4294967295))', absent: '' },
  query_display_name: text('query_display_name'),
  metric: text('metric'),
  old_value: number('old_value', ''),
  new_value: number('new_value', ''),
  diff: number('diff', '(toFloat64(new_value) - toFloat64(old_value)) / toFloat64(old_value)'),
  stat_threshold: number('stat_threshold', 'nan'),
  arch: text('arch'),
  base_branch: text('base_branch'),
}

function historyUnavailable(error: unknown): unknown {
  return error instanceof ExternalDatabaseUnavailable ? new HistoryUnavailable(error.problem, error.message) : error
}
