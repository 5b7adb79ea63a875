import { StatementRefused } from './statement.ts'

/** An error as a ClickHouse server reports it over HTTP. */
export class HttpException extends Error {
  override readonly name = 'HttpException'
  readonly code: number
  readonly status: number

  /** @param message the whole text, `Code: 62. DB::Exception: … (SYNTAX_ERROR)` */
  constructor(code: number, message: string) {
    super(message)
    this.code = code
    this.status = statusOf(code)
  }
}

export function exception(code: number, type: string, message: string): HttpException {
  return new HttpException(code, `Code: ${code}. DB::Exception: ${message}. (${type})`)
}

/**
 * The error of the engine, or of what is before it, in a server's words. Code 1002 (UNKNOWN_EXCEPTION) where there is
 * none.
 */
export function toHttpException(error: unknown): HttpException {
  if (error instanceof HttpException) return error
  if (error instanceof StatementRefused) return exception(error.code, error.type, error.message)
  const message = (error instanceof Error ? error.message : String(error)).trim()
  const code = Number(/^Code: (\d+)/.exec(message)?.[1] ?? 1002)
  const coded = message.startsWith('Code: ') ? message : `Code: ${code}. DB::Exception: ${message}`
  // The engine leaves the name out of a syntax error, and clients look for it at the end.
  const named = /\([A-Z0-9_]{3,}\)[^()]*(\(version [^)]*(\([^)]*\))?[^)]*\))?\s*$/.test(coded)
    ? coded
    : `${coded} (${code === 62 ? 'SYNTAX_ERROR' : 'UNKNOWN_EXCEPTION'})`
  return new HttpException(code, named)
}

/** The status that ClickHouse answers with for an error number (`exceptionCodeToHTTPStatus`). */
function statusOf(code: number): number {
  switch (code) {
    case 194:
      return 401
    case 192:
    case 193:
    case 497:
    case 516:
      return 403
    case 62:
    case 6:
    case 26:
    case 27:
    case 36:
    case 41:
    case 53:
    case 72:
    case 115:
    case 117:
    case 452:
    case 456:
      return 400
    case 46:
    case 47:
    case 60:
    case 81:
      return 404
    case 159:
      return 408
    case 307:
      return 413
    case 48:
      return 501
    case 202:
      return 503
    default:
      return 500
  }
}
