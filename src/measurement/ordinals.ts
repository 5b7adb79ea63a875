import type { QueryId } from './run.ts'

/**
 * Tells queries of equal text within one test apart: by how many with a lower index have the same text. Gives a
 * function from a query to its ordinal, 0 for the first and for all whose text is unknown or alone.
 */
export function ordinals(queries: Iterable<QueryId>): (query: QueryId) => number {
  const indexes = new Map<string, Set<number>>()
  for (const query of queries) {
    if (query.queryName === null || query.queryIndex === null) continue
    const key = textKey(query)
    const known = indexes.get(key)
    if (known === undefined) indexes.set(key, new Set([query.queryIndex]))
    else known.add(query.queryIndex)
  }
  const places = new Map<string, Map<number, number>>()
  for (const [key, set] of indexes) {
    if (set.size === 1) continue
    const sorted = [...set].sort((a, b) => a - b)
    places.set(key, new Map(sorted.map((index, place) => [index, place])))
  }
  return (query) => {
    if (places.size === 0 || query.queryName === null || query.queryIndex === null) return 0
    return places.get(textKey(query))?.get(query.queryIndex) ?? 0
  }
}

function textKey(query: QueryId): string {
  return JSON.stringify([query.test, query.queryName])
}
