import { expect, test } from 'vitest'
import { compileGlob, matchesGlob } from '../../../src/intake/measurement/glob.ts'
import { computed } from '../../computing-time.ts'

const matches = (pattern: string, path: string) => matchesGlob(compileGlob(pattern), path.split('/'))

test.each([
  ['*-raw.tsv', 'sum-raw.tsv', true],
  ['*-raw.tsv', 'a/b/sum-raw.tsv', true],
  ['*-raw.tsv', 'a/sum-raw.tsv.gz', false],
  ['**/*-raw.tsv', 'sum-raw.tsv', true],
  ['**/*-raw.tsv', 'a/b/sum-raw.tsv', true],
  ['a/*-raw.tsv', 'a/sum-raw.tsv', true],
  ['a/*-raw.tsv', 'a/b/sum-raw.tsv', false],
  ['a/**/x', 'a/x', true],
  ['a/**/x', 'a/b/c/x', true],
  ['a/**', 'a/b/c', true],
  ['./a/?.txt', 'a/b.txt', true],
  ['/a/?.txt', 'a/bc.txt', false],
  ['a.c', 'abc', false],
  ['a?', 'a', false],
  ['**/a/**/b/*.c', 'a/b/a/x/b/b/y.c', true],
  ['**/a/**/b/*.c', 'a/b/y/x.c/z', false],
  ['**/', 'a', false],
])('%s %s %s', (pattern, path, expected) => {
  expect(matches(pattern, path)).toBe(expected)
})

test('a pattern made to take for ever does not', () => {
  const start = computed()
  expect(matches(`${'*a'.repeat(200)}b`, 'a'.repeat(5000))).toBe(false)
  expect(matches(`${'**/'.repeat(200)}b`, 'a/'.repeat(500))).toBe(false)
  expect(computed() - start).toBeLessThan(2000)
})
