import { expect, test } from 'vitest'
import { newestLines } from '../../../src/bot/action/lines.ts'

test.each([
  ['', 10, ''],
  ['a\nb\n', 4, 'a\nb\n'],
  ['a\nb\nc\n', 5, 'b\nc\n'],
  ['ä\nb\n', 4, 'b\n'],
  ['a\nlonger than that\n', 5, 'longer than that\n'],
])('the newest lines of %j within %i bytes are %j', (text, mostBytes, expected) => {
  expect(newestLines(text, mostBytes)).toBe(expected)
})
