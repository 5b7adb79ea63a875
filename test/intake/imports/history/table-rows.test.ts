import { expect, test } from 'vitest'
import { withoutIndex } from '../../../../src/intake/imports/history/table-rows.ts'

const LONG = 'x'.repeat(1000)

test.each([
  [`${LONG}...(12)`, 12, LONG],
  [`${LONG}...(12)`, 13, `${LONG}...(12)`],
  [`${LONG.slice(1)}...(12)`, 12, `${LONG.slice(1)}...(12)`],
  ['SELECT 1...(12)', 12, 'SELECT 1...(12)'],
  [LONG, 0, LONG],
  ['', 0, ''],
])('%.20s with index %i', (name, index, expected) => {
  expect(withoutIndex(name, index)).toBe(expected)
})
