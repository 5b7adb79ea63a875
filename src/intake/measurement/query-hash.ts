import { createHash } from 'node:crypto'
import type { QueryId } from './run.ts'

/** Stored in the place of an index that is unknown. */
export const NO_INDEX = 0xffff_ffff

/**
 * The key of a query in every table (`query_hash`) and in the addresses of its pages: its test and text, as
 * ClickHouse's `halfMD5` sums them up; without a text its test and index. The test is then written in hexadecimal digits:
 * what is summed up of a text has a zero character in it, and this never does, whatever the names are.
 */
export function queryHash({ test, queryName, queryIndex }: QueryId): bigint {
  const text =
    queryName === null || queryName === ''
      ? `${Buffer.from(test.toWellFormed()).toString('hex').toUpperCase()}#${queryIndex ?? NO_INDEX}`
      : `${test.toWellFormed()}\0${queryName.toWellFormed()}`
  return createHash('md5').update(text).digest().readBigUInt64BE(0)
}

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
