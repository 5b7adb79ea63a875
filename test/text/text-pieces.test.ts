import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { LONGEST_TEXT, tsvTable, tsvText } from '../../src/text/table.ts'
import { jsonInPieces } from '../../src/text/text-pieces.ts'
import { joined } from '../web/joined.ts'

test('JSON in pieces is the JSON of the whole, however often it is read', () => {
  const value = fc.oneof(
    fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 8 })),
    fc.array(fc.jsonValue({ maxDepth: 8 })),
    fc.dictionary(fc.string(), fc.constantFrom(undefined, 1)),
  )
  fc.assert(
    fc.property(value, (given) => {
      const text = jsonInPieces(given)
      expect(joined(text)).toBe(`${JSON.stringify(given)}\n`)
      expect(joined(text)).toBe(`${JSON.stringify(given)}\n`)
    }),
  )
})

test('what is large is many pieces', () => {
  const rows = Array.from({ length: 100 }, (_, index) => ({ results: [{ index }, { index }] }))
  expect([...jsonInPieces({ rows }).pieces()].length).toBeGreaterThan(200)
})

test('what is no finite number is the text that ClickHouse has for it, at any depth', () => {
  const samples = { old: [1, Infinity, NaN], new: [-Infinity, 0.1, null] }
  const text = joined(jsonInPieces({ at: NaN, measured: [{ metrics: [{ samples }] }] }))
  expect(JSON.parse(text)).toEqual({
    at: 'nan',
    measured: [{ metrics: [{ samples: { old: [1, 'inf', 'nan'], new: ['-inf', 0.1, null] } }] }],
  })
})

test('a text of many lines is cut, never within a character', () => {
  expect(tsvText(null)).toBeNull()
  expect(tsvText('x'.repeat(LONGEST_TEXT))).toHaveLength(LONGEST_TEXT)
  expect(tsvText('x'.repeat(LONGEST_TEXT + 1))).toBe('x'.repeat(LONGEST_TEXT - 1) + '…')
  expect(tsvText('x'.repeat(LONGEST_TEXT - 2) + '😀😀')).toBe('x'.repeat(LONGEST_TEXT - 2) + '…')
})

test('a table is a piece for each line', () => {
  const table = tsvTable<number>([{ key: 'n', value: (n) => n }, { heading: 'Not in the TSV' }], () => [
    1,
    NaN,
    -Infinity,
  ])
  expect([...table.pieces()]).toEqual(['n\n', '1\n', 'nan\n', '-inf\n'])
})
