import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { looksLike } from '../../src/measurement/near-miss.ts'
import { SourceError } from '../../src/measurement/source.ts'
import { readTexts } from './read-text.ts'

const output = (name: string) => readFileSync(new URL(`../data/format-outputs/${name}`, import.meta.url), 'utf8')
const benchstat = readFileSync(new URL('../data/verdicts-benchstat/crcOldNew.stdout', import.meta.url), 'utf8')

test.each([
  ['a.md', output('hyperfine.md'), 'hyperfine’s Markdown: export JSON (--export-json)'],
  ['a.txt', benchstat, 'the table of benchstat: give the output of go test -bench itself'],
  [
    'a.txt',
    'Benchmark           Time   CPU   Time Old   Time New\n',
    'the table of Google Benchmark’s compare.py: use --dump_to_json FILE',
  ],
  ['a.xml', '<?xml version="1.0"?>\n<testsuites>', 'JUnit XML: that is for `ledger import`'],
  ['a.txt', 'main;f;g 12\n', 'folded stacks: that is for `flamegraph`'],
  ['a.txt', 'hello', 'plain text'],
  ['a.json', '{"a": 1}', 'JSON'],
  ['a.bin', '\u0000\u0001', 'binary data'],
  ['report.html', null, 'HTML'],
  ['a', null, null],
])('%s %.40s', (name, head, expected) => {
  expect(looksLike(name, head)).toBe(expected)
})

test('what was found, what it looks like, and what is read', async () => {
  await expect(readTexts({ 'bench.md': '', 'r/hyperfine.json': output('hyperfine.md'), 'x.bin': '' })).rejects.toThrow(
    /: no measurements; found .*hyperfine\.json \(looks like hyperfine’s Markdown: export JSON \(--export-json\)\).*, and no results; formats that are read: clickhouse-raw, .*\bgo\b/,
  )
})

test('a line of thousands of semicolons, spaces or bars that is none of them is told at once', () => {
  const started = performance.now()
  for (const part of ['a;', ';', '| Method ', 'Benchmark 1: ', ' \u2502', '<testsuite ', '(x) ', '- '])
    for (const end of ['', '\n', ' x', ' 12 x']) looksLike('a.txt', part.repeat(4096 / part.length) + end)
  expect(performance.now() - started).toBeLessThan(2000)
})

test('a message is one line, whatever names are in it', () => {
  const { message, reason } = new SourceError('unreadable', 'a\nb\r\u0000: c', 'd\u2028e')
  expect([message, reason]).toEqual(['a b : c', 'd e'])
})
