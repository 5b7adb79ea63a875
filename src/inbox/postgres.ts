import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import {
  type ClientBase,
  type CustomTypesConfig,
  Pool,
  type PoolClient,
  type QueryConfig,
  type QueryResult,
  types,
} from 'pg'
import { z } from 'zod'
import {
  type Database,
  type DatabaseSize,
  InboxUnavailable,
  type Parameters,
  type Statement,
  type TransactionOptions,
  usable,
  type Value,
} from './database.ts'
import { cameBetween, isAway, placeOf, reasonOf } from './postgres-errors.ts'
import { migrate, TABLES, TAKE_LOCK } from './postgres-tables.ts'

/** Connections of one process. The statements of the inbox take a millisecond, so that more would only wait for each other. */
const CONNECTIONS = 10
const CONNECT_TIMEOUT_MS = 5000
/** The longest statement is the pruning of a day, some 100,000 rows. */
const STATEMENT_TIMEOUT_MS = 30_000
/** Below the ten seconds that GitHub waits for an answer. */
const LOCK_TIMEOUT_MS = 5000
/** A process that was stopped in a transaction would keep all others from theirs. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000
/** A server that went away without a word. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5000

/**
 * Limits, where neither the address nor the role has its own, and plans. A choice among what waits follows an index to its first
 * row. Of a queue that has just filled the statistics say that it is empty, and then all of it is read for each choice: 2,000
 * deliveries made 3 ms 50.
 */
const settings = (of: 'session' | 'transaction') => `
  SELECT set_config(name, setting, ${of === 'transaction'}) FROM (VALUES
    ('statement_timeout', '${STATEMENT_TIMEOUT_MS}'),
    ('lock_timeout', '${LOCK_TIMEOUT_MS}'),
    ('idle_in_transaction_session_timeout', '${IDLE_IN_TRANSACTION_TIMEOUT_MS}')
  ) AS own (name, setting) WHERE current_setting(name) = '0';
  SET ${of === 'transaction' ? 'LOCAL' : 'SESSION'} enable_bitmapscan = off`

/** The message about a database on which the bot was never started. */
export const NO_TABLES = 'the database of DATABASE_URL has no tables yet: start the bot once to create them'

const HAS_TABLES = { name: 'hasTables', text: "SELECT WHERE to_regclass('inbox_version') IS NOT NULL" }
const PING = { name: 'ping', text: 'UPDATE inbox_version SET version = version' }

/** To count the rows would read all of them: these are what the server has noted of inserts and deletes. */
const SIZES = {
  name: 'sizes',
  text: `SELECT relname AS "table", n_live_tup AS "rows", pg_total_relation_size(relid) AS "bytes" FROM pg_stat_user_tables
    WHERE schemaname = current_schema() AND relname IN (${TABLES.map((table) => `'${table}'`).join(', ')}) ORDER BY relname`,
}
const sizeRow = z.object({ table: z.string(), rows: z.int(), bytes: z.int() })

/** A transaction that two others have come between is done again. */
const ATTEMPTS = 5
const RETRY_PAUSE_MS = 20

/**
 * Opens the database and brings its tables up to date. `url`: `postgresql://user:password@host:5432/name`, with `?sslmode=verify-full`
 * and the like. Rejects with InboxNewer, and with `InboxUnusable` where nothing can be kept in it.
 */
export async function openPostgres(url: string): Promise<PostgresDatabase> {
  await migrate(url)
  return new PostgresDatabase(url)
}

interface Transaction {
  readonly client: PoolClient
  isSerial: boolean
  isOpen: boolean
}

/** A database that several processes share. */
export class PostgresDatabase implements Database {
  readonly #pool: Pool
  /** Where it is, without a password. */
  readonly #place: string
  readonly #inside = new AsyncLocalStorage<Transaction>()
  /**
   * A pooler answers, which may give each transaction another session: nothing is left in one, and limits hold within a transaction alone.
   * On PostgreSQL itself claims with prepared statements are half as many again. null: nothing was asked yet.
   */
  #isPooled: boolean | null = null

  constructor(url: string) {
    this.#place = placeOf(url)
    this.#pool = new Pool({
      max: CONNECTIONS,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      keepAlive: true,
      application_name: 'perf-triage',
      types: { getTypeParser },
      onConnect: (client): unknown => this.#prepare(client),
      connectionString: url,
    })
    // A connection that breaks while nobody asks anything would end the process; whoever asks next is told.
    this.#pool.on('error', () => {})
    this.#pool.on('connect', (client) => client.on('error', () => {}))
  }

  async rows<Row>(statement: Statement, schema: z.ZodType<Row>, parameters: Parameters = {}): Promise<Row[]> {
    const { rows } = await this.#run(statement, parameters)
    return rows.map((row) => usable(row, schema))
  }

  async row<Row>(statement: Statement, schema: z.ZodType<Row>, parameters: Parameters = {}): Promise<Row | null> {
    const { rows } = await this.#run(statement, parameters)
    return rows.length === 0 ? null : usable(rows[0], schema)
  }

  async run(statement: Statement, parameters: Parameters = {}): Promise<number> {
    return (await this.#run(statement, parameters)).rowCount ?? 0
  }

  async transaction<T>(
    work: () => Promise<T>,
    { isDurable = true, isSerial = true }: TransactionOptions = {},
  ): Promise<T> {
    const outer = this.#open()
    if (outer !== null) {
      if (isSerial && !outer.isSerial) await this.#ask(outer.client, TAKE_LOCK)
      outer.isSerial ||= isSerial
      return await work()
    }
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt({ isDurable, isSerial }, work)
      } catch (error) {
        if (!cameBetween(error)) throw error
        if (attempt === ATTEMPTS) throw this.#unavailable(error)
        await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS * attempt * (0.5 + Math.random())))
      }
    }
  }

  /** Whether the bot has been started on it. */
  async hasTables(): Promise<boolean> {
    return (await this.run(HAS_TABLES)) > 0
  }

  async ping(): Promise<void> {
    await this.run(PING)
  }

  async size(): Promise<DatabaseSize> {
    const sizes = await this.rows(SIZES, sizeRow)
    return {
      bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
      tables: sizes.map(({ table, rows }) => ({ table, rows })),
    }
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }

  /** PostgreSQL itself gives the number of the session that answers; a pooler one of its own. */
  async #prepare(client: ClientBase & { readonly processID?: number | null }): Promise<void> {
    const { rows } = await client.query<{ readonly pid: number }>('SELECT pg_backend_pid() AS pid')
    this.#isPooled = rows[0]?.pid !== client.processID
    if (!this.#isPooled) await client.query(settings('session'))
  }

  async #attempt<T>({ isDurable, isSerial }: Required<TransactionOptions>, work: () => Promise<T>): Promise<T> {
    const client = await this.#connect()
    const begin = [
      'BEGIN',
      ...(this.#isPooled === true ? [settings('transaction')] : []),
      ...(isDurable ? [] : ['SET LOCAL synchronous_commit = off']),
      ...(isSerial ? [TAKE_LOCK] : []),
    ]
    const transaction = { client, isSerial, isOpen: true }
    let isEnded = false
    try {
      await this.#ask(client, begin.join('; '))
      const result = await this.#inside.run(transaction, work)
      transaction.isOpen = false
      const { command } = await this.#ask(client, 'COMMIT')
      isEnded = true
      if (command !== 'COMMIT') throw new Error('a statement of the transaction failed, so it was rolled back')
      return result
    } catch (error) {
      transaction.isOpen = false
      if (!isEnded && !(error instanceof InboxUnavailable)) isEnded = await this.#isRolledBack(client)
      throw error
    } finally {
      client.release(!isEnded)
    }
  }

  async #isRolledBack(client: PoolClient): Promise<boolean> {
    try {
      await this.#ask(client, 'ROLLBACK')
      return true
    } catch {
      return false
    }
  }

  /** The transaction that the running code is a part of. What it has begun and not awaited is no part once it has ended. */
  #open(): Transaction | null {
    const transaction = this.#inside.getStore()
    return transaction?.isOpen === true ? transaction : null
  }

  async #run(statement: Statement, parameters: Parameters): Promise<QueryResult<object>> {
    const open = this.#open()
    if (open !== null) return await this.#askIn(open.client, statement, parameters)
    if (this.#isPooled === null) (await this.#connect()).release()
    if (this.#isPooled === true) {
      return await this.transaction(() => this.#run(statement, parameters), { isSerial: false })
    }
    const client = await this.#connect()
    let isDone = false
    try {
      const result = await this.#askIn(client, statement, parameters)
      isDone = true
      return result
    } finally {
      client.release(!isDone)
    }
  }

  async #askIn(client: PoolClient, statement: Statement, parameters: Parameters): Promise<QueryResult<object>> {
    const { name, text, parameters: names } = prepared(statement)
    const values = names.map((parameter) => sent(parameter, parameters[parameter]))
    return await this.#ask(client, this.#isPooled === true ? { text, values } : { name, text, values })
  }

  async #ask(client: PoolClient, query: string | QueryConfig): Promise<QueryResult<object>> {
    try {
      return await client.query<object>(query)
    } catch (error) {
      throw isAway(error) ? this.#unavailable(error) : error
    }
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.connect()
    } catch (error) {
      throw this.#unavailable(error)
    }
  }

  #unavailable(error: unknown): InboxUnavailable {
    return new InboxUnavailable(`${this.#place} can't be used now (${reasonOf(error)})`, { cause: error })
  }
}

/** Of a text once: the name under which a connection has prepared it, which is that of its text. */
const PREPARED = new Map<string, Numbered & { readonly name: string }>()

function prepared({ name, text }: Statement): Numbered & { readonly name: string } {
  let known = PREPARED.get(text)
  if (known === undefined) {
    const query = numbered(text)
    const hash = createHash('sha256').update(query.text).digest('hex').slice(0, 16)
    known = { ...query, name: `${name}-${hash}` }
    PREPARED.set(text, known)
  }
  return known
}

function sent(name: string, value: Value | undefined): Value {
  if (value === undefined) throw new Error(`the parameter "${name}" has no value`)
  // PostgreSQL keeps every character but this one.
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value
}

/** Times and numbers of GitHub are far below 2^53; the schemas of the rows refuse what is not. */
const getTypeParser: CustomTypesConfig['getTypeParser'] = (type, format) =>
  type === types.builtins.INT8 && format !== 'binary' ? Number : types.getTypeParser(type, format)

/** A statement as PostgreSQL takes it: `$1` in the place of `:name`. */
export interface Numbered {
  readonly text: string
  /** The names in the order of their numbers, each once. */
  readonly parameters: readonly string[]
}

/** Strings, quoted names, comments and casts, which hold no parameter; else a parameter. */
const PARTS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|::|:([A-Za-z_]\w*)/g

export function numbered(text: string): Numbered {
  const parameters: string[] = []
  const replaced = text.replace(PARTS, (part, name?: string) => {
    if (name === undefined) return part
    if (!parameters.includes(name)) parameters.push(name)
    return `$${parameters.indexOf(name) + 1}`
  })
  return { text: replaced, parameters }
}
