import { expect, test } from 'vitest'
import { byteCount, ImportProgress } from '../../../src/cli/commands/progress.ts'

test.each([
  [0, '0.0 kB'],
  [1500, '1.5 kB'],
  [741_072_421, '741 MB'],
  [10_500_000_000, '10.5 GB'],
])('%d bytes', (bytes, text) => {
  expect(byteCount(bytes)).toBe(text)
})

test('a bar over the bytes where the total is known', () => {
  const progress = new ImportProgress(1_000_000)
  expect(progress.line()).toMatch(/^\[\.{20}\] 0% of 1\.0 MB, 0 rows, 0 rows\/s$/)
  progress.bytes = 505_000
  progress.rows = 1234
  expect(progress.line()).toMatch(/^\[#{10}\.{10}\] 50% of 1\.0 MB, 1,234 rows, [\d,]+ rows\/s$/)
  // a file that grows while it is read
  progress.bytes = 2_000_000
  expect(progress.line()).toMatch(/^\[#{20}\] 100% of 1\.0 MB, /)
})

test('of a pipe what came so far', () => {
  const progress = new ImportProgress(null)
  progress.bytes = 12_000_000
  progress.rows = 5
  expect(progress.line()).toMatch(/^importing: 12 MB, 5 rows, [\d,]+ rows\/s$/)
})
