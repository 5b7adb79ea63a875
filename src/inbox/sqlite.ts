import { AsyncLocalStorage } from 'node:async_hooks'
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { z } from 'zod'
import {
  type Database,
  type DatabaseSize,
  InboxNewer,
  InboxUnusable,
  type Parameters,
  type Statement,
  sectionsOf,
  type TransactionOptions,
  usable,
  writtenByNewer,
} from './database.ts'

/** The migrations in the order in which they were written; the number of those applied is the file's `user_version`. */
export const MIGRATIONS: readonly string[] = sectionsOf('migrations.sql', 'migration').map(([, text]) => text)

const TABLES = {
  name: 'tables',
  text: `SELECT name AS "table" FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name`,
}
const sizeRow = z.object({ table: z.string(), rows: z.int() })

/** How long a write waits for another process (a look from the command line) before it throws. */
const BUSY_TIMEOUT_MS = 5000

/**
 * Opens or creates the file, readable for its owner alone, and brings its tables up to date. Throws InboxNewer, and
 * `InboxUnusable` when it is damaged or can't be written.
 */
export function openSqlite(file: string): SqliteDatabase {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // SQLite gives its journal the permissions of the file, so the file has to have them first.
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
  const connection = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
  try {
    connection.exec('PRAGMA journal_mode = WAL')
    connection.exec('PRAGMA synchronous = FULL')
    const found = connection.prepare('PRAGMA quick_check(1)').get()!['quick_check']
    if (found !== 'ok') throw new InboxUnusable(damaged(file, String(found)))
    migrate(connection, file)
    return new SqliteDatabase(connection, file)
  } catch (error) {
    connection.close()
    throw isSqliteError(error) ? unusable(file, error) : error
  }
}

/**
 * The file, which another process may write to meanwhile. `isOlder`: not all tables are there yet, and only the next start
 * of that version brings them. Throws InboxNewer, and `InboxUnusable` when it is damaged.
 */
export function openSqliteToRead(file: string): { readonly database: SqliteDatabase; readonly isOlder: boolean } {
  const connection = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
  try {
    return { isOlder: versionOf(connection, file) < MIGRATIONS.length, database: new SqliteDatabase(connection, file) }
  } catch (error) {
    connection.close()
    throw isSqliteError(error) ? unusable(file, error) : error
  }
}

/**
 * One connection to one file. A statement runs at once, while nobody else does anything; but a transaction that awaits lets
 * others run in between, who must not become a part of it: they wait until it has ended.
 */
export class SqliteDatabase implements Database, AsyncDisposable {
  readonly #connection: DatabaseSync
  readonly #file: string
  readonly #prepared = new Map<string, StatementSync>()
  /** The transaction that the running code is a part of. */
  readonly #inside = new AsyncLocalStorage<{ isOpen: boolean }>()
  /** Transactions that are open or wait. */
  #transactions = 0
  /** Resolves with the last of them. */
  #last: Promise<void> = Promise.resolve()

  constructor(connection: DatabaseSync, file: string) {
    this.#connection = connection
    this.#file = file
  }

  // Between the look whether to wait, the end of the wait and the statement nothing is awaited: nobody comes between them.

  async rows<Row>(statement: Statement, schema: z.ZodType<Row>, parameters: Parameters = {}): Promise<Row[]> {
    if (this.#mustWait()) await this.#last
    return this.#prepare(statement)
      .all(parameters)
      .map((row) => usable(row, schema))
  }

  async row<Row>(statement: Statement, schema: z.ZodType<Row>, parameters: Parameters = {}): Promise<Row | null> {
    if (this.#mustWait()) await this.#last
    const row = this.#prepare(statement).get(parameters)
    return row === undefined ? null : usable(row, schema)
  }

  async run(statement: Statement, parameters: Parameters = {}): Promise<number> {
    if (this.#mustWait()) await this.#last
    return Number(this.#prepare(statement).run(parameters).changes)
  }

  async transaction<T>(work: () => Promise<T>, { isDurable = true }: TransactionOptions = {}): Promise<T> {
    if (this.#isInside()) return await work()
    const before = this.#last
    const ended = Promise.withResolvers<void>()
    this.#last = ended.promise
    this.#transactions++
    await before
    const transaction = { isOpen: true }
    try {
      return await this.#inside.run(transaction, () => this.#commit(work, isDurable))
    } finally {
      transaction.isOpen = false
      this.#transactions--
      ended.resolve()
    }
  }

  async ping(): Promise<void> {
    // A row of every table would do; this needs none.
    await this.transaction(async () => {
      this.#connection.exec(`PRAGMA user_version = ${versionOf(this.#connection, this.#file)}`)
    })
  }

  async size(): Promise<DatabaseSize> {
    const names = await this.rows(TABLES, z.object({ table: z.string() }))
    const counts = names.map(({ table }) => `SELECT '${table}' AS "table", count(*) AS "rows" FROM "${table}"`)
    const text = counts.join(' UNION ALL ')
    const tables = text === '' ? [] : await this.rows({ name: 'counts', text }, sizeRow)
    const files = ['', '-wal'].map((suffix) => statSync(`${this.#file}${suffix}`, { throwIfNoEntry: false }))
    return { bytes: files.reduce((sum, file) => sum + (file?.size ?? 0), 0), tables }
  }

  async close(): Promise<void> {
    await this.#last
    this.#connection.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** What a transaction has begun and not awaited is no part of it once it has ended. */
  #isInside(): boolean {
    return this.#inside.getStore()?.isOpen === true
  }

  #mustWait(): boolean {
    return this.#transactions > 0 && !this.#isInside()
  }

  #prepare({ text }: Statement): StatementSync {
    let prepared = this.#prepared.get(text)
    if (prepared === undefined) {
      prepared = this.#connection.prepare(text)
      this.#prepared.set(text, prepared)
    }
    return prepared
  }

  /**
   * Takes the right to write at once, so that what is read still holds when it writes. Without the wait for the disk, what is
   * written comes to it with whatever is next: a frame of the write-ahead log counts only where the checksum over all frames
   * up to it is right, and a commit that waits syncs the whole log (sqlite.org/fileformat2.html#walformat, /pragma.html#pragma_synchronous).
   */
  async #commit<T>(work: () => Promise<T>, isDurable: boolean): Promise<T> {
    if (!isDurable) this.#connection.exec('PRAGMA synchronous = NORMAL')
    try {
      this.#connection.exec('BEGIN IMMEDIATE')
      const result = await work()
      this.#connection.exec('COMMIT')
      return result
    } catch (error) {
      // A full disk has ended the transaction already, and this must not hide the reason.
      if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK')
      throw error
    } finally {
      if (!isDurable) this.#connection.exec('PRAGMA synchronous = FULL')
    }
  }
}

/** The number of migrations that were applied. @throws InboxNewer */
export function versionOf(connection: DatabaseSync, file: string): number {
  const version = Number(connection.prepare('PRAGMA user_version').get()?.['user_version'])
  if (version <= MIGRATIONS.length) return version
  throw new InboxNewer(writtenByNewer(file, version, MIGRATIONS.length))
}

function migrate(connection: DatabaseSync, file: string): void {
  connection.exec('BEGIN IMMEDIATE')
  try {
    const version = versionOf(connection, file)
    for (const migration of MIGRATIONS.slice(version)) connection.exec(migration)
    connection.exec(`PRAGMA user_version = ${MIGRATIONS.length}`)
    connection.exec('COMMIT')
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK')
    throw error
  }
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
        ? `${file} can't be written, because the disk is full: free some space and start again`
        : `${file} can't be used (${error.message}): check the disk and the permissions of its folder`
  return new InboxUnusable(message, { cause: error })
}

function damaged(file: string, what: string): string {
  return (
    `${file} is damaged (${what}): restore a backup ("perf-triage restore --help"). Without one, move it away together with the files whose ` +
    'names begin with its name; the bot then starts afresh, without people’s decisions'
  )
}
