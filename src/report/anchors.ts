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

/** The fragment of the part of the report page that lists the failing tests. */
export const FAILING_TESTS_ANCHOR = 'failing-tests'

/**
 * The fragment under which a failure stands on the report page: the same for the same test, check and signature. Letters,
 * digits, `-` and `_` only; it begins with `f-`, those of queries with `q-`.
 */
export function failureAnchor({ testName, checkName, signature }: Failure): string {
  const name = (testName === '' ? checkName : testName).slice(0, 40).replace(/[^A-Za-z0-9_]+/g, '-')
  return `f-${name}-${fnv1a(JSON.stringify([testName, checkName, signature.kind, signature.text]))}`
}
