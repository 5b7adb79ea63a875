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
  const [, year, month, day, hours = '0', minutes = '0', seconds = '0', fraction = '', zone = ''] = match
  const milliseconds = Math.floor(Number(`0.${fraction || '0'}`) * 1000)
  const time = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hours), Number(minutes), Number(seconds))
  // a day or an hour that does not exist would roll over into the next
  const date = new Date(time)
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return null
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 60) return null
  return time + milliseconds - offset(zone)
}

function offset(zone: string): number {
  const match = /^([+-])(\d\d):?(\d\d)$/.exec(zone)
  if (match === null) return 0
  const minutes = Number(match[2]) * 60 + Number(match[3])
  return (match[1] === '-' ? -minutes : minutes) * 60_000
}
