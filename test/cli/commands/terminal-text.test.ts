import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { displayWidth, wrapText } from '../../../src/cli/commands/terminal-text.ts'

test('what fits and what no terminal reads stays', () => {
  expect(wrapText('  last good a, first bad b', '    ', null)).toEqual(['  last good a, first bad b'])
  expect(wrapText('  last good a, first bad b', '    ', 26)).toEqual(['  last good a, first bad b'])
})

test('broken between words, with an indent', () => {
  expect(wrapText('  last good aaaa, first bad bbbb', '    ', 26)).toEqual(['  last good aaaa, first', '    bad bbbb'])
})

test('any text: no line is too wide, and short words are all there', () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-zé界]{1,8}$/), { minLength: 1 }),
      fc.integer({ min: 24, max: 90 }),
      (words, width) => {
        const lines = wrapText(`  ${words.join(' ')}`, '    ', width)
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width)
        expect(lines.flatMap((line) => line.trim().split(' '))).toEqual(words)
      },
    ),
  )
})
