import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { spreadsheetText, textOfSpreadsheet, tsvTable } from '../../src/text/table.ts'

test('a text that a spreadsheet would calculate stands behind an apostrophe, a number does not', () => {
  const texts = ['=HYPERLINK("http://a")', "+1+cmd|'/C calc'!A0", '-2+3', '@SUM(1)', '-- a comment', "'=x", '\t=1']
  const others = ['SELECT 1 = 1', "'quoted'", '+12.5%', '-3', '', 'a@b']
  const table = tsvTable([{ key: 'name', value: (text: string) => text }], () => [...texts, ...others])
  const lines = [...table.pieces()].join('').split('\n')
  expect(lines.slice(1, -1)).toEqual([...texts.slice(0, -1).map((text) => `'${text}`), '\\t=1', ...others])
  expect([...tsvTable([{ key: 'n', value: (one: number) => one }], () => [-1.5, -Infinity]).pieces()].join('')).toBe(
    'n\n-1.5\n-inf\n',
  )
})

test('reading gives what was written', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("'", '=', '+', '-', '@', '1', 'a') }), (text) => {
      expect(textOfSpreadsheet(spreadsheetText(text))).toBe(text)
    }),
  )
})
