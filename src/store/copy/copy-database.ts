import { finished } from 'node:stream/promises'
import { z } from 'zod'
import type { ClickHouse } from '../client.ts'
import { readSql } from '../sql-file.ts'
import { fillPlaceholders } from '../sql-placeholders.ts'

/** Copies all tables from one database to another, month by month, for `migrate --copy-to`. */

const SHAPE = readSql(new URL('./shape-of-table.sql', import.meta.url))
const DATABASES = readSql(new URL('./databases-with-rows.sql', import.meta.url))
const MONTHS = readSql(new URL('./months.sql', import.meta.url))
const ROWS = readSql(new URL('./rows-of-month.sql', import.meta.url))
const DELETE = readSql(new URL('./delete-month.sql', import.meta.url))

export interface CopiedTable {
  readonly name: string
  /** The time by whose month its rows are copied, counted and compared. */
  readonly time: string
  /** Rows of one statement at most, about: an answer and an insert of some 100 MB. */
  readonly rowsAtOnce: number
  /** Rows leave at that time: those that do so meanwhile are not copied. */
  readonly expires?: true
}

/** Every table but that of the migrations. Runs come last: one whose row is missing does not count, and is measured again. */
export const COPIED_TABLES: readonly CopiedTable[] = [
  { name: 'query_results', time: 'finished_at', rowsAtOnce: 200_000 },
  { name: 'samples', time: 'expires', rowsAtOnce: 1_000_000, expires: true },
  { name: 'stacks', time: 'expires', rowsAtOnce: 50_000, expires: true },
  { name: 'flags', time: 'judged_at', rowsAtOnce: 200_000 },
  { name: 'reports', time: 'judged_at', rowsAtOnce: 500 },
  { name: 'checks', time: 'check_start_time', rowsAtOnce: 50_000 },
  { name: 'ledger_entries', time: 'updated_at', rowsAtOnce: 5_000 },
  { name: 'decisions', time: 'decided_at', rowsAtOnce: 50_000 },
  { name: 'trunk_history', time: 'event_time', rowsAtOnce: 200_000 },
  { name: 'history_copies', time: 'stored_at', rowsAtOnce: 50_000 },
  { name: 'runs', time: 'stored_at', rowsAtOnce: 5_000 },
]

/** What was not copied, and why. What was copied before stays, and is not copied again. */
export class CopyFailed extends Error {
  override readonly name = 'CopyFailed'
}

export interface TableCopied {
  readonly table: string
  readonly rows: number
  readonly months: number
  /** Months that had been copied before. */
  readonly present: number
}

export interface CopyOptions {
  /** Rows that expire before it, seconds since 1970, are left out. */
  readonly after: number
  /** Told of the rows of the table that are there, and of all of it. */
  readonly onProgress: (table: string, rows: number, of: number) => void
}

const databaseRow = z.object({ database: z.string() })

/** Those of a bot that have rows: one that has none was never served from. */
export async function databasesWithRows(clickhouse: ClickHouse): Promise<string[]> {
  const tables = COPIED_TABLES.map(({ name }) => name)
  const found = await clickhouse.withoutDatabase().read('databases-with-rows', DATABASES, { tables }, databaseRow)
  return found.map(({ database }) => database)
}

/** Tables of a database that have rows: one that a copy begins with has none. */
export async function tablesWithRows(clickhouse: ClickHouse): Promise<string[]> {
  const found: string[] = []
  for (const table of COPIED_TABLES) {
    if ((await monthsOf(clickhouse, table, 0)).size > 0) found.push(table.name)
  }
  return found
}

/**
 * Copies a table, a month at a time, and compares the number of its rows in both. A month of which as many are there is
 * passed over; one of which others are there is deleted there and copied anew. @throws CopyFailed
 */
export async function copyTable(
  from: ClickHouse,
  to: ClickHouse,
  table: CopiedTable,
  { after, onProgress }: CopyOptions,
): Promise<TableCopied> {
  const since = table.expires === true ? after : 0
  const there = await monthsOf(to, table, since)
  const here = await monthsOf(from, table, since)
  const rows = [...here.values()].reduce((sum, count) => sum + count, 0)
  let done = 0
  let present = 0
  for (const [month, count] of here) {
    const before = there.get(month) ?? 0
    if (before === count) present += 1
    else {
      try {
        if (before > 0) await deleteMonth(to, table, month)
        await copyMonth(from, to, table, { month, count, after: since })
      } catch (error) {
        throw new CopyFailed(`${table.name} of ${month}: ${error instanceof Error ? error.message : String(error)}`)
      }
      const arrived = (await monthsOf(to, table, since)).get(month) ?? 0
      if (arrived !== count) {
        throw new CopyFailed(`${table.name} of ${month} has ${arrived} rows there and ${count} here`)
      }
    }
    done += count
    onProgress(table.name, done, rows)
  }
  return { table: table.name, rows, months: here.size, present }
}

const monthRow = z.object({ month: z.number(), rows: z.coerce.number() })

/** Rows of each month, those once that replace each other. */
async function monthsOf(
  clickhouse: ClickHouse,
  { name, time }: CopiedTable,
  after: number,
): Promise<Map<number, number>> {
  const found = await clickhouse.read(`months of ${name}`, MONTHS, { table: name, time, after }, monthRow, { final: 1 })
  return new Map(found.map(({ month, rows }) => [month, rows]))
}

async function deleteMonth(clickhouse: ClickHouse, { name, time }: CopiedTable, month: number): Promise<void> {
  const sql = fillPlaceholders(DELETE.replace('NAME', name), clickhouse)!
  await clickhouse.command(`delete a month of ${name}`, sql, { time, month })
}

interface Month {
  readonly month: number
  readonly count: number
  readonly after: number
}

const shapeRow = z.object({ columns: z.string().min(1), key: z.string().min(1) })

/** The bytes of the answer are those of the insert: nothing of a row is read here. */
async function copyMonth(
  from: ClickHouse,
  to: ClickHouse,
  { name, time, rowsAtOnce }: CopiedTable,
  { month, count, after }: Month,
): Promise<void> {
  const { database } = from
  const [shape] = await from.read(`shape of ${name}`, SHAPE, { database, table: name }, shapeRow)
  const { columns, key } = shape!
  const query = ROWS.replace('{{columns}}', columns).replace('{{key}}', key)
  const parts = Math.ceil(count / rowsAtOnce)
  for (let part = 0; part < parts; part += 1) {
    const rows = await from.client.exec({
      query,
      query_params: { table: name, time, month, after, parts, part },
      // A row that one of a later month replaces would be counted there until that one comes.
      clickhouse_settings: { final: 1 },
    })
    const { stream } = await to.client.exec({
      query: `INSERT INTO ${name} (${columns}) FORMAT TabSeparated`,
      values: rows.stream,
    })
    await finished(stream.resume())
  }
}
