import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type ClickHouse, openClickHouse } from '../../src/store/client.ts'
import { insertInBatches } from '../../src/store/insert-in-batches.ts'
import { nativeBlocks } from '../../src/store/native-block.ts'
import {
  columnOf,
  dateTime,
  enum8,
  few,
  float64,
  insertInto,
  string,
  table,
  uint8,
  uint16,
  uint32,
  uint64,
  uuid,
} from '../../src/store/table.ts'
import { migratedDatabase } from './embedded/engine-fixture.ts'

interface Row {
  readonly text: string
  readonly whole: number
  readonly fraction: number
  readonly name: 'a' | 'b c'
}

const column = columnOf<Row>()
const of = (name: string) =>
  table(name, {
    text: column(string, ({ text }) => text),
    few: column(few(string), ({ text }) => text.slice(0, 2)),
    u8: column(uint8, ({ whole }) => whole % 2 ** 8),
    u16: column(uint16, ({ whole }) => whole % 2 ** 16),
    u32: column(uint32, ({ whole }) => whole % 2 ** 32),
    u64: column(uint64, ({ whole }) => whole),
    at: column(dateTime, ({ whole }) => whole % 2 ** 32),
    fraction: column(float64, ({ fraction }) => fraction),
    name: column(enum8('a', 'b c'), ({ name }) => name),
  })

let clickhouse: ClickHouse
beforeAll(async () => {
  clickhouse = await openClickHouse(await migratedDatabase())
  for (const name of ['as_json', 'as_block']) {
    const { columnNames, columnList } = of(name)
    const columns = columnNames.map((column, index) => `${column} ${columnList[index]!.type}`)
    await clickhouse.command(
      'create',
      `CREATE TABLE ${name} (${columns.join(', ')}) ENGINE = MergeTree ORDER BY tuple()`,
    )
  }
})
afterAll(() => clickhouse.close())

const texts = [
  '',
  'plain',
  'ü',
  '🙂',
  '\ud800 half',
  'a\t\n\0"\\',
  'x'.repeat(127),
  'x'.repeat(128),
  'ü'.repeat(127),
  'y'.repeat(70_000),
]
const wholes = [0, 1, 127, 128, 255, 65_535, 2 ** 31, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER]
const fractions = [0, -0, 0.1, -1e300, 5e-324, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
const rows = Array.from(
  { length: 3000 },
  (_, index): Row => ({
    text: texts[Math.floor(index / 2) % texts.length]!,
    whole: wholes[index % wholes.length]!,
    fraction: fractions[index % fractions.length]!,
    name: index % 3 === 0 ? 'a' : 'b c',
  }),
)

test('a block holds what JSON holds', async () => {
  await insertInto(clickhouse, of('as_json'), rows)
  const block = nativeBlocks(of('as_block'))(rows)
  await clickhouse.insertBlock('as_block', of('as_block').columnNames, block)
  const different = `
    SELECT count() AS n FROM (
      SELECT toString(tuple(*)) AS row, count() AS times FROM as_json GROUP BY row
      EXCEPT SELECT toString(tuple(*)) AS row, count() AS times FROM as_block GROUP BY row)`
  const one = z.object({ n: z.coerce.number() })
  expect(await clickhouse.read('stored', 'SELECT count() AS n FROM as_block', {}, one)).toEqual([{ n: rows.length }])
  expect(await clickhouse.read('different', different, {}, one)).toEqual([{ n: 0 }])
})

test('a type that no block has is refused, however few rows there are', async () => {
  const other = table('t', { id: columnOf<string>()(uuid, (id) => id) })
  const insert = { table: other, batchRows: 10, rowOf: (id: string) => id, charactersOf: () => 36, secondsOf: () => 0 }
  await expect(insertInBatches(clickhouse, [], insert)).rejects.toThrow(/no block has a column of the type UUID/)
})
