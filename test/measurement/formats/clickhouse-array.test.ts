import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseArray } from '../../../src/measurement/formats/clickhouse-array.ts'

test.each([
  ['[]', []],
  ["['client_time','SelectedRows']", ['client_time', 'SelectedRows']],
  ['[1,2.5,-0,nan,1e21]', ['1', '2.5', '-0', 'nan', '1e21']],
  ["['a,b','c]','d\\'e','f\\\\']", ['a,b', 'c]', "d'e", 'f\\']],
  ["['']", ['']],
  ['[NULL]', ['NULL']],
])('%s', (field, elements) => expect(parseArray(field)).toEqual(elements))

test.each([
  '',
  '[',
  ']',
  '1,2',
  '[1,2',
  '[,]',
  '[1,]',
  '[,1]',
  "['a]",
  "['a'b]",
  "[a'b']",
  '[[1],[2]]',
  "['a' ,'b']",
  "['a\\']",
  `[${'1'.repeat(1001)}]`,
])('%s is no array', (field) => expect(parseArray(field)).toBeNull())

test('what ClickHouse writes comes back, and nothing makes it fail', () => {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\t', '\\t')}'`
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 20 })), (elements) => {
      expect(parseArray(`[${elements.map(quoted).join(',')}]`)).toEqual(elements)
    }),
  )
  const pieces = fc.array(fc.constantFrom('[', ']', "'", ',', '\\', '1', 'a', 'NULL'))
  fc.assert(fc.property(pieces, (parts) => void parseArray(parts.join(''))))
})

test('a megabyte of it takes no time and no stack', () => {
  const started = performance.now()
  expect(parseArray(`['${"\\'".repeat(500_000)}']`)).toBeNull()
  expect(parseArray(`[${"'".repeat(1_000_000)}]`)).toBeNull()
  expect(parseArray(`[${'1,'.repeat(500_000)}1]`)).toHaveLength(500_001)
  expect(performance.now() - started).toBeLessThan(2000)
})
