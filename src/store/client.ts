import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ClickHouseClient,
  ClickHouseError,
  ClickHouseLogLevel,
  createClient,
  type QueryParams,
  type ClickHouseSettings as ServerSettings,
} from '@clickhouse/client'
import pLimit from 'p-limit'
import type { z } from 'zod'
import { traced } from '../telemetry/tracing.ts'
import type { EmbeddedEvent } from './embedded/embedded.ts'
import { type OpenEmbedded, openEmbedded } from './open-embedded.ts'
import { pageAsking } from './page-asking.ts'
import { StoreUnavailable } from './store-unavailable.ts'

/** Where the database is: plain values, taken from the environment by the caller. */
export interface ClickHouseSettings {
  /** CLICKHOUSE_URL; null: the embedded engine in `dataDir`. */
  readonly url: string | null
  /** The user of the server; the embedded engine has its own. */
  readonly user?: string | null
  readonly password?: string | null
  readonly database?: string | null
  /** CLICKHOUSE_CLUSTER: tables are replicated and distributed. Of a server only. */
  readonly cluster?: string | null
  /** PERF_TRIAGE_DATA_DIR. */
  readonly dataDir: string
  /** Milliseconds until a request counts as lost; 30,000 where not given. */
  readonly timeout?: number
  readonly onEmbeddedEvent?: (event: EmbeddedEvent) => void
  /** Where it is aborted while the embedded engine starts, that ends, and `openClickHouse` rejects with its reason. */
  readonly signal?: AbortSignal | undefined
}

const DEFAULT_DATABASE = 'perf_triage'
const DEFAULT_TIMEOUT = 30_000

/** Statements of pages that run at once: less than half of what the embedded engine runs, so that a triage has its place at once. */
const PAGE_STATEMENTS = 3

/** A read is tried again after these when the connection fails. Milliseconds. */
const PAUSES = [100, 300, 1000]

/**
 * Set for every request. The output settings keep what JSON would lose: integers beyond 2^53, NaN and the infinities.
 * The others keep a server's own defaults from acknowledging what is not stored yet, and a migration that copies a table
 * from dropping blocks that are equal.
 */
const REQUEST_SETTINGS: ServerSettings = {
  output_format_json_quote_64bit_integers: 1,
  output_format_json_quote_denormals: 1,
  date_time_input_format: 'best_effort',
  date_time_output_format: 'iso',
  async_insert: 0,
  insert_deduplicate: 0,
  distributed_foreground_insert: 1,
  lightweight_deletes_sync: '2',
}

/**
 * On a cluster every statement asks and writes the same replica of a shard while that one is up, whichever node it comes
 * to, so that what was written is found by the next statement. A table that is asked by another one is asked once for all
 * shards: ClickHouse refuses it otherwise (error 288). Rows of one table that go into another, as in migration 010, are
 * written by the node that is asked: since ClickHouse 25.8 each shard would do it, and there the names of other tables in the
 * statement are without their database (error 60).
 */
const CLUSTER_SETTINGS: ServerSettings = {
  load_balancing: 'in_order',
  prefer_localhost_replica: 0,
  distributed_product_mode: 'global',
  parallel_distributed_insert_select: '0',
}

export type QueryParameters = Readonly<Record<string, unknown>>

/** A database over HTTP, with one way of failing: `StoreUnavailable` when it can't be asked now. */
export interface ClickHouse {
  /** The unmodified client, for what has no method here. Its errors are not mapped. */
  readonly client: ClickHouseClient
  readonly database: string
  readonly cluster: string | null
  /** The place for messages; holds no password. */
  readonly where: string
  /**
   * Rows of a statement that only reads; tried again when the connection fails. `name` is said in errors. Settings come in
   * `settings`: the embedded engine refuses a SETTINGS clause of a statement that only reads.
   */
  read<T>(
    name: string,
    sql: string,
    parameters: QueryParameters,
    row: z.ZodType<T>,
    settings?: ServerSettings,
  ): Promise<T[]>
  /**
   * The values of the first row of such a statement as texts, each but the last without a tab; null: there is none. For a large text
   * as the last one: JSON would escape all of it, and be parsed twice.
   */
  readValues(name: string, sql: string, parameters: QueryParameters): Promise<readonly string[] | null>
  /** A statement that changes something and returns nothing. Tried again only when it can't have arrived. */
  command(name: string, sql: string, parameters?: QueryParameters, settings?: ServerSettings): Promise<void>
  /** Rows as arrays in the order of `columns`; read again when they can't have arrived, which is when they are sent again. */
  insert(table: string, columns: readonly string[], rows: Iterable<readonly unknown[]>): Promise<void>
  /** The same of many rows, as a block of the format Native. */
  insertBlock(table: string, columns: readonly string[], block: Uint8Array): Promise<void>
  /** Resolves when the database answers and lets us in. */
  ping(): Promise<void>
  /** The same database without a chosen one, to create it. The caller does not close it. */
  withoutDatabase(): ClickHouse
  close(): Promise<void>
}

/**
 * Opens the server of a url; without one the engine of a running bot on the same data directory; else one of our own. A
 * server is not asked yet. @throws StoreUnavailable when there is no embedded engine to be had, or the url is none.
 */
export async function openClickHouse(settings: ClickHouseSettings): Promise<ClickHouse> {
  const timeout = settings.timeout ?? DEFAULT_TIMEOUT
  const database = settings.database || DEFAULT_DATABASE
  if (settings.url !== null && settings.url !== '') {
    const { url, user, password } = readAddress(settings)
    const endpoint: Endpoint = { url, user, password, isLocal: isLoopback(url) }
    return new Connection({
      endpoint,
      database,
      cluster: settings.cluster || null,
      timeout,
      reopen: null,
      embedded: null,
      owns: false,
    })
  }
  const open = (signal?: AbortSignal) =>
    openEmbedded({
      dataDir: settings.dataDir,
      signal,
      ...(settings.onEmbeddedEvent === undefined ? {} : { onEvent: settings.onEmbeddedEvent }),
    })
  const state = embeddedState(await open(settings.signal))
  return new Connection({ ...state, database, cluster: null, timeout, reopen: () => open(), owns: true })
}

interface Endpoint {
  readonly url: string
  readonly user: string
  readonly password: string
  readonly isLocal: boolean
}

interface State {
  readonly endpoint: Endpoint
  readonly embedded: OpenEmbedded | null
  readonly database: string
  readonly cluster: string | null
  readonly timeout: number
  /** Finds or starts the embedded engine anew; null for a server. */
  readonly reopen: (() => Promise<OpenEmbedded>) | null
  /** Closing this connection ends the engine. */
  readonly owns: boolean
}

function embeddedState(embedded: OpenEmbedded): Pick<State, 'endpoint' | 'embedded'> {
  const { url, user, password } = embedded
  return { endpoint: { url, user, password, isLocal: true }, embedded }
}

class Connection implements ClickHouse {
  #state: State
  #client: ClickHouseClient
  #reopening: Promise<void> | null = null
  #closed = false
  readonly #children: Connection[] = []
  readonly #retired = new Set<ClickHouseClient>()
  readonly #pagePlaces = pLimit(PAGE_STATEMENTS)

  constructor(state: State) {
    this.#state = state
    this.#client = newClient(state)
  }

  get client(): ClickHouseClient {
    return this.#client
  }

  get database(): string {
    return this.#state.database
  }

  get cluster(): string | null {
    return this.#state.cluster
  }

  get where(): string {
    const { embedded, endpoint } = this.#state
    return embedded === null ? endpoint.url : 'the embedded database'
  }

  async read<T>(
    name: string,
    sql: string,
    parameters: QueryParameters,
    row: z.ZodType<T>,
    settings: ServerSettings = {},
  ): Promise<T[]> {
    const rows = await this.#select(name, sql, parameters, settings, async (select) => {
      const result = await this.#client.query({ ...select, format: 'JSONEachRow' })
      return await result.json<unknown>()
    })
    return rows.map((value) => {
      const parsed = row.safeParse(value)
      if (!parsed.success) throw new Error(`${name} returned an unexpected row: ${parsed.error.message}`)
      return parsed.data
    })
  }

  async readValues(name: string, sql: string, parameters: QueryParameters): Promise<readonly string[] | null> {
    // What fails in the middle of an answer would be read as a text.
    const settings: ServerSettings = { wait_end_of_query: 1 }
    const lines = await this.#select(name, sql, parameters, settings, async (select) => {
      const result = await this.#client.query({ ...select, format: 'TabSeparatedRaw' })
      return await result.text()
    })
    const end = lines.indexOf('\n')
    return end === -1 ? null : lines.slice(0, end).split('\t')
  }

  async #select<T>(
    name: string,
    sql: string,
    parameters: QueryParameters,
    settings: ServerSettings,
    ask: (select: QueryParams) => Promise<T>,
  ): Promise<T> {
    // A server's profile may refuse it.
    const readOnly: ServerSettings = this.#state.embedded === null ? {} : { readonly: '1' }
    const select = {
      query: sql,
      query_params: { ...parameters },
      clickhouse_settings: { ...settings, ...readOnly },
    }
    const page = pageAsking()
    const attempt = (signal: AbortSignal) => ask({ ...select, abort_signal: signal })
    if (page === null) return await this.#try(name, attempt, true)
    return await this.#pagePlaces(() => this.#try(name, attempt, true, page.signal))
  }

  async command(
    name: string,
    sql: string,
    parameters: QueryParameters = {},
    settings: ServerSettings = {},
  ): Promise<void> {
    await this.#try(name, (signal) =>
      this.#client.command({
        query: sql,
        query_params: { ...parameters },
        clickhouse_settings: settings,
        abort_signal: signal,
      }),
    )
  }

  async insert(table: string, columns: readonly string[], rows: Iterable<readonly unknown[]>): Promise<void> {
    await this.#insert(table, columns, 'JSONCompactEachRow', () => linesOf(rows))
  }

  async insertBlock(table: string, columns: readonly string[], block: Uint8Array): Promise<void> {
    await this.#insert(table, columns, 'Native', () => [block])
  }

  async #insert(
    table: string,
    columns: readonly string[],
    format: string,
    pieces: () => Iterable<string | Uint8Array>,
  ): Promise<void> {
    // A replicated table drops a block that it had before, unless a token says that it is another. `insert_deduplicate: 0`
    // does not keep it from that since ClickHouse 26.2. The same rows may be stored again after they were deleted.
    const clickhouse_settings: ServerSettings = { insert_deduplicate: 1, insert_deduplication_token: randomUUID() }
    await this.#try(`insert into ${table}`, async (signal) => {
      // The client's own `insert` writes the stack of a request that fails to the standard error.
      const { stream } = await this.#client.exec({
        query: `INSERT INTO ${table} (${columns.join(', ')}) FORMAT ${format}`,
        values: Readable.from(pieces(), { objectMode: false }),
        clickhouse_settings,
        abort_signal: signal,
      })
      await finished(stream.resume())
    })
  }

  async ping(): Promise<void> {
    await this.#try('ping', async (signal) => {
      const result = await this.#client.ping({ select: true, abort_signal: signal })
      if (!result.success) throw result.error
    })
  }

  withoutDatabase(): ClickHouse {
    // The database `system` exists everywhere, and reading it needs no grant.
    const child = new Connection({ ...this.#state, database: 'system', reopen: null, owns: false })
    this.#children.push(child)
    return child
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#reopening?.catch(() => {})
    for (const child of this.#children) await child.close()
    for (const client of this.#retired) await client.close()
    await this.#client.close()
    if (this.#state.owns) await this.#state.embedded?.stop()
  }

  /** `what` is the name of a statement, which stands in errors and traces; its text stands in neither. */
  async #try<T>(
    what: string,
    attempt: (signal: AbortSignal) => Promise<T>,
    mayRepeat = false,
    until?: AbortSignal,
  ): Promise<T> {
    return await traced(`ClickHouse ${what}`, {}, () => this.#tryAgain(what, attempt, mayRepeat, until))
  }

  /** @param until aborted: nobody waits for the answer any longer */
  async #tryAgain<T>(
    what: string,
    attempt: (signal: AbortSignal) => Promise<T>,
    mayRepeat: boolean,
    until: AbortSignal | undefined,
  ): Promise<T> {
    const isOver = () => until?.aborted === true
    for (let tries = 0; ; tries++) {
      if (isOver()) throw new StoreUnavailable(`Nobody waits for ${what} any longer.`)
      if (this.#closed) throw new StoreUnavailable(`The connection to ${this.where} is closed.`)
      // The client's own time-out starts again with each byte that arrives.
      const deadline = AbortSignal.timeout(this.#state.timeout)
      try {
        const signal = until === undefined ? deadline : AbortSignal.any([deadline, until])
        return await inTime(attempt(signal), signal)
      } catch (error) {
        if (isOver()) continue
        const failure = deadline.aborted ? ({ kind: 'slow' } as const) : failureOf(error)
        if (deadline.aborted) this.#retire()
        if (failure === null) throw describeStatement(what, error)
        const pause = PAUSES[tries]
        if (failure.kind === 'unreachable') await this.#lookAgain()
        const again = failure.kind === 'unreachable' && (mayRepeat || neverArrived(error))
        if (!again || pause === undefined) throw this.#unavailable(failure, error)
        await sleep(pause)
      }
    }
  }

  /** The engine of another process has ended: find or start another one. Failing, the next request fails as this did. */
  async #lookAgain(): Promise<void> {
    const { reopen, embedded } = this.#state
    if (reopen === null || embedded?.attached !== true || this.#closed) return
    this.#reopening ??= reopen()
      .then(async (opened) => {
        const before = this.#client
        this.#state = { ...this.#state, ...embeddedState(opened) }
        this.#client = newClient(this.#state)
        await before.close()
      })
      .catch(() => {})
      .finally(() => {
        this.#reopening = null
      })
    await this.#reopening
  }

  /**
   * The client gives an answer up only until its first byte: one that never ends would keep its connection. Others
   * that use this client have their own deadline, and are done when it is closed.
   */
  #retire(): void {
    const retired = this.#client
    this.#client = newClient(this.#state)
    this.#retired.add(retired)
    setTimeout(() => {
      this.#retired.delete(retired)
      void retired.close()
    }, this.#state.timeout).unref()
  }

  #unavailable(failure: Failure, error: unknown): StoreUnavailable {
    const { endpoint, embedded, timeout } = this.#state
    const givenUp = embedded?.givenUp() ?? null
    const reason = withoutSecret(reasonOf(error), endpoint)
    if (givenUp !== null) {
      const words = withoutSecret(givenUp, endpoint)
      return new StoreUnavailable(
        `The embedded database keeps crashing (${words}). Restart the process, or set CLICKHOUSE_URL to a ClickHouse server.`,
      )
    }
    const sentences: Readonly<Record<Failure['kind'], string>> = {
      slow: `did not answer within ${timeout / 1000} s. Check its load and the network.`,
      refused: `refuses user ${endpoint.user}: ${reason}. Check CLICKHOUSE_USER, CLICKHOUSE_PASSWORD and the user's grants.`,
      busy: `can't take the request now: ${reason}. Check its load, memory, disk and replication.`,
      unreachable:
        embedded === null
          ? `can't be reached: ${reason}. Check CLICKHOUSE_URL and that the server is up.`
          : `does not answer: ${reason}. It restarts by itself; try again.`,
    }
    return new StoreUnavailable(`${this.where} ${sentences[failure.kind]}`, { cause: reason })
  }
}

function newClient(state: State): ClickHouseClient {
  const { endpoint, database, cluster, timeout } = state
  const { url, user, password, isLocal } = endpoint
  return createClient({
    url,
    username: user,
    password,
    database,
    application: 'perf-triage',
    request_timeout: timeout,
    max_open_connections: 10,
    compression: { request: !isLocal, response: !isLocal },
    clickhouse_settings: { ...REQUEST_SETTINGS, ...(cluster !== null && CLUSTER_SETTINGS) },
    // Every error is thrown, and the log is the caller's.
    log: { level: ClickHouseLogLevel.OFF },
  })
}

const CHUNK_LENGTH = 64 * 1024

/** A line of JSON for each row, many of them at once: each piece is written to the connection by itself. */
function* linesOf(rows: Iterable<readonly unknown[]>): Generator<string> {
  let lines = ''
  for (const row of rows) {
    lines += `${JSON.stringify(row)}\n`
    if (lines.length >= CHUNK_LENGTH) {
      yield lines
      lines = ''
    }
  }
  if (lines !== '') yield lines
}

/** The value of `work`, or the signal's reason when that comes first: work may not hear of the signal. */
async function inTime<T>(work: Promise<T>, deadline: AbortSignal): Promise<T> {
  const late = Promise.withResolvers<never>()
  const onAbort = () => late.reject(deadline.reason as Error)
  deadline.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, late.promise])
  } finally {
    deadline.removeEventListener('abort', onAbort)
    work.catch(() => {})
  }
}

/** Enough of it for a sentence: a proxy in between may answer with a whole page. */
function reasonOf(error: unknown): string {
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error
  const text = cause instanceof Error ? cause.message : String(cause)
  const line = text.replace(/\s+/g, ' ').trim().replace(/\.$/, '')
  return line.length > 300 ? `${line.slice(0, 300)}…` : line
}

type Failure = { readonly kind: 'slow' | 'refused' | 'busy' | 'unreachable' }

/** No access: unknown user, wrong password, no grant. */
const REFUSED_CODES = new Set(['192', '193', '194', '195', '497', '516'])
/** Passing states of a server: overload, memory, disk, too many parts, read-only replica, keeper, shutdown, … */
const BUSY_CODES = new Set([
  '159',
  '160',
  '202',
  '203',
  '209',
  '210',
  '225',
  '236',
  '241',
  '242',
  '243',
  '252',
  '279',
  '285',
  '286',
  '319',
  '394',
  '425',
  '999',
])

/** null: the statement itself is wrong, and asking again would not help. */
function failureOf(error: unknown): Failure | null {
  if (error instanceof ClickHouseError) {
    if (REFUSED_CODES.has(error.code)) return { kind: 'refused' }
    return BUSY_CODES.has(error.code) ? { kind: 'busy' } : null
  }
  if (!(error instanceof Error)) return null
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return null
  return error.message === 'Timeout error.' ? { kind: 'slow' } : { kind: 'unreachable' }
}

/** The connection was not even made: nothing can have happened over there. */
function neverArrived(error: unknown): boolean {
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error
  return cause instanceof Error && (cause as NodeJS.ErrnoException).code === 'ECONNREFUSED'
}

function describeStatement(what: string, error: unknown): Error {
  const message = error instanceof Error ? error.message.trim() : String(error)
  const code = error instanceof ClickHouseError ? `${error.type ?? 'error'} ${error.code}: ` : ''
  return new Error(`${what}: ${code}${message}`, { cause: error })
}

function readAddress(settings: ClickHouseSettings): { url: string; user: string; password: string } {
  let url: URL
  try {
    url = new URL(settings.url ?? '')
  } catch {
    throw new StoreUnavailable('CLICKHOUSE_URL is not an address. Use one like https://clickhouse.example.com:8443.')
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new StoreUnavailable(
      'CLICKHOUSE_URL must begin with http:// or https://: the native protocol is not supported.',
    )
  }
  const user = settings.user || decodeURIComponent(url.username) || 'default'
  const password = settings.password || decodeURIComponent(url.password)
  url.username = ''
  url.password = ''
  return { url: url.href.replace(/\/$/, ''), user, password }
}

function isLoopback(url: string): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname)
}

function withoutSecret(text: string, endpoint: Endpoint): string {
  return endpoint.password === '' ? text : text.replaceAll(endpoint.password, '***')
}
