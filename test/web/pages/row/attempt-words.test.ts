import { expect, test } from 'vitest'
import { attemptWords } from '../../../../src/web/pages/row/attempt-words.ts'

test.each([
  [1, 'attempt 1'],
  [1200, 'attempt 1,200'],
  [1_795_288_158, 'finished 2026-11-21 19:09 UTC'],
])('%d: %s', (attempt, words) => expect(attemptWords(attempt)).toBe(words))
