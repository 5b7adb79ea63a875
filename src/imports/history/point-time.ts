/** Digits alone are seconds since 1970, or milliseconds, microseconds and nanoseconds where that many digits say so. */
const EPOCH = /^\d{9,19}(?:\.\d+)?$/
const DATE_TIME =
  /^(\d{4})[-./](\d{1,2})[-./](\d{1,2})(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?)?\s*(?:Z|UTC|([+-])(\d{2}):?(\d{2})?)?$/i

/**
 * A time as histories have it, in milliseconds since 1970, for ordering alone: `2026-11-21`, `2026-11-21 10:30:00`,
 * `2024.01.01 3:00:00 +0100`, `2023-04-07T00:55:33.422+00:00`, `1609466400`. Without a zone it is UTC. Null where it is
 * none of these, or a day or an hour that there is none of.
 */
export function parseTime(text: string): number | null {
  if (EPOCH.test(text)) {
    const digits = text.split('.', 1)[0]!.length
    const unit = digits <= 11 ? 1e3 : digits <= 14 ? 1 : digits <= 17 ? 1e-3 : 1e-6
    return Number(text) * unit
  }
  const parts = DATE_TIME.exec(text)
  if (parts === null) return null
  const [, year, month, day, hour, minute, second, fraction, sign, zoneHour, zoneMinute] = parts
  const utc = utcOf([year, month, day, hour, minute, second].map((part) => Number(part ?? 0)))
  if (utc === null) return null
  const zone = sign === undefined ? 0 : (Number(zoneHour) * 60 + Number(zoneMinute ?? 0)) * 60_000
  return utc + Number(`0.${fraction ?? 0}`) * 1000 - (sign === '-' ? -zone : zone)
}

/** Null for the 13th month and the like, which `Date.UTC` takes for one of the next year. A leap second is the next one. */
function utcOf([year, month, day, hour, minute, second]: readonly number[]): number | null {
  if (hour! > 24 || minute! > 59 || second! > 60) return null
  const midnight = new Date(Date.UTC(year!, month! - 1, day))
  if (midnight.getUTCMonth() !== month! - 1 || midnight.getUTCDate() !== day!) return null
  return midnight.getTime() + ((hour! * 60 + minute!) * 60 + second!) * 1000
}
