import { execFileSync } from 'node:child_process'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { singleQuoted } from '../../src/text/quote.ts'
import { splitWords } from '../../src/text/split-words.ts'

const byShell = (text: string) =>
  execFileSync('sh', ['-c', `printf '%s\\0' ${text}`])
    .toString()
    .split('\0')
    .slice(0, -1)

test.each([
  `--run './bench --json {out}' -o "my results"`,
  `--build "python -m venv .venv && .venv/bin/pip install -q -e '.[dev]'"`,
  String.raw`a\ b "c\"d" 'e\f' g"h"'i' "j\k" "" ''`,
  ' --go   ./sort\t--budget 5m ',
  '"a\\\nb" c\\\nd',
])('splits as a shell does: %s', (text) => {
  expect(splitWords(text)).toEqual(byShell(text))
})

test('starts nothing, and reads back whatever was quoted', () => {
  expect(splitWords('$(id) `id` $HOME ~ * ; a && b')).toEqual(['$(id)', '`id`', '$HOME', '~', '*', ';', 'a', '&&', 'b'])
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (words) => {
      expect(splitWords(words.map(singleQuoted).join(' '))).toEqual(words)
    }),
  )
})

test('a quote that is not closed, or a backslash before nothing, is no list of words', () => {
  for (const text of [`--run './bench`, '"a', 'a\\', `it's`]) expect(splitWords(text)).toBeNull()
})

test('newlines of a block in YAML separate words', () => {
  expect(splitWords('--go\n--budget 5m\n')).toEqual(['--go', '--budget', '5m'])
})
