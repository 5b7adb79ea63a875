import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { countOf, eachCount, entriesOf } from '../../../../src/intake/imports/query-log/clickhouse-text.ts'
import { RecentTexts } from '../../../../src/intake/imports/query-log/field.ts'

test.each<readonly [string, readonly (readonly [string, string])[] | null]>([
  [
    "{'SelectedMarks':9,'SelectedParts':3}",
    [
      ['SelectedMarks', '9'],
      ['SelectedParts', '3'],
    ],
  ],
  // after other keys at the same places
  [
    "{'Selected':9,'SelectedMarks':3}",
    [
      ['Selected', '9'],
      ['SelectedMarks', '3'],
    ],
  ],
  ["{'SelectedParts':1}", [['SelectedParts', '1']]],
  [
    "{'max_threads':'4','s':'it's, {x}: [y]'}",
    [
      ['max_threads', '4'],
      ['s', "it's, {x}: [y]"],
    ],
  ],
  [
    "{'a':1,'it's':2}",
    [
      ['a', '1'],
      ["it's", '2'],
    ],
  ],
  [
    "{'a':-1,'b':1.5}",
    [
      ['a', '-1'],
      ['b', '1.5'],
    ],
  ],
  ['{}', []],
  ["{'a':1", null],
  ["{'a':1,}", [['a', '1']]],
])('%s', (text, expected) => {
  expect(entriesOf(text)).toEqual(expected)
})

test('counts are read as the entries of the map are, or left to them', () => {
  const key = fc.oneof(fc.constantFrom('SelectedMarks', 'Selected', "it's", 'a:b', ''), fc.string({ maxLength: 5 }))
  const value = fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 64n }).map(String),
    fc.constantFrom('-1', '1.5', "'4'", '', '007'),
  )
  const map = fc
    .array(fc.tuple(key, value), { maxLength: 6 })
    .map((all) => `{${all.map(([k, v]) => `'${k}':${v}`).join(',')}}`)
  fc.assert(
    fc.property(map, (text) => {
      const counts: (readonly [string, number])[] = []
      if (!eachCount(text, (name, count) => counts.push([name, count]))) return
      expect(counts).toEqual(entriesOf(text)!.map(([name, count]) => [name, Number(count)]))
    }),
  )
  expect(eachCount("{'a':1,'b':20}", () => undefined)).toBe(true)
  fc.assert(fc.property(fc.oneof(value, fc.string()), (text) => [null, Number(text)].includes(countOf(text))))
  expect([countOf('123456789012345'), countOf('1234567890123456'), countOf(''), countOf(' 1')]).toEqual([
    123_456_789_012_345,
    null,
    null,
    null,
  ])
})

test('texts that come again and again are known, few at a time and none that is long', () => {
  const texts = new RecentTexts<number>()
  const text = (of: number) => `SELECT ${of}`
  for (let of = 0; of < 10_000; of += 1) texts.set(text(of), of)
  const known = Array.from({ length: 10_000 }, (_, of) => texts.get(text(of))).filter((one) => one !== undefined)
  expect(known.length).toBeGreaterThan(0)
  expect(known.length).toBeLessThanOrEqual(4096)
  expect(texts.get(text(9999))).toBe(9999)
  texts.set('x'.repeat(2001), 1)
  expect(texts.get('x'.repeat(2001))).toBeUndefined()
})
