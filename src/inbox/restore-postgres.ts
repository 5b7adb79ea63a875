import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { BackupFailed, type Copied, restoreInbox } from './backup.ts'
import type { Database, Statement, Value } from './database.ts'
import { INBOX_FILE } from './inbox.ts'
import { openPostgres } from './postgres.ts'

/** Copies a backup of the SQLite inbox into PostgreSQL. */

type Row = Readonly<Record<string, Value>>

/**
 * Puts a backup of the SQLite file into a PostgreSQL that the bot was not started on yet: all of it or nothing.
 * @throws BackupFailed, InboxNewer
 */
export async function restoreIntoPostgres(url: string, file: string): Promise<Copied> {
  const folder = mkdtempSync(join(tmpdir(), 'perf-triage-restore-'))
  try {
    // brought up to date, so that it has the tables and columns that the other database has
    const copied = await restoreInbox(folder, file)
    using source = new DatabaseSync(join(folder, INBOX_FILE), { readOnly: true })
    const database = await openPostgres(url)
    try {
      const tables = tablesOf(source)
      await database.transaction(async () => {
        await refuseRows(tables, database)
        // The processes of the SQLite inbox do not work off this one.
        for (const table of tables) if (table !== 'processes') await copyTable(table, source, database)
      })
    } finally {
      await database.close()
    }
    return { ...copied, file: 'the database of DATABASE_URL' }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function tablesOf(source: DatabaseSync): string[] {
  const tables = source
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
  return tables.map(({ name }) => String(name))
}

/** A bot that is starting has written before, and is seen, or waits for its first write until the transaction ends. */
async function refuseRows(tables: readonly string[], database: Database): Promise<void> {
  await database.run(statement('lock', `LOCK TABLE ${tables.join(', ')} IN SHARE ROW EXCLUSIVE MODE`))
  for (const table of tables) {
    if ((await database.run(statement(`look into ${table}`, `SELECT 1 FROM ${table} LIMIT 1`))) > 0) {
      throw new BackupFailed(
        `the database of DATABASE_URL already has rows in ${table}: use a database that the bot has never been started on`,
      )
    }
  }
}

function statement(does: string, text: string): Statement {
  return { name: `restore: ${does}`, text }
}

async function copyTable(table: string, source: DatabaseSync, database: Database): Promise<void> {
  const columns = source
    .prepare('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map(({ name }) => String(name))
  const insert = statement(
    `insert into ${table}`,
    `INSERT INTO ${table} (${columns.join(', ')}) OVERRIDING SYSTEM VALUE VALUES (${columns.map((name) => `:${name}`).join(', ')})`,
  )
  for (const row of source.prepare(`SELECT * FROM ${table}`).iterate()) await database.run(insert, row as Row)
  if (!columns.includes('id')) return
  // The next row of its own comes after those that have their numbers already.
  const next = `WITH next AS (SELECT setval(pg_get_serial_sequence('${table}', 'id'), max(id)) FROM ${table}) SELECT 1 AS n FROM next`
  await database.run(statement(`number ${table}`, next))
}
