import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Readable, Writable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { Session } from 'chdb'
import pLimit, { type LimitFunction } from 'p-limit'
import { sqlName, sqlText } from '../../text/quote.ts'
import type { Engine } from './engine.ts'
import { exception, type HttpException, toHttpException } from './exception.ts'
import {
  type Credentials,
  type DataFile,
  isAuthorized,
  openBody,
  type RequestOptions,
  readOptions,
  readText,
  writeDataFile,
} from './request.ts'
import { readStatement, type Statement, StatementRefused } from './statement.ts'

/**
 * ClickHouse's HTTP interface in front of the embedded engine: as much of it as `@clickhouse/client` uses, so that the
 * bot has one way to speak to a database. Listens on loopback only, and only to who knows the password.
 */

export interface FrontLimits {
  /** Queries that run at once; each holds a thread of the pool that file and gzip work use too. */
  readonly queries: number
  readonly waiting: number
  /** A statement, with the data in it where an INSERT comes as one text. */
  readonly statementBytes: number
  /** The data of an INSERT that comes in the body. */
  readonly insertBytes: number
  /** Seconds: the default and the most that a request may ask for. */
  readonly executionSeconds: number
  readonly maxExecutionSeconds: number
  /** An answer that can't be streamed is held in memory, up to this size. */
  readonly resultBytes: number
  /** Memory of one query, bytes. */
  readonly queryMemory: number
}

export const FRONT_LIMITS: FrontLimits = {
  queries: 8,
  waiting: 256,
  statementBytes: 64 * 2 ** 20,
  insertBytes: 512 * 2 ** 20,
  executionSeconds: 60,
  maxExecutionSeconds: 300,
  resultBytes: 256 * 2 ** 20,
  queryMemory: 4 * 2 ** 30,
}

export interface FrontOptions {
  readonly engine: Engine
  readonly credentials: Credentials
  /** Tells this engine from another listener on the same port. Not a secret. */
  readonly instance: string
  /** Where the data of inserts is kept while they run. */
  readonly directory: string
  readonly limits: FrontLimits
}

/** Carried by every answer: who the answer is from. */
export const INSTANCE_HEADER = 'x-perf-triage-instance'

/** Formats whose rows stand for themselves: the engine's chunks of them can be sent one after the other. */
const ROW_FORMATS = new Set([
  'JSONEachRow',
  'JSONCompactEachRow',
  'JSONStringsEachRow',
  'JSONCompactStringsEachRow',
  'TabSeparated',
  'TSV',
  'TabSeparatedRaw',
  'TSVRaw',
  'CSV',
])

/** What the engine does for large amounts of rows, and what costs the bot's statements more than it saves. */
const FOR_SHORT_STATEMENTS: readonly (readonly [setting: string, value: string])[] = [
  // Looks for what follows from comparisons, of which it finds nothing here: a quarter of the planning of long statements.
  ['optimize_and_compare_chain', '0'],
  // Machine code for an expression takes as long as ten statements: it is made of those that run often.
  ['min_count_to_compile_expression', '100'],
  ['min_count_to_compile_aggregate_expression', '100'],
  ['min_count_to_compile_sort_description', '100'],
]

/** An expression among the values could read a file of the machine: `INSERT INTO t VALUES (file('/etc/passwd'))`. */
const LITERALS_ONLY =
  'input_format_values_interpret_expressions = 0, input_format_values_deduce_templates_of_expressions = 0'

export function createFront(options: FrontOptions): Server {
  const front = new Front(options)
  const server = createServer({ maxHeaderSize: 1 << 20, requestTimeout: 300_000, headersTimeout: 30_000 })
  // Longer than the client keeps an idle socket, so that it never writes into one that is being closed.
  server.keepAliveTimeout = 30_000
  server.on('request', (request, response) => {
    void front.serve(request, response)
  })
  return server
}

class Front {
  readonly #options: FrontOptions
  readonly #turns: LimitFunction

  constructor(options: FrontOptions) {
    this.#options = options
    this.#turns = pLimit(options.limits.queries)
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader(INSTANCE_HEADER, this.#options.instance)
    response.on('error', () => {})
    request.on('error', () => {})
    try {
      const url = new URL(request.url ?? '/', 'http://127.0.0.1')
      if (url.pathname === '/ping') {
        response.end('Ok.\n')
        return
      }
      if (url.pathname !== '/' || (request.method !== 'GET' && request.method !== 'POST')) {
        response.writeHead(404).end('There is nothing here. Use / or /ping.\n')
        return
      }
      if (!isAuthorized(request, this.#options.credentials)) {
        throw exception(516, 'AUTHENTICATION_FAILED', 'Authentication failed: password is incorrect')
      }
      await this.#query(request, response, readOptions(request, url))
    } catch (error) {
      fail(request, response, toHttpException(error))
    }
  }

  async #query(request: IncomingMessage, response: ServerResponse, options: RequestOptions): Promise<void> {
    const { statement, rest } = await this.#statement(request, options)
    const { directory, limits } = this.#options
    const data =
      statement.kind === 'insert' ? await writeDataFile(directory, statement.data, rest, limits.insertBytes) : null
    try {
      if (this.#turns.activeCount + this.#turns.pendingCount >= limits.queries + limits.waiting) {
        throw exception(202, 'TOO_MANY_SIMULTANEOUS_QUERIES', 'Too many queries are waiting')
      }
      await this.#turns(() => this.#inTurn(statement, data, request, response, options))
    } finally {
      await data?.close()
    }
  }

  /** What only reads ends when its client goes away, as on a server with `cancel_http_readonly_queries_on_client_close`. */
  async #inTurn(
    statement: Statement,
    data: DataFile | null,
    request: IncomingMessage,
    response: ServerResponse,
    options: RequestOptions,
  ): Promise<void> {
    if (options.settings.get('readonly') !== '1') {
      return await this.#inSession(statement, data, request, response, options)
    }
    if (response.destroyed) return
    const mark = randomUUID()
    const cancel = () => {
      if (!response.writableFinished) void this.#cancel(mark)
    }
    response.once('close', cancel)
    try {
      const settings = new Map([...options.settings, ['log_comment', mark] as const])
      await this.#inSession(statement, data, request, response, { ...options, settings })
    } finally {
      response.off('close', cancel)
    }
  }

  /** Outside of the turns: a statement that nobody waits for holds one. */
  async #cancel(mark: string): Promise<void> {
    const session = this.#options.engine.session()
    try {
      await session.queryAsync(`KILL QUERY WHERE Settings['log_comment'] = ${sqlText(mark)} ASYNC`)
    } catch {
      // Its time limit ends it.
    } finally {
      session.close()
    }
  }

  async #inSession(
    statement: Statement,
    data: DataFile | null,
    request: IncomingMessage,
    response: ServerResponse,
    options: RequestOptions,
  ): Promise<void> {
    const session = this.#options.engine.session()
    try {
      response.setHeader('X-ClickHouse-Query-Id', options.queryId ?? '')
      response.setHeader('X-ClickHouse-Timezone', 'UTC')
      if (statement.kind === 'insert' && data !== null) {
        await this.#insert(session, statement, data, request, response, options)
      } else if (statement.kind === 'query') {
        await this.#run(session, statement, request, response, options)
      }
    } finally {
      session.close()
    }
  }

  /** The text of the statement, as a server puts it together: the parameter `query` followed by the body. */
  async #statement(
    request: IncomingMessage,
    options: RequestOptions,
  ): Promise<{ statement: Statement; rest: Readable | null }> {
    const { statementBytes } = this.#options.limits
    if (/^multipart\//i.test(request.headers['content-type'] ?? '')) {
      throw exception(48, 'NOT_IMPLEMENTED', 'The embedded engine takes parameters in the address only')
    }
    const body = openBody(request)
    if (options.query === null) return { statement: readStatement(await readText(body, statementBytes)), rest: null }
    const insert = readInsertHead(options.query)
    if (insert !== null) return { statement: insert, rest: body }
    const text = await readText(body, statementBytes)
    return { statement: readStatement(`${options.query}\n${text}`), rest: null }
  }

  async #insert(
    session: Session,
    statement: Extract<Statement, { kind: 'insert' }>,
    data: DataFile,
    request: IncomingMessage,
    response: ServerResponse,
    options: RequestOptions,
  ): Promise<void> {
    const { target, settings, format } = statement
    await this.#prepare(session, request, options, false)
    if (/^values$/i.test(format)) await session.queryAsync(`SET ${LITERALS_ONLY}`)
    const result = await session.queryAsync(
      `${target} FROM INFILE '${data.path}' COMPRESSION 'none' ${settings} FORMAT ${format}`,
    )
    const summary = {
      read_rows: String(result.rowsRead),
      read_bytes: String(result.bytesRead),
      written_rows: String(result.rowsRead),
      written_bytes: String(result.bytesRead),
      total_rows_to_read: '0',
      result_rows: String(result.rowsRead),
      result_bytes: String(result.bytesRead),
      elapsed_ns: String(Math.round(result.elapsed * 1e9)),
    }
    response.setHeader('X-ClickHouse-Summary', JSON.stringify(summary))
    response.end()
  }

  async #run(
    session: Session,
    statement: Extract<Statement, { kind: 'query' }>,
    request: IncomingMessage,
    response: ServerResponse,
    options: RequestOptions,
  ): Promise<void> {
    const format = statement.format ?? options.defaultFormat ?? 'TabSeparated'
    if (!/^\w+$/.test(format)) throw exception(73, 'UNKNOWN_FORMAT', 'Unknown format')
    // A SELECT inside another one may be run while the stream is opened, which would block every other request.
    const streams = statement.verb === 'SELECT' && statement.selects === 1 && ROW_FORMATS.has(format)
    const whole = !streams || options.waitEndOfQuery
    await this.#prepare(session, request, options, whole)
    if (response.destroyed) return
    response.setHeader('X-ClickHouse-Format', format)
    response.setHeader('Content-Type', contentType(format))

    if (whole) {
      const result = await session.queryAsync(statement.text, { format })
      response.setHeader(
        'X-ClickHouse-Summary',
        JSON.stringify({ read_rows: String(result.rowsRead), read_bytes: String(result.bytesRead) }),
      )
      const out = openOutput(response, options)
      out.end(result.bytes())
      return
    }

    const chunks = session.queryStream(statement.text, { format })[Symbol.asyncIterator]()
    // The first chunk decides between an error with its own status and one in the middle of the answer.
    let chunk = await chunks.next()
    const tag = this.#options.instance.replaceAll('-', '').slice(0, 16)
    response.setHeader('X-ClickHouse-Exception-Tag', tag)
    const out = openOutput(response, options)
    try {
      while (chunk.done !== true && !response.destroyed) {
        if (!out.write(chunk.value.raw())) await drained(out, response)
        chunk = await chunks.next()
      }
      out.end()
    } catch (error) {
      const message = toHttpException(error).message
      const length = Buffer.byteLength(message) + 1
      out.end(`\r\n__exception__\r\n${tag}\r\n${message}\n${length} ${tag}\r\n__exception__\r\n`)
    } finally {
      await chunks.return?.(undefined)
    }
  }

  /** Database, parameters and settings of the request, in an order in which none of them can lift the limits. */
  async #prepare(session: Session, request: IncomingMessage, options: RequestOptions, whole: boolean): Promise<void> {
    const { limits } = this.#options
    const settings = new Map<string, string>(FOR_SHORT_STATEMENTS)
    settings.set('max_memory_usage', String(limits.queryMemory))
    if (whole) settings.set('max_result_bytes', String(limits.resultBytes))
    for (const [name, value] of options.settings) settings.set(name, value)
    const asked = Number(settings.get('max_execution_time') ?? limits.executionSeconds)
    const seconds = asked > 0 ? Math.min(asked, limits.maxExecutionSeconds) : limits.maxExecutionSeconds
    settings.set('max_execution_time', String(seconds))
    // Last: afterwards nothing can be set any more. A GET changes nothing, as on a server, and reads tables alone: with
    // `readonly = 2` it could read files and addresses too.
    const readonly = request.method === 'GET' ? '1' : (settings.get('readonly') ?? '0')
    settings.delete('readonly')

    const assignments = [...settings].map(([name, value]) => `${name} = ${sqlText(value)}`)
    for (const [name, value] of options.parameters) assignments.push(`param_${name} = ${sqlText(value)}`)
    if (readonly !== '0') assignments.push(`readonly = ${sqlText(readonly)}`)
    const use = options.database === null || options.database === '' ? '' : `USE ${sqlName(options.database)};`
    await session.queryAsync(`${use} SET ${assignments.join(', ')}`)
  }
}

/** The start of an INSERT whose data is in the body; null for everything else. */
function readInsertHead(query: string): Statement | null {
  try {
    const statement = readStatement(query)
    return statement.kind === 'insert' ? statement : null
  } catch (error) {
    // The statement may go on in the body, and is read as a whole then.
    if (error instanceof StatementRefused) return null
    throw error
  }
}

function openOutput(response: ServerResponse, options: RequestOptions): Writable {
  if (!options.compressResponse) return response
  response.setHeader('Content-Encoding', 'gzip')
  const gzip = createGzip({ level: 1 })
  gzip.pipe(response)
  return gzip
}

/** Waits until more can be written, or until the client has gone away. */
async function drained(out: Writable, response: ServerResponse): Promise<void> {
  if (response.destroyed) return
  const gone = new AbortController()
  const stop = () => gone.abort()
  response.once('close', stop)
  try {
    await once(out, 'drain', { signal: gone.signal })
  } catch {
    // The loop sees that the answer is destroyed.
  } finally {
    response.off('close', stop)
  }
}

function fail(request: IncomingMessage, response: ServerResponse, error: HttpException): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  // A body that was refused is of no use, and neither is its connection.
  if (!request.complete) response.setHeader('Connection', 'close')
  response.removeHeader('Content-Encoding')
  response.writeHead(error.status, {
    'Content-Type': 'text/plain; charset=UTF-8',
    'X-ClickHouse-Exception-Code': String(error.code),
  })
  response.write(`${error.message}\n`)
  if (request.complete) return void response.end()
  // A client that still sends finds the connection closed before it has read why.
  const end = () => response.end()
  const timer = setTimeout(end, LINGER_MS)
  request.once('end', end).resume()
  response.once('close', () => clearTimeout(timer))
}

/** How long the rest of a refused body is read. */
const LINGER_MS = 2000

function contentType(format: string): string {
  if (format.startsWith('JSON')) return 'application/json; charset=UTF-8'
  if (format.startsWith('T')) return 'text/tab-separated-values; charset=UTF-8'
  if (format.startsWith('CSV')) return 'text/csv; charset=UTF-8'
  return 'application/octet-stream'
}
