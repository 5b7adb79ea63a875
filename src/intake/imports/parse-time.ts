/** Times as CI systems write them. */

const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?$/i
const EPOCH = /^\d{9,13}(?:\.\d+)?$/
/** `Thu, 11 Jun 2020 22:41:07 GMT`, as mocha writes it. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (?:GMT|UTC)$/

/** Larger numbers are milliseconds: as seconds they would be after the year 5000. */
const MOST_SECONDS = 99_999_999_999

/** The last second that a 32-bit `DateTime` holds. */
const LAST = 0xffff_ffff * 1000

/**
 * Milliseconds since 1970 of `2026-10-20 08:15:00`, ISO 8601, an HTTP date, or seconds or milliseconds since 1970; null
 * when it is none of these or beyond what the database holds. A time without a zone is UTC.
 */
export function parseTime(text: string): number | null {
  const time = parse(text.trim())
  return time !== null && time >= 0 && time <= LAST ? time : null
}

function parse(text: string): number | null {
  const match = DATE_TIME.exec(text)
  if (match === null) {
    if (EPOCH.test(text))
      return Number(text) > MOST_SECONDS ? Math.floor(Number(text)) : Math.round(Number(text) * 1000)
    return HTTP_DATE.test(text) ? Date.parse(text) : null
  }
  const [, year, month, day, hour, minute, second, fraction = '', zone = ''] = match
  const time = Number(hour ?? 0) > 23 ? null : utcOf([year, month, day, hour, minute, second])
  return time === null ? null : time + Math.floor(Number(`0.${fraction || '0'}`) * 1000) - offset(zone)
}

/** Digits alone are seconds since 1970, or milliseconds, microseconds and nanoseconds where that many digits say so. */
const HISTORY_EPOCH = /^\d{9,19}(?:\.\d+)?$/
const HISTORY_TIME =
  /^(\d{4})[-./](\d{1,2})[-./](\d{1,2})(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?)?\s*(Z|UTC|[+-]\d{2}:?(?:\d{2})?)?$/i

/**
 * A time as histories have it, in milliseconds since 1970, for ordering alone: `2026-11-21`, `2026-11-21 10:30:00`,
 * `2024.01.01 3:00:00 +0100`, `2023-04-07T00:55:33.422+00:00`, `1609466400`. Without a zone it is UTC. Null where it is
 * none of these, or a day or an hour that there is none of.
 */
export function parseHistoryTime(text: string): number | null {
  if (HISTORY_EPOCH.test(text)) {
    const digits = text.split('.', 1)[0]!.length
    const unit = digits <= 11 ? 1e3 : digits <= 14 ? 1 : digits <= 17 ? 1e-3 : 1e-6
    return Number(text) * unit
  }
  const match = HISTORY_TIME.exec(text)
  if (match === null) return null
  const [, year, month, day, hour, minute, second, fraction = '0', zone = ''] = match
  const time = utcOf([year, month, day, hour, minute, second])
  return time === null ? null : time + Number(`0.${fraction}`) * 1000 - offset(zone)
}

/** Null for the 13th month and the like, which `Date.UTC` takes for one of the next year. A leap second is the next one. */
function utcOf(parts: readonly (string | undefined)[]): number | null {
  const [year, month, day, hour, minute, second] = parts.map((part) => Number(part ?? 0))
  if (hour! > 24 || minute! > 59 || second! > 60) return null
  const midnight = new Date(Date.UTC(year!, month! - 1, day))
  if (midnight.getUTCMonth() !== month! - 1 || midnight.getUTCDate() !== day!) return null
  return midnight.getTime() + ((hour! * 60 + minute!) * 60 + second!) * 1000
}

function offset(zone: string): number {
  const match = /^([+-])(\d\d):?(\d\d)?$/.exec(zone)
  if (match === null) return 0
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0)
  return (match[1] === '-' ? -minutes : minutes) * 60_000
}
