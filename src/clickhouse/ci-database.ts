import {
  type ClickHouseClient,
  ClickHouseError,
  ClickHouseLogLevel,
  createClient,
  type ClickHouseSettings as ServerSettings,
} from '@clickhouse/client'
import { z } from 'zod'
import type { LookupProblem } from '../ledger/failure.ts'
import { OUTPUT_READ } from '../ledger/signature.ts'
import { CiLookup } from './ci-lookup.ts'
import type { CiQueries, ReadOptions } from './ci-queries.ts'
import { type CiResults, CiResultsUnavailable } from './ci-results.ts'
import { ciSql, type RowSource, STATUS_PARAMETERS } from './ci-sql.ts'
import type { QueryParameters } from './client.ts'

export interface CiDatabaseSettings {
  /** `https://ci.example.com:8443`, of a ClickHouse server over HTTP. */
  readonly url: string
  readonly user: string
  readonly password: string
  /** `checks` or `database.checks`, in the columns of ClickHouse's CI database. */
  readonly table: string
  /** Milliseconds for one answer; 30,000 where not given. */
  readonly timeout?: number
}

export interface CiDatabase extends CiResults {
  /** For other statements over the same rows. */
  readonly queries: CiQueries
  close(): Promise<void>
}

/**
 * A CI database that belongs to others: it is only read, with limits, and reached at the first lookup.
 * @throws CiResultsUnavailable for a url or a name of a table that is none.
 */
export function openCiDatabase(settings: CiDatabaseSettings): CiDatabase {
  return new CiDatabaseLookup(new Connection(settings))
}

class CiDatabaseLookup extends CiLookup implements CiDatabase {
  readonly queries: CiQueries
  readonly #connection: Connection

  constructor(connection: Connection) {
    super(connection)
    this.queries = connection
    this.#connection = connection
  }

  async close(): Promise<void> {
    await this.#connection.close()
  }
}

const DEFAULT_TIMEOUT = 30_000
const DAY = 86_400

/** What others' servers must not be made to do for us, whatever they hold. */
const LIMITS: ServerSettings = {
  readonly: '2',
  max_bytes_to_read: String(200 * 2 ** 30),
  max_result_bytes: String(512 * 2 ** 20),
}

/** A user whose profile is read-only can't be given settings; its own limits hold then. */
const UNKNOWN_COLUMN = new Set(['47'])
const SETTINGS_REFUSED = new Set(['164', '452'])

/** How long the columns of the table are taken for known. Milliseconds. */
const COLUMNS_KNOWN = 10 * 60_000

/**
 * Without these nobody could tell whose a row is, or whether it is the same failure: then nothing must be excused. Every
 * other column is empty where it is missing.
 */
const ESSENTIAL = [
  'pull_request_number',
  'commit_sha',
  'check_name',
  'check_status',
  'check_start_time',
  'test_name',
  'test_status',
  'test_context_raw',
  'base_ref',
  'base_repo',
  'head_ref',
  'head_repo',
]
const OPTIONAL = ['report_url']

class Connection implements CiQueries {
  readonly source = 'ci-database'
  /** The table is ordered by time alone, and a head is rarely older than a month. */
  readonly commitSearch = [30 * DAY, 366 * DAY, null]
  /** A proxy before a server takes addresses of 8 KB; what is no text takes the rest. */
  readonly parameterLength = 5000

  readonly #table: string
  readonly #url: string
  readonly #password: string
  readonly #timeout: number
  readonly #client: ClickHouseClient
  #withSettings = true
  #columns: { readonly sql: string; readonly at: number } | null = null

  constructor({ url, user, password, table, timeout = DEFAULT_TIMEOUT }: CiDatabaseSettings) {
    this.#table = quotedTable(table)
    this.#password = password
    this.#timeout = timeout
    try {
      const address = new URL(url)
      address.username = ''
      address.password = ''
      this.#url = address.href.replace(/\/$/, '')
      this.#client = createClient({
        url: this.#url,
        username: user,
        password,
        application: 'perf-triage',
        request_timeout: timeout,
        max_open_connections: 4,
        // It is a setting, which some users may not set.
        compression: { request: false, response: false },
        log: { level: ClickHouseLogLevel.OFF },
      })
    } catch {
      throw new CiResultsUnavailable(
        'unreachable',
        'The address of the CI database is none. Use one like https://ci.example.com:8443.',
      )
    }
  }

  async close(): Promise<void> {
    await this.#client.close()
  }

  async read<T>(
    name: string,
    parameters: QueryParameters,
    row: z.ZodType<T>,
    { ofChecks = false }: ReadOptions = {},
  ): Promise<T[]> {
    const executions = ofChecks ? 'executions-of-checks' : 'executions'
    try {
      return await this.#readOnce(name, executions, parameters, row)
    } catch (error) {
      // The table has changed since its columns were read.
      if (!isCode(error, UNKNOWN_COLUMN) || this.#columns === null) throw this.#unavailable(error)
      this.#columns = null
    }
    try {
      return await this.#readOnce(name, executions, parameters, row)
    } catch (error) {
      throw this.#unavailable(error)
    }
  }

  async #readOnce<T>(
    name: string,
    executions: NonNullable<RowSource['executions']>,
    parameters: QueryParameters,
    row: z.ZodType<T>,
  ): Promise<T[]> {
    const source: RowSource = { file: 'external-rows', executions, parts: { columns: await this.#columnsSql() } }
    const rows = await this.#query(ciSql(name, source), {
      ...parameters,
      ...STATUS_PARAMETERS,
      outputRead: OUTPUT_READ,
    })
    return rows.map((value) => {
      const parsed = row.safeParse(value)
      if (!parsed.success) throw new Error(`${name}: ${parsed.error.message}`)
      return parsed.data
    })
  }

  /** The columns that the statements name, whatever the table has of them and in whichever types. */
  async #columnsSql(): Promise<string> {
    const known = this.#columns
    if (known !== null && Date.now() - known.at < COLUMNS_KNOWN) return known.sql
    const rows = await this.#query(`DESCRIBE TABLE ${this.#table}`, {})
    const types = new Map(
      z
        .array(z.object({ name: z.string(), type: z.string() }))
        .parse(rows)
        .map((row) => [row.name, row.type]),
    )
    const missing = ESSENTIAL.filter((name) => !types.has(name))
    if (missing.length > 0) {
      throw new CiResultsUnavailable(
        'missing-column',
        `Table ${this.#table} of the CI database at ${this.#url} has no column ${missing.join(', ')}.`,
      )
    }
    const columns = [...ESSENTIAL, ...OPTIONAL].map((name) => columnSql(name, types.get(name)))
    const sql = `SELECT ${columns.join(', ')} FROM ${this.#table}`
    this.#columns = { sql, at: Date.now() }
    return sql
  }

  async #query(sql: string, parameters: QueryParameters): Promise<unknown[]> {
    for (;;) {
      const deadline = AbortSignal.timeout(this.#timeout)
      try {
        return await this.#rowsOf(sql, parameters, deadline)
      } catch (error) {
        if (deadline.aborted) throw new TooSlow(`no answer within ${this.#timeout / 1000} s`)
        if (!this.#withSettings || !isCode(error, SETTINGS_REFUSED)) throw error
        this.#withSettings = false
      }
    }
  }

  async #rowsOf(sql: string, parameters: QueryParameters, deadline: AbortSignal): Promise<unknown[]> {
    const result = await this.#client.query({
      query: sql,
      query_params: { ...parameters },
      format: 'JSONEachRow',
      abort_signal: deadline,
      clickhouse_settings: this.#withSettings ? { ...LIMITS, max_execution_time: Math.ceil(this.#timeout / 1000) } : {},
    })
    // The client gives an answer up only until its first byte.
    const stop = () => result.close()
    deadline.addEventListener('abort', stop, { once: true })
    try {
      const rows: unknown[] = []
      for await (const some of result.stream()) for (const one of some) rows.push(one.json())
      deadline.throwIfAborted()
      return rows
    } finally {
      deadline.removeEventListener('abort', stop)
      result.close()
    }
  }

  #unavailable(error: unknown): CiResultsUnavailable {
    if (error instanceof CiResultsUnavailable) return error
    const problem = problemOf(error)
    const reason = this.#withoutSecret(reasonOf(error))
    return new CiResultsUnavailable(problem, `The CI database at ${this.#url} ${SENTENCES[problem]}: ${reason}`)
  }

  #withoutSecret(text: string): string {
    return this.#password === '' ? text : text.replaceAll(this.#password, '***')
  }
}

const SENTENCES: Readonly<Record<LookupProblem, string>> = {
  unreachable: "can't be reached",
  'too-slow': 'did not answer in time',
  'access-denied': 'does not let us read',
  'missing-table': 'does not have the table',
  'missing-column': 'lacks a column',
  'unexpected-answer': 'gave an answer that is not understood',
}

class TooSlow extends Error {}

/** The words of ClickHouse's error codes: time, rows, bytes, memory, queries at once; users and grants; tables; columns. */
const PROBLEM_OF_CODE: ReadonlyMap<string, LookupProblem> = new Map([
  ...['158', '159', '160', '202', '209', '241', '307', '396'].map((code) => [code, 'too-slow'] as const),
  ...['164', '192', '193', '194', '195', '291', '452', '497', '516'].map((code) => [code, 'access-denied'] as const),
  ...['60', '81'].map((code) => [code, 'missing-table'] as const),
  ...['10', '16', '47'].map((code) => [code, 'missing-column'] as const),
  ...['210', '225', '236', '242', '279', '394', '425', '999'].map((code) => [code, 'unreachable'] as const),
])

function problemOf(error: unknown): LookupProblem {
  if (error instanceof TooSlow) return 'too-slow'
  if (error instanceof ClickHouseError) return PROBLEM_OF_CODE.get(error.code) ?? 'unexpected-answer'
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error
  if (!(cause instanceof Error)) return 'unexpected-answer'
  if (cause.message === 'Timeout error.') return 'too-slow'
  // What the network says has a code: ECONNREFUSED, ENOTFOUND, CERT_HAS_EXPIRED, …
  return typeof (cause as NodeJS.ErrnoException).code === 'string' ? 'unreachable' : 'unexpected-answer'
}

/** Enough of it for a sentence: a proxy in between may answer with a whole page. */
function reasonOf(error: unknown): string {
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error
  const line = (cause instanceof Error ? cause.message : String(cause)).replace(/\s+/g, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 300)}…` : line
}

function isCode(error: unknown, codes: ReadonlySet<string>): boolean {
  return error instanceof ClickHouseError && codes.has(error.code)
}

const TABLE = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)?$/

/** @throws CiResultsUnavailable for anything but letters, digits and underscores. */
function quotedTable(table: string): string {
  if (!TABLE.test(table)) {
    const shown = JSON.stringify(table.slice(0, 100))
    throw new CiResultsUnavailable(
      'missing-table',
      `${shown} is no name of a table. Use one like checks or default.checks.`,
    )
  }
  return table
    .split('.')
    .map((name) => `\`${name}\``)
    .join('.')
}

const PLAIN_TYPES = new Set(['String', 'LowCardinality(String)'])

/** The column as `external-rows.sql` wants it. `type` is undefined where the table has no such column. */
function columnSql(name: string, type: string | undefined): string {
  if (type === undefined) return `'' AS ${name}`
  if (name === 'pull_request_number') return type === 'UInt32' ? name : `toUInt32(ifNull(${name}, 0)) AS ${name}`
  if (name === 'check_start_time') {
    return /^DateTime(\(.*\))?$/.test(type) ? name : `toDateTime(ifNull(${name}, toDateTime(0)), 'UTC') AS ${name}`
  }
  return PLAIN_TYPES.has(type) ? name : `ifNull(toString(${name}), '') AS ${name}`
}
