import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { exception } from './exception.ts'

/** The parameters of one HTTP request, as the ClickHouse server reads them. */
export interface RequestOptions {
  readonly query: string | null
  readonly queryId: string | null
  readonly database: string | null
  readonly defaultFormat: string | null
  /** Collect the whole answer before the first byte is sent. */
  readonly waitEndOfQuery: boolean
  readonly compressResponse: boolean
  readonly parameters: ReadonlyMap<string, string>
  readonly settings: ReadonlyMap<string, string>
}

export interface Credentials {
  readonly user: string
  readonly password: string
}

/** Settings of a server's HTTP layer that the engine does not know. */
const HTTP_SETTINGS = new Set([
  'buffer_size',
  'enable_http_compression',
  'http_zlib_compression_level',
  'http_response_buffer_size',
  'http_headers_progress_interval_ms',
  'http_native_compression_disable_checksumming_on_decompress',
  'http_response_compression_method',
  'http_write_exception_in_output_format',
  'send_progress_in_http_headers',
])

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** @throws HttpException for a parameter that is not served. */
export function readOptions(request: IncomingMessage, url: URL): RequestOptions {
  const parameters = new Map<string, string>()
  const settings = new Map<string, string>()
  const one = (name: string) => url.searchParams.get(name)
  for (const [name, value] of url.searchParams) {
    if (name.startsWith('param_')) {
      const parameter = name.slice('param_'.length)
      if (!NAME.test(parameter)) throw exception(36, 'BAD_ARGUMENTS', `Parameter name ${JSON.stringify(parameter)}`)
      parameters.set(parameter, value)
    } else if (!OPTIONS.has(name) && !HTTP_SETTINGS.has(name)) {
      if (!NAME.test(name)) throw exception(115, 'UNKNOWN_SETTING', `Unknown setting ${JSON.stringify(name)}`)
      settings.set(name, value)
    }
  }
  for (const name of ['compress', 'decompress'] as const) {
    if (one(name) === '1') throw exception(48, 'NOT_IMPLEMENTED', `The embedded engine does not serve ${name}=1`)
  }
  if (url.searchParams.has('session_id')) {
    throw exception(
      48,
      'NOT_IMPLEMENTED',
      'The embedded engine keeps no state between requests: session_id is not supported',
    )
  }
  const accepted = request.headers['accept-encoding'] ?? ''
  return {
    query: one('query'),
    queryId: one('query_id'),
    database: one('database'),
    defaultFormat: one('default_format'),
    waitEndOfQuery: one('wait_end_of_query') === '1',
    compressResponse: one('enable_http_compression') === '1' && /\bgzip\b/.test(accepted),
    parameters,
    settings,
  }
}

const OPTIONS = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'wait_end_of_query',
  'compress',
  'decompress',
  'user',
  'password',
  'role',
  'quota_key',
])

/** Basic authorization or ClickHouse's own headers. Compared in constant time. */
export function isAuthorized(request: IncomingMessage, expected: Credentials): boolean {
  const given = readCredentials(request)
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const user = timingSafeEqual(digest(given?.user ?? ''), digest(expected.user))
  const password = timingSafeEqual(digest(given?.password ?? ''), digest(expected.password))
  return given !== null && user && password
}

function readCredentials(request: IncomingMessage): Credentials | null {
  const basic = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (basic !== undefined) {
    const text = Buffer.from(basic, 'base64').toString('utf8')
    const colon = text.indexOf(':')
    return colon === -1 ? null : { user: text.slice(0, colon), password: text.slice(colon + 1) }
  }
  const user = request.headers['x-clickhouse-user']
  const password = request.headers['x-clickhouse-key']
  return typeof user === 'string' && typeof password === 'string' ? { user, password } : null
}

/** The body of a request without its gzip. @throws HttpException for another encoding. */
export function openBody(request: IncomingMessage): Readable {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding === 'identity' || encoding === '') return request
  if (encoding !== 'gzip') throw exception(48, 'NOT_IMPLEMENTED', `Content-Encoding ${encoding} is not served`)
  // An error of either side reaches the reader of the unzipped side.
  return pipeline(request, createGunzip(), () => {})
}

/** The whole body as text. @throws HttpException beyond `maxBytes`. */
export async function readText(body: Readable, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of limited(body, maxBytes)) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** The data of an INSERT in a file of its own, apart from the statement: data can never be run. */
export interface DataFile {
  /** The path for FROM INFILE. Not the file's name, which might hold what the engine takes for a pattern. */
  readonly path: string
  readonly bytes: number
  close(): Promise<void>
}

/**
 * Writes the start of the data and the rest of the body to a file that has no name any more when this resolves, so that
 * nothing is left behind by a crash. @throws HttpException beyond `maxBytes`.
 */
export async function writeDataFile(
  directory: string,
  start: string,
  rest: Readable | null,
  maxBytes: number,
): Promise<DataFile> {
  const name = join(directory, `insert-${randomUUID()}`)
  const file = await open(name, 'wx+', 0o600)
  try {
    await unlink(name)
    const head = Buffer.from(start)
    let bytes = await writeAll(file, head)
    if (rest !== null) {
      for await (const chunk of limited(rest, maxBytes - head.length)) bytes += await writeAll(file, chunk)
    }
    return { path: `/dev/fd/${file.fd}`, bytes, close: () => file.close() }
  } catch (error) {
    await file.close()
    throw noRoom(directory, error)
  }
}

/** The folder can't hold the data of an INSERT: as a server reports a full disk. Any other error as it is. */
function noRoom(directory: string, error: unknown): unknown {
  const { code = '', message } = error as NodeJS.ErrnoException
  const advice = NO_ROOM[code]
  return advice === undefined
    ? error
    : exception(243, 'NOT_ENOUGH_SPACE', `${directory} can't hold the rows (${message}): ${advice}`)
}

const NO_ROOM: Readonly<Record<string, string>> = {
  EFBIG: 'files may not be that large here; raise the limit ("ulimit -f")',
  ENOSPC: 'the disk is full; free some space',
  EDQUOT: 'the disk quota is used up; free some space',
}

async function writeAll(file: FileHandle, chunk: Buffer): Promise<number> {
  for (let written = 0; written < chunk.length; ) {
    written += (await file.write(chunk, written)).bytesWritten
  }
  return chunk.length
}

/** A refused body is left as it is and not torn down: the answer still has to reach the client on that connection. */
async function* limited(body: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length
    if (bytes > maxBytes) throw exception(307, 'TOO_MANY_BYTES', 'The body of the request is too large')
    yield chunk as Buffer
  }
}
