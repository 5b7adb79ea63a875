import { SourceError } from '../../intake/measurement/source.ts'
import { sqlName } from '../../text/quote.ts'
import { type ExternalDatabase, quotedTable } from '../external-database.ts'
import { readSql } from '../sql-file.ts'

/** Reads `system.query_log` of a server by SQL. */

const EXECUTIONS = readSql(new URL('./executions.sql', import.meta.url))

/** The columns that are read, of those that the table has: older servers lack some. */
const COLUMNS: Readonly<Record<string, string>> = {
  type: 'log.type',
  query_duration_ms: 'log.query_duration_ms',
  // JSON would lose its last digits
  normalized_query_hash: 'toString(log.normalized_query_hash)',
  query: 'substring(log.query, 1, 65536)',
  tables: 'log.tables',
  log_comment: 'log.log_comment',
  Settings: 'log.Settings',
  read_rows: 'log.read_rows',
  read_bytes: 'log.read_bytes',
  memory_usage: 'log.memory_usage',
  ProfileEvents:
    "if({metric:String} = '', log.ProfileEvents, mapFilter((k, v) -> k = {metric:String}, log.ProfileEvents))",
}

export interface LiveQueryLogWanted {
  /** `system.query_log`, or one in its columns. */
  readonly table: string
  /** Milliseconds since 1970; `to` itself is left out. */
  readonly from: number
  readonly to: number
  /** Queries of these alone; empty: whatever they read. */
  readonly tables: readonly string[]
  /** Further columns, by which sides and groups are told. */
  readonly columns: readonly string[]
  /** The only event that is wanted; null: every one. */
  readonly metric: string | null
  readonly mostRows: number
}

/** Rows of a server's query log as JSONEachRow, of finished queries. Throws `ExternalDatabaseUnavailable`, and `SourceError` where the table lacks a column. */
export async function* liveQueryLog(
  database: ExternalDatabase,
  wanted: LiveQueryLogWanted,
): AsyncGenerator<Uint8Array> {
  const { table, from, to, tables, columns, metric, mostRows } = wanted
  const known = await database.columnsOf(table)
  const needed = new Set(['type', 'event_time', ...columns])
  const missing = [...needed].filter((name) => !known.has(name))
  if (missing.length > 0) {
    const lacks = `${table} has no column ${missing.map((name) => sqlName(name)).join(', ')}`
    throw new SourceError(
      'no-measurements',
      `${lacks}: name another one in --side or --group; available: ${listed(new Set(known.keys()))}`,
    )
  }
  const selected = new Map(Object.entries(COLUMNS).filter(([name]) => known.has(name)))
  for (const name of columns) if (!selected.has(name)) selected.set(name, `log.${sqlName(name)}`)
  selected.set('event_time', 'toUnixTimestamp(log.event_time)')
  const list = [...selected].map(([name, expression]) => `${expression} AS ${sqlName(name)}`).join(', ')
  const sql = EXECUTIONS.replace('{{columns}}', () => list)
    .replace('{{table}}', () => quotedTable(table))
    .replaceAll('{{event_date}}', known.has('event_date') ? 'log.event_date' : 'toDate(log.event_time)')
    .replace('{{tables}}', known.has('tables') ? 'log.tables' : "CAST([], 'Array(String)')")
  const seconds = { from: Math.floor(from / 1000), to: Math.floor(to / 1000) }
  yield* database.bytes(sql, { ...seconds, tables, metric: metric ?? '', most: mostRows })
}

/** Columns that are told where one is missing. */
const COLUMNS_TOLD = 12

/** Those that sides and groups are told by first. */
function listed(known: ReadonlySet<string>): string {
  const first = ['tables', 'Settings', 'log_comment', 'user', 'query'].filter((name) => known.has(name))
  const all = [...new Set([...first, ...known])]
  const told = all.slice(0, COLUMNS_TOLD).map((name) => sqlName(name))
  return all.length > told.length ? `${told.join(', ')} and ${all.length - told.length} more` : told.join(', ')
}
