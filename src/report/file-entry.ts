import { commentSafeJson } from '../text/markdown.ts'
import { compileNamePattern, NamePatternError } from '../text/name-pattern.ts'
import { DAY, isoTime } from '../text/time.ts'

/** Lines of `tests` in the repository's file, to be copied into it. */

/** The file takes no entry without an end: one that has none is offered with this. */
const DAYS_WITHOUT_END = 30

/** The last day of an entry in UTC, `2027-03-01`. `until` (null: no end was given) and `saidAt`: milliseconds since 1970. */
export function lastDay(until: number | null, saidAt: number): string {
  return isoTime(until ?? saidAt + DAYS_WITHOUT_END * DAY).slice(0, 'yyyy-mm-dd'.length)
}

/** `  - {"test":"sum","query":1,"accepted":0.13,"until":"2027-03-01"}`: JSON is YAML, whatever the names hold. Empty: the file has no pattern for the name. */
export function entryOf(
  { test, query }: { readonly test: string; readonly query: number | string | null },
  says: Readonly<Record<string, string | number>>,
): readonly string[] {
  const [of, queried] = [patternOf(test), typeof query === 'string' ? patternOf(query) : query]
  if (of === null || (queried === null && query !== null)) return []
  return [`  - ${commentSafeJson({ test: of, ...(queried === null ? {} : { query: queried }), ...says })}`]
}

/** A pattern that fits the name: what a pattern reads otherwise is any character in it. */
function patternOf(name: string): string | null {
  const pattern = name.replaceAll(/^\s+|\s+$|[{}]/g, '*').replaceAll(/\*+/g, '*')
  try {
    compileNamePattern(pattern)
    return pattern
  } catch (error) {
    if (error instanceof NamePatternError) return null
    throw error
  }
}
