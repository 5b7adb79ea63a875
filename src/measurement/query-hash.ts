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
