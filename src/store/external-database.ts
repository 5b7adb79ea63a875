import {
  type ClickHouseClient,
  ClickHouseError,
  ClickHouseLogLevel,
  createClient,
  type ClickHouseSettings as ServerSettings,
} from '@clickhouse/client'
import { z } from 'zod'
import type { LookupProblem } from '../judge/ledger/failure.ts'
import { capital } from '../text/phrase.ts'
import { sqlName } from '../text/quote.ts'
import type { QueryParameters } from './client.ts'

/** A ClickHouse that belongs to others, asked within limits of time and size. */

export interface ExternalDatabaseSettings {
  /** `https://ci.example.com:8443`, of a ClickHouse server over HTTP. */
  readonly url: string
  readonly user: string
  readonly password: string
  /** Milliseconds for one answer; 30,000 where not given. */
  readonly timeout?: number
  /** The name in messages: `the CI database`. */
  readonly called: string
}

/** The message says where and what, and holds no secret. */
export class ExternalDatabaseUnavailable extends Error {
  override readonly name = 'ExternalDatabaseUnavailable'
  readonly problem: LookupProblem
  /** ClickHouse's code of the error, where it has one. */
  readonly code: string | null

  constructor(problem: LookupProblem, message: string, code: string | null = null) {
    super(message)
    this.problem = problem
    this.code = code
  }
}

/** ClickHouse's code for a column that a table does not have. */
export const UNKNOWN_COLUMN = '47'

const DEFAULT_TIMEOUT = 30_000

/** Limits on what others' servers do for us, whatever they hold. */
const LIMITS: ServerSettings = {
  readonly: '2',
  max_bytes_to_read: String(200 * 2 ** 30),
  max_result_bytes: String(512 * 2 ** 20),
}

/** A user whose profile is read-only can't be given settings; its own limits hold then. */
const SETTINGS_REFUSED = new Set(['164', '452'])

/** A ClickHouse server that belongs to others: it is only read, with limits, and reached at the first statement. */
export class ExternalDatabase {
  readonly called: string
  /** Without user and password. */
  readonly url: string
  readonly #password: string
  readonly #timeout: number
  readonly #client: ClickHouseClient
  #withSettings = true

  /** @throws ExternalDatabaseUnavailable for an address that is none */
  constructor({ url, user, password, timeout = DEFAULT_TIMEOUT, called }: ExternalDatabaseSettings) {
    this.called = called
    this.#password = password
    this.#timeout = timeout
    try {
      const address = new URL(url)
      address.username = ''
      address.password = ''
      this.url = address.href.replace(/\/$/, '')
      this.#client = createClient({
        url: this.url,
        username: user,
        password,
        application: 'perf-triage',
        request_timeout: timeout,
        max_open_connections: 4,
        // Compression is a setting, which some users may not set.
        compression: { request: false, response: false },
        log: { level: ClickHouseLogLevel.OFF },
      })
    } catch {
      throw new ExternalDatabaseUnavailable(
        'unreachable',
        `The address of ${called} is not valid. Use one like https://ci.example.com:8443.`,
      )
    }
  }

  async close(): Promise<void> {
    await this.#client.close()
  }

  /** Rows of a statement that only reads. `name` is said in errors. @throws ExternalDatabaseUnavailable */
  async read<T>(name: string, sql: string, parameters: QueryParameters, row: z.ZodType<T>): Promise<T[]> {
    try {
      const rows = await this.#query(sql, parameters)
      return rows.map((value) => {
        const parsed = row.safeParse(value)
        if (!parsed.success) throw new Error(`${name}: ${parsed.error.message}`)
        return parsed.data
      })
    } catch (error) {
      throw this.#unavailable(error)
    }
  }

  /**
   * The answer to a statement that only reads and names its format, whatever its size: the server has all of it before it
   * sends the first byte, so that none ends in the middle with an error. @throws ExternalDatabaseUnavailable
   */
  async *bytes(sql: string, parameters: QueryParameters): AsyncGenerator<Uint8Array> {
    try {
      yield* await this.#withLimits(async (limits, deadline) => {
        const { stream } = await this.#client.exec({
          query: sql,
          query_params: { ...parameters },
          abort_signal: deadline,
          clickhouse_settings: {
            ...limits,
            ...(this.#withSettings ? { max_result_bytes: '0' } : {}),
            wait_end_of_query: 1,
          },
        })
        const stop = () => stream.destroy(this.#tooSlow())
        deadline.addEventListener('abort', stop, { once: true })
        stream.once('close', () => deadline.removeEventListener('abort', stop))
        return stream as AsyncIterable<Uint8Array>
      })
    } catch (error) {
      throw this.#unavailable(error)
    }
  }

  #unavailable(error: unknown): ExternalDatabaseUnavailable {
    const problem = problemOf(error)
    const reason = this.#withoutSecret(reasonOf(error))
    const message = `${capital(this.called)} at ${this.url} ${SENTENCES[problem]}: ${reason}`
    return new ExternalDatabaseUnavailable(problem, message, error instanceof ClickHouseError ? error.code : null)
  }

  /** The names of the columns of a table, each with its type. @throws ExternalDatabaseUnavailable */
  async columnsOf(table: string): Promise<ReadonlyMap<string, string>> {
    const row = z.object({ name: z.string(), type: z.string() })
    const rows = await this.read('columns', `DESCRIBE TABLE ${quotedTable(table)}`, {}, row)
    return new Map(rows.map(({ name, type }) => [name, type]))
  }

  async #query(sql: string, parameters: QueryParameters): Promise<unknown[]> {
    return await this.#withLimits((limits, deadline) => this.#rowsOf({ sql, parameters, limits, deadline }))
  }

  /** Asks with limits, and without them where the user may not set any. */
  async #withLimits<T>(ask: (limits: ServerSettings, deadline: AbortSignal) => Promise<T>): Promise<T> {
    for (;;) {
      const deadline = AbortSignal.timeout(this.#timeout)
      const limits = this.#withSettings ? { ...LIMITS, max_execution_time: Math.ceil(this.#timeout / 1000) } : {}
      try {
        return await ask(limits, deadline)
      } catch (error) {
        if (deadline.aborted) throw this.#tooSlow()
        const refused = error instanceof ClickHouseError && SETTINGS_REFUSED.has(error.code)
        if (!this.#withSettings || !refused) throw error
        this.#withSettings = false
      }
    }
  }

  #tooSlow(): TooSlow {
    return new TooSlow(`no answer within ${this.#timeout / 1000} s`)
  }

  async #rowsOf({ sql, parameters, limits, deadline }: Asked): Promise<unknown[]> {
    const result = await this.#client.query({
      query: sql,
      query_params: { ...parameters },
      format: 'JSONEachRow',
      abort_signal: deadline,
      clickhouse_settings: limits,
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

  #withoutSecret(text: string): string {
    return this.#password === '' ? text : text.replaceAll(this.#password, '***')
  }
}

interface Asked {
  readonly sql: string
  readonly parameters: QueryParameters
  readonly limits: ServerSettings
  readonly deadline: AbortSignal
}

const SENTENCES: Readonly<Record<LookupProblem, string>> = {
  unreachable: "can't be reached",
  'too-slow': 'did not answer in time',
  'access-denied': 'denies read access',
  'missing-table': 'does not have the table',
  'missing-column': 'lacks a column',
  'unexpected-answer': 'gave an unexpected answer',
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
  // Errors of the network have a code: ECONNREFUSED, ENOTFOUND, CERT_HAS_EXPIRED, …
  return typeof (cause as NodeJS.ErrnoException).code === 'string' ? 'unreachable' : 'unexpected-answer'
}

/** Enough of it for a sentence: a proxy in between may answer with a whole page. */
function reasonOf(error: unknown): string {
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error
  const line = (cause instanceof Error ? cause.message : String(cause)).replace(/\s+/g, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 300)}…` : line
}

const TABLE = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)?$/

/** @throws ExternalDatabaseUnavailable for anything but letters, digits and underscores */
export function quotedTable(table: string): string {
  if (!TABLE.test(table)) {
    const shown = JSON.stringify(table.slice(0, 100))
    throw new ExternalDatabaseUnavailable(
      'missing-table',
      `${shown} is not a table name. Use one like checks or default.checks.`,
    )
  }
  return table.split('.').map(sqlName).join('.')
}
