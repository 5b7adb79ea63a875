import { createHash } from 'node:crypto'
import type { QueryId } from '../measurement/run.ts'

/** Stored in the place of an index that is unknown. */
export const NO_INDEX = 0xffff_ffff

/**
 * What `query_hash` is in `trunk_history` and `external-rows.sql`: the query's test and text, as ClickHouse's `halfMD5`
 * sums them up; of a query without a text its index.
 */
export function queryHash({ test, queryName, queryIndex }: QueryId): bigint {
  if (queryName === null || queryName === '') return BigInt(queryIndex ?? NO_INDEX)
  const text = `${test.toWellFormed()}\0${queryName.toWellFormed()}`
  return createHash('md5').update(text).digest().readBigUInt64BE(0)
}
