import { DatabaseError } from 'pg'

/** Serialization failures and deadlocks. */
export function cameBetween(error: unknown): boolean {
  return error instanceof DatabaseError && ['40001', '40P01'].includes(error.code ?? '')
}

/**
 * Whether the server can't be reached, lets nobody in, stops, has no room or is too slow: the statement is as good as any other.
 * What else a server says is of the statement.
 */
export function isAway(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return error instanceof Error
  return /^(08|25006|25P03|28|3D|53|55P03|57)/.test(error.code ?? '')
}

/** Codes of the system for an address at which nobody answers, or not yet. */
const NOBODY_THERE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOTFOUND',
])

/**
 * Whether a start does well to wait: nobody listens yet, or the server starts (57P03). A password, the name of a database or a
 * certificate does not mend itself.
 */
export function mayAnswerSoon(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(mayAnswerSoon)
  if (error instanceof DatabaseError) return /^(08|53|57)/.test(error.code ?? '')
  if (!(error instanceof Error)) return false
  // The driver's own words have no code.
  return NOBODY_THERE.has('code' in error ? String(error.code) : '') || /timeout|terminated/i.test(error.message)
}

/** The first of several: those of the addresses of one name. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}

/** The address without its password and options. */
export function placeOf(url: string): string {
  if (!URL.canParse(url)) return 'the database of DATABASE_URL'
  const { protocol, username, host, pathname } = new URL(url)
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`
}
