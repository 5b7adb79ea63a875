import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { queryHash } from '../../../src/intake/measurement/query-hash.ts'
import type { QueryId } from '../../../src/intake/measurement/run.ts'
import { type ClickHouse, openClickHouse } from '../../../src/store/client.ts'
import { saveTrunkRows } from '../../../src/store/history/trunk-history-rows.ts'
import { anyCodePoint } from '../../any-code-point.ts'
import { HOSTILE } from '../../report/render/hostile.ts'
import { migratedDatabase } from '../../store/embedded/engine-fixture.ts'
import { trunkRow } from '../../store/history/trunk-rows.ts'

let clickhouse: ClickHouse

beforeAll(async () => {
  clickhouse = await openClickHouse(await migratedDatabase())
})
afterAll(() => clickhouse.close())

const name = fc.oneof(
  fc.constantFrom(
    ...HOSTILE,
    'alpha',
    'alpha#0',
    '616C706861#0',
    '616C706861',
    '0',
    '#0',
    '\0',
    'alpha\0',
    '\0alpha',
    '\ud800',
    'ü',
  ),
  fc.string({ unit: anyCodePoint, maxLength: 30 }),
)
const index = fc.option(fc.oneof(fc.constantFrom(0, 1, 10, 4_294_967_294), fc.nat(4_294_967_294)))
const query: fc.Arbitrary<QueryId> = fc.record({
  test: name,
  queryIndex: index,
  queryName: fc.option(name.filter((text) => text !== '')),
})

test('two queries without a text have the same hash where test and index are the same, and a text never has it', () => {
  const said = ({ test: of, queryName, queryIndex }: QueryId) =>
    queryName === null ? JSON.stringify([of.toWellFormed(), queryIndex]) : 'text'
  fc.assert(
    fc.property(
      query.map((one) => ({ ...one, queryName: null })),
      query,
      (a, b) => {
        expect(queryHash(a) === queryHash(b)).toBe(said(a) === said(b))
      },
    ),
    { numRuns: 2000 },
  )
  const nameless = { test: 'alpha', queryIndex: 0, queryName: null }
  expect(queryHash({ ...nameless, test: 'beta' })).not.toBe(queryHash(nameless))
  expect(queryHash({ test: '616C706861#0', queryIndex: 0, queryName: '' })).not.toBe(queryHash(nameless))
})

test('the database computes the same, whatever the names hold, wherever it does', async () => {
  const queries = fc.sample(query, { numRuns: 400, seed: 1 })
  const hashes = [...new Set(queries.map((one) => String(queryHash(one))))].toSorted()
  const row = z.object({ hash: z.string() })
  const read = async (sql: string) => (await clickhouse.read('hashes', sql, {}, row)).map(({ hash }) => hash)

  await saveTrunkRows(
    clickhouse,
    1,
    queries.map((one) => trunkRow(one)),
  )
  expect(await read('SELECT DISTINCT toString(query_hash) AS hash FROM trunk_history ORDER BY hash')).toEqual(hashes)
  const named = queries.map((one) => [
    1,
    one.test.toWellFormed(),
    one.queryIndex,
    one.queryName?.toWellFormed() ?? null,
  ])
  const columns = ['repository_id', 'test', 'query_index', 'query_name']
  for (const table of ['flags', 'stacks']) {
    await clickhouse.insert(
      table,
      table === 'stacks' ? [...columns, 'expires'] : columns,
      table === 'stacks' ? named.map((values) => [...values, 4e9]) : named,
    )
    expect(await read(`SELECT DISTINCT toString(query_hash) AS hash FROM ${table} ORDER BY hash`), table).toEqual(
      hashes,
    )
  }
})
