import { type QueryId, queryKey } from '../intake/measurement/run.ts'
import type { Failure } from '../judge/ledger/failure.ts'

/** FNV-1a, 32 bits, over UTF-16 code units, as eight hexadecimal digits: short and stable, not secret. */
export function fnv1a(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0).toString(16).padStart(8, '0')
}

/**
 * The fragment under which a row stands on the report page: the same for the same query, whatever its place in the list.
 * Letters, digits, `-` and `_` only; different queries of one page differ in the hash at the end.
 */
export function rowAnchor(query: QueryId): string {
  const test = query.test.slice(0, 40).replace(/[^A-Za-z0-9_]+/g, '-')
  return `q-${test}-${query.queryIndex ?? 'x'}-${fnv1a(queryKey(query))}`
}

/** The letter of a short id. With digits up to `f` it makes no English word, and no word that a command takes. */
const ID_LETTER = 'q'

/** Hexadecimal digits of a short id. With fewer, every fourth row would share its own with a row of another push. */
const LEAST_DIGITS = 3

/** What a person types for a short id: as many digits as are shown, or more. */
const SHORT_ID = new RegExp(`^${ID_LETTER}[0-9a-f]{${LEAST_DIGITS},8}$`, 'i')

/**
 * The short ids of the rows of a report, by `queryKey`: `qf7e` is a letter and the first digits of the hash at the end of the row's
 * anchor, three or as many as tell it from every other row. So a row has the same id in each attempt and after each push; it gets more
 * digits where a row comes whose hash begins alike, and fewer where that goes. Rows whose whole hashes are equal share one id.
 */
export function shortIds(keysOf: () => readonly string[]): (key: string) => string {
  let digits: ReadonlyMap<string, number> | undefined
  return (key) => {
    digits ??= digitsNeeded(keysOf())
    const hash = fnv1a(key)
    return `${ID_LETTER}${hash.slice(0, digits.get(hash) ?? hash.length)}`
  }
}

function digitsNeeded(keys: readonly string[]): ReadonlyMap<string, number> {
  const hashes = [...new Set(keys.map(fnv1a))].toSorted()
  const needed = (at: number) => Math.max(LEAST_DIGITS, ...[at - 1, at + 1].map((of) => alike(hashes[at]!, hashes[of])))
  return new Map(hashes.map((hash, at) => [hash, needed(at)]))
}

/** Digits that tell a hash from another one; 0 where there is none. */
function alike(hash: string, other: string | undefined): number {
  return other === undefined ? 0 : Array.from(hash).findIndex((digit, at) => digit !== other[at]) + 1
}

/** Whether a short id may mean the row of a key: more than one where it is too short for them. Null: it is no short id. */
export function meantByShortId(id: string): ((key: string) => boolean) | null {
  if (!SHORT_ID.test(id)) return null
  const digits = id.slice(ID_LETTER.length).toLowerCase()
  return (key) => fnv1a(key).startsWith(digits)
}

/** The fragments of the parts of the report page that list the failing tests and the bisect windows. */
export const FAILING_TESTS_ANCHOR = 'failing-tests'
export const WINDOWS_ANCHOR = 'windows'

/**
 * The fragment under which a failure stands on the report page: the same for the same test, check and signature. Letters,
 * digits, `-` and `_` only; it begins with `f-`, those of queries with `q-`.
 */
export function failureAnchor({ testName, checkName, signature }: Failure): string {
  const name = (testName === '' ? checkName : testName).slice(0, 40).replace(/[^A-Za-z0-9_]+/g, '-')
  return `f-${name}-${fnv1a(JSON.stringify([testName, checkName, signature.kind, signature.text]))}`
}
