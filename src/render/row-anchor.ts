import { type QueryId, queryKey } from '../measurement/run.ts'

/**
 * The fragment under which a row stands on the report page: the same for the same query, whatever its place in the list.
 * Letters, digits, `-` and `_` only; different queries of one page differ in the hash at the end.
 */
export function rowAnchor(query: QueryId): string {
  const test = query.test.slice(0, 40).replace(/[^A-Za-z0-9_]+/g, '-')
  return `q-${test}-${query.queryIndex ?? 'x'}-${fnv1a(queryKey(query)).toString(16).padStart(8, '0')}`
}

/** FNV-1a, 32 bits, over UTF-16 code units: short and stable, not secret. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash >>> 0
}
