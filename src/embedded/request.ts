import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
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
      'The embedded engine keeps nothing from one request to the next: no session_id',
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
