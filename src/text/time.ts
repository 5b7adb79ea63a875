/** Milliseconds. */
export const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** The last second that a database's DateTime holds. */
export const LAST_TIME = 2 ** 32 - 1

/** Seconds since 1970 as a DateTime holds them. */
export function timestamp(seconds: number): number {
  return Math.min(Math.max(Math.floor(seconds), 0), LAST_TIME)
}

/** Milliseconds since 1970 as ISO 8601 in UTC; null for what is no time. */
export function isoTime(time: number): string
export function isoTime(time: number | null): string | null
export function isoTime(time: number | null): string | null {
  return time !== null && Number.isFinite(new Date(time).getTime()) ? new Date(time).toISOString() : null
}
