import { type QueryId, queryKey } from '../measurement/run.ts'
import { fnv1a } from './fnv1a.ts'

/**
 * The fragment under which a row stands on the report page: the same for the same query, whatever its place in the list.
 * Letters, digits, `-` and `_` only; different queries of one page differ in the hash at the end.
 */
export function rowAnchor(query: QueryId): string {
  const test = query.test.slice(0, 40).replace(/[^A-Za-z0-9_]+/g, '-')
  return `q-${test}-${query.queryIndex ?? 'x'}-${fnv1a(queryKey(query))}`
}
