import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatTable, sharedPrefix, type TerminalColumn } from '../../../src/cli/commands/table.ts'
import { displayWidth, truncateMiddle } from '../../../src/cli/commands/terminal-text.ts'

interface Row {
  readonly name: string
  readonly kind: string
  readonly hits: string
  readonly text: string
}

const COLUMNS: readonly TerminalColumn<Row>[] = [
  { heading: 'name', text: ({ name }) => name },
  { heading: 'kind', text: ({ kind }) => kind },
  { heading: 'hits', isNumber: true, text: ({ hits }) => hits },
  { heading: 'text', text: ({ text }) => text },
]

function table(rows: readonly Row[], width: number | null): string[] {
  return formatTable(COLUMNS, rows, width, (text) => text)
}

const row = (name: string, { kind = '', hits = '', text = '' } = {}): Row => ({ name, kind, hits, text })

test('the name comes first; what all rows share stands once above them, and an empty column nowhere', () => {
  const rows = [
    row('bench/encode/small', { kind: 'slower', hits: '7' }),
    row('bench/encode/large', { kind: 'slower', hits: '12' }),
  ]
  expect(table(rows, 80)).toEqual([
    'kind: slower · each name begins with bench/encode/',
    'name   hits',
    'small     7',
    'large    12',
  ])
  expect(table(rows.slice(0, 1), 80)).toEqual(['name                kind    hits', 'bench/encode/small  slower     7'])
})

test('where all names are the same, the next column has the names', () => {
  expect(table([row('sum', { kind: 'time', hits: '1' }), row('sum', { kind: 'memory', hits: '1' })], 80)).toEqual([
    'name: sum',
    'kind    hits',
    'time       1',
    'memory     1',
  ])
  expect(table([row('sum'), row('sum')], 80)).toEqual(['name', 'sum', 'sum'])
})

test('a narrow terminal names the columns for which it has no room', () => {
  const long = row(`${'a'.repeat(30)}${'z'.repeat(30)}`, { kind: 'slower', hits: '7', text: 'SELECT 1' })
  expect(table([long, row('b', { kind: 'faster', hits: '8', text: 'SELECT 2' })], 40)).toEqual([
    'name                      kind    hits',
    'aaaaaaaaaaa…zzzzzzzzzzzz  slower     7',
    'b                         faster     8',
    'no room here for: text',
  ])
})

test('any rows: no line is wider than the terminal, and every row has a line', () => {
  const text = fc.stringMatching(/^[a-z/ 漢…]{0,40}$/)
  const rows = fc.array(fc.record({ name: text, kind: text, hits: fc.stringMatching(/^\d{0,6}$/), text }), {
    minLength: 1,
  })
  fc.assert(
    fc.property(rows, fc.integer({ min: 30, max: 160 }), (some, width) => {
      const lines = table(some, width)
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width)
      expect(lines.length).toBeGreaterThan(some.length)
      expect(lines.length).toBeLessThanOrEqual(some.length + 3)
    }),
  )
})

test.each([
  [
    ['github.com/acme/codec.BenchmarkEncode/small', 'github.com/acme/codec.BenchmarkEncode/large'],
    'github.com/acme/codec.BenchmarkEncode/',
  ],
  [['hash_functions #1', 'hash_functions #2'], 'hash_functions '],
  [['sum #1', 'sum #2'], ''],
  [['bench/encode/', 'bench/encode/small'], ''],
  [['orders_group_by', 'orders_join'], ''],
  [['bench/encode/small'], ''],
  [[], ''],
])('%j begin with %j', (names, prefix) => {
  expect(sharedPrefix(names)).toBe(prefix)
})

test('a long name keeps both of its ends', () => {
  expect(truncateMiddle('tests/queries/03999_my_new_test', 20)).toBe('tests/que…y_new_test')
  expect(truncateMiddle('short', 20)).toBe('short')
})
