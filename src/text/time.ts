/** Milliseconds. */
export const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** Milliseconds since 1970 as ISO 8601 in UTC; null for what is no time. */
export function isoTime(time: number): string
export function isoTime(time: number | null): string | null
export function isoTime(time: number | null): string | null {
  return time !== null && Number.isFinite(new Date(time).getTime()) ? new Date(time).toISOString() : null
}
