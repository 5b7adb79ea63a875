/** The methods of a logger that the web part needs; pino's has this shape. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface LogLimit {
  /** Lines of one message in one period. */
  readonly lines: number
  /** Milliseconds. */
  readonly period: number
}

/** A page and what it loads are some ten lines; a day of nothing but refused requests stays below 200 MB. */
const REQUESTS_LIMIT: LogLimit = { lines: 300, period: 60_000 }

/**
 * A log for what anybody can cause, so that nobody fills the disk through it. Lines beyond the limit are counted for
 * each message, and the count is logged at the end of the period: `request` at 10,000 a minute gives 300 lines of it
 * and one with `notLogged: 9700`.
 */
export function limitedLog(log: Log, { lines, period }: LogLimit = REQUESTS_LIMIT): Log {
  const logged = new Map<string, number>()
  const limited = (level: keyof Log) => (fields: object, message: string) => {
    const kind = `${level} ${message}`
    const before = logged.get(kind) ?? 0
    logged.set(kind, before + 1)
    if (before === 0) setTimeout(() => endPeriod(level, message, kind), period).unref()
    if (before < lines) log[level](fields, message)
  }
  const endPeriod = (level: keyof Log, message: string, kind: string) => {
    const notLogged = logged.get(kind)! - lines
    logged.delete(kind)
    if (notLogged > 0) log[level]({ notLogged, seconds: period / 1000 }, `${message}: more of the same`)
  }
  return { debug: limited('debug'), info: limited('info'), warn: limited('warn'), error: limited('error') }
}
