import { expect, test } from 'vitest'
import { entriesOf } from '../../../src/imports/query-log/clickhouse-text.ts'
import { RecentTexts } from '../../../src/imports/query-log/recent-texts.ts'

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
