import { chmodSync, closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { z } from 'zod'

/** The migrations in the order in which they were written; the number of those applied is the file's `user_version`. */
export const MIGRATIONS: readonly string[] = sectionsOf('migrations.sql', 'migration').map(([, text]) => text)

/** The file is one of a newer version. The message says which, and what to do. */
export class InboxNewer extends Error {
  override readonly name = 'InboxNewer'
}

/** How long a write waits for another process (a look from the command line) before it throws. */
const BUSY_TIMEOUT_MS = 5000

/** The file can't be used as it is. The message says what is wrong with it and what to do. */
export class InboxUnusable extends Error {
  override readonly name = 'InboxUnusable'
}

/**
 * Opens or creates the file, readable for its owner alone, and brings its tables up to date. What a statement has
 * written is on disk when it returns, but for `withoutSync`. Throws InboxNewer, and `InboxUnusable` when it is damaged or can't be written.
 */
export function openDatabase(file: string): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // SQLite gives its journal the permissions of the file, so the file has to have them first.
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
  try {
    database.exec('PRAGMA journal_mode = WAL')
    database.exec('PRAGMA synchronous = FULL')
    const found = database.prepare('PRAGMA quick_check(1)').get()!['quick_check']
    if (found !== 'ok') throw new InboxUnusable(damaged(file, String(found)))
    migrate(database, file)
    return database
  } catch (error) {
    database.close()
    throw isSqliteError(error) ? unusable(file, error) : error
  }
}

/** Throws when nothing can be written. A row of every table would do; this needs none. */
export function write(database: DatabaseSync, file: string): void {
  inTransaction(database, () => {
    database.exec(`PRAGMA user_version = ${versionOf(database, file)}`)
  })
}

interface SqliteError extends Error {
  /** SQLite's result code; what stands above its lowest byte says more of the same. */
  readonly errcode: number
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR' && 'errcode' in error
}

const SQLITE_CORRUPT = 11
const SQLITE_FULL = 13
const SQLITE_NOTADB = 26

function unusable(file: string, error: SqliteError): InboxUnusable {
  const code = error.errcode & 0xff
  const message =
    code === SQLITE_CORRUPT || code === SQLITE_NOTADB
      ? damaged(file, error.message)
      : code === SQLITE_FULL
        ? `${file} can't be written, because the disk is full: make room and start again`
        : `${file} can't be used (${error.message}): check the disk and the permissions of its folder`
  return new InboxUnusable(message, { cause: error })
}

function damaged(file: string, what: string): string {
  return (
    `${file} is damaged (${what}): restore a backup ("perf-triage restore --help"). Without one, move it away with the files beside it whose ` +
    'names begin with its name; the bot then starts anew, without the decisions of people'
  )
}

/** The number of migrations that were applied. @throws InboxNewer */
export function versionOf(database: DatabaseSync, file: string): number {
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
  if (version <= MIGRATIONS.length) return version
  throw new InboxNewer(
    `${file} was written by a newer perf-triage (version ${version} of the file, this one knows ${MIGRATIONS.length}). Start ` +
      'the newer version again, or restore a backup from before the update ("perf-triage restore --help")',
  )
}

function migrate(database: DatabaseSync, file: string): void {
  inTransaction(database, () => {
    const version = versionOf(database, file)
    for (const migration of MIGRATIONS.slice(version)) database.exec(migration)
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`)
  })
}

/**
 * All of it or nothing. Takes the right to write at once, so that what it reads still holds when it writes. Within another one
 * it is a part of that.
 */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  if (database.isTransaction) return work()
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    // A full disk has ended the transaction already, and this must not hide the reason.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

/**
 * For what is done again where it is lost: what `work` writes is not on disk when it returns, but with whatever is next.
 * The death of the process loses none of it. A loss of power may lose it together with all that was written after it, and
 * nothing from before: a frame of the write-ahead log counts only where the checksum over all frames up to it is right,
 * and a commit that waits for the disk syncs the whole log (sqlite.org/fileformat2.html#walformat, /pragma.html#pragma_synchronous).
 * Within a transaction it is a part of that, which waits for the disk.
 */
export function withoutSync<T>(database: DatabaseSync, work: () => T): T {
  if (database.isTransaction) return work()
  database.exec('PRAGMA synchronous = NORMAL')
  try {
    return work()
  } finally {
    database.exec('PRAGMA synchronous = FULL')
  }
}

/** Prepares every statement of a file in `sql/`; each begins with a line `-- name: …`. */
export function prepareAll<Name extends string>(
  database: DatabaseSync,
  file: string,
  names: readonly Name[],
): Readonly<Record<Name, StatementSync>> {
  const texts = new Map(sectionsOf(file, 'name'))
  const prepared = names.map((name) => {
    const text = texts.get(name)
    if (text === undefined) throw new Error(`${file} has no statement "${name}"`)
    return [name, database.prepare(text)] as const
  })
  return Object.fromEntries(prepared) as Record<Name, StatementSync>
}

type Parameters = Readonly<Record<string, SQLInputValue>>

/** Every row of a statement, as the schema says. Throws `RowUnusable` where one is not of that shape. */
export function readRows<Row>(statement: StatementSync, schema: z.ZodType<Row>, parameters: Parameters = {}): Row[] {
  return statement.all(parameters).map((row) => usable(row, schema))
}

/** The first row of a statement, as the schema says; null: it has none. Throws `RowUnusable`. */
export function readRow<Row>(
  statement: StatementSync,
  schema: z.ZodType<Row>,
  parameters: Parameters = {},
): Row | null {
  const row = statement.get(parameters)
  return row === undefined ? null : usable(row, schema)
}

/** A row of the inbox is not one that perf-triage writes: the file was edited, or is damaged. */
export class RowUnusable extends Error {
  override readonly name = 'RowUnusable'
}

function usable<Row>(row: unknown, schema: z.ZodType<Row>): Row {
  const read = schema.safeParse(row)
  if (read.success) return read.data
  const problems = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
  throw new RowUnusable(
    `a row of the inbox can't be read (${problems}): restore a backup ("perf-triage restore --help")`,
  )
}

/** SQLite's true and false. */
export const flag = z.literal([0, 1]).transform((value) => value === 1)

/** The sections of a file in `sql/`, each with the rest of the line `-- name: …` that it begins with. */
function sectionsOf(file: string, begin: 'name' | 'migration'): (readonly [name: string, text: string])[] {
  const text = readFileSync(new URL(`sql/${file}`, import.meta.url), 'utf8')
  const sections = text.split(new RegExp(`^-- ${begin}: `, 'm')).slice(1)
  return sections.map((section) => {
    const end = section.indexOf('\n')
    return [section.slice(0, end).trim(), section.slice(end + 1)]
  })
}
