import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { formatsNamed } from '../../../src/intake/measurement/formats/formats.ts'
import { looksLike, WITHOUT_READER } from '../../../src/intake/measurement/near-miss.ts'
import { SourceError } from '../../../src/intake/measurement/source.ts'
import { computed } from '../../computing-time.ts'
import { readTexts } from './read-text.ts'

const output = (name: string) => readFileSync(new URL(`../../data/format-outputs/${name}`, import.meta.url), 'utf8')
const benchstat = readFileSync(new URL('../../data/verdicts-benchstat/crcOldNew.stdout', import.meta.url), 'utf8')

const WRITE = 'this format isn’t supported; write its numbers as `measurements`, one line of JSON each'

test.each([
  ['a.md', output('hyperfine.md'), 'hyperfine’s Markdown: export JSON (--export-json)'],
  ['a.txt', benchstat, 'the table of benchstat: give the output of go test -bench itself'],
  [
    'a.txt',
    'Benchmark           Time   CPU   Time Old   Time New\n',
    'the table of Google Benchmark’s compare.py: use --dump_to_json FILE',
  ],
  ['a.xml', '<?xml version="1.0"?>\n<testsuites>', 'JUnit XML: use `ledger import`'],
  ['a.txt', 'main;f;g 12\n', 'folded stacks: use `flamegraph`'],
  [
    'a.org',
    '| Command  |  Mean [ms] |  Min [ms] |\n|--+--+--|\n',
    'hyperfine’s Org table: export JSON (--export-json)',
  ],
  ['a.txt', 'work 100\n--------\n\nMean +- std dev: 7.00 us +- 3.18 us\n', 'what pyperf prints: write JSON (-o FILE)'],
  [
    'a.txt',
    '     name                     hz     min     max    mean     p75     p99\n',
    'what vitest bench prints: write JSON (--outputJson FILE)',
  ],
  [
    'a.txt',
    '│ (index) │ Task name │ Latency avg (ns) │\n',
    'the table of tinybench: write its tasks as JSON, each with `name` and `result`',
  ],
  [
    'a.txt',
    'benchmark                   avg (min … max) p75 / p99\n',
    "what mitata prints: run it with format: 'json'",
  ],
  [
    'a.txt',
    '     http_req_duration..............: avg=130.19ms min=100ms\n',
    'results of k6: write its summary (--summary-export FILE)',
  ],
  ['a.json', '{"metric":"vus","type":"Point","data":{}}', 'results of k6: write its summary (--summary-export FILE)'],
  [
    'perf.data',
    'PERFILE2h\u0000\u0000',
    'the recording of perf record: print its stacks (perf script | stackcollapse-perf.pl) for `flamegraph`',
  ],
  ['cpu.pprof', null, 'a profile: put it beside results, or give it to `flamegraph`'],
  [
    'report.html',
    '<html>\n<title>fib 20 - Criterion.rs</title>',
    'the report of criterion: give its folder target/criterion',
  ],
  ['a.png', '\ufffdPNG\r\n\u0000', 'a picture'],
  ['a.txt', 'hello', 'plain text'],
  ['a.json', '{"a": 1}', 'JSON'],
  ['a.bin', '\u0000\u0001', 'binary data'],
  ['report.html', null, 'HTML'],
  ['a', null, null],
])('%s %.40s', (name, head, expected) => {
  expect(looksLike(name, head)).toBe(expected)
})

const NOT_READ: Readonly<Record<string, readonly [name: string, text: string]>> = {
  'what Benchee prints': [
    'a.txt',
    'Name           ips        average  deviation         median         99th %\nsort        2.34 K      427.78 μs     ±4.86%      422.16 μs      511.41 μs\n',
  ],
  'what ab prints': [
    'a.txt',
    'This is ApacheBench, Version 2.3 <$Revision: 1879490 $>\n\nTime per request:       0.250 [ms] (mean)\n',
  ],
  'what hey prints': ['a.txt', '\nSummary:\n  Total:\t0.8 secs\n  Slowest:\t0.1 secs\n  Requests/sec:\t250.0\n'],
  'what vegeta prints': [
    'a.txt',
    'Requests      [total, rate, throughput]         250, 50.20, 50.19\nLatencies     [min, mean]  1.2ms, 3.4ms\n',
  ],
  'what pgbench prints': [
    'a.txt',
    'transaction type: <builtin: TPC-B (sort of)>\nlatency average = 0.844 ms\ntps = 1184.9 (without initial connection time)\n',
  ],
  'what redis-benchmark prints': [
    'a.txt',
    '====== SET ======\n  100000 requests completed in 1.10 seconds\n  50 parallel clients\n',
  ],
  'Locust’s CSV': ['a.csv', 'Type,Name,Request Count,Failure Count,Median Response Time\nGET,/,100,0,12\n'],
  'the report of Artillery': ['a.json', '{"aggregate":{"counters":{"http.requests":100}}}'],
  'the report of Lighthouse': ['a.json', '{"lighthouseVersion":"11.0.0","audits":{}}'],
}

test('each output without a reader has a sample', () => {
  expect(WITHOUT_READER.toSorted()).toEqual(Object.keys(NOT_READ).toSorted())
})

test.each(Object.entries(NOT_READ))('%s is of no format', (what, [name, text]) => {
  expect(looksLike(name, text)).toBe(`${what}: ${WRITE}`)
  const formats = formatsNamed('auto').filter((one) => one.matchesName(name) !== 'no' && one.matchesContent(text))
  expect(formats.map((one) => one.name)).toEqual([])
})

test('what was found, what it looks like, and what is read', async () => {
  await expect(readTexts({ 'bench.md': '', 'r/hyperfine.json': output('hyperfine.md'), 'x.bin': '' })).rejects.toThrow(
    /: no measurements; found .*hyperfine\.json \(looks like hyperfine’s Markdown: export JSON \(--export-json\)\).*, and no results; supported formats: clickhouse-raw, .*\bgo\b/,
  )
})

test('what a reader refuses, and the lines of another tool that look like its own, say what it is', async () => {
  const refusal = (name: string, text: string) =>
    readTexts({ [name]: text }, { direct: true, side: 'new' }).then(
      () => 'read',
      (error: Error) => error.message,
    )
  expect(await refusal('a.txt', benchstat)).toBe(
    'a.txt: there is no Go benchmark in it; it looks like the table of benchstat: give the output of go test -bench itself',
  )
  const stats = 'Total duration: 1.2 sec\nNumber of calibration run: 1\nMinimum: 5 ms\n'
  expect(await refusal('a.txt', stats)).toContain('it looks like what pyperf prints: write JSON (-o FILE)')
  expect(await refusal('a.txt', 'Total duration: 1.2s\nMinimum: 5ms\n')).toBe('read')
})

test('a line of thousands of semicolons, spaces or bars that is none of them is told at once', () => {
  const started = computed()
  for (const part of ['a;', ';', '| Method ', 'Benchmark 1: ', ' \u2502', '<testsuite ', '(x) ', '- '])
    for (const end of ['', '\n', ' x', ' 12 x']) looksLike('a.txt', part.repeat(4096 / part.length) + end)
  expect(computed() - started).toBeLessThan(2000)
})

test('a message is one line, whatever names are in it', () => {
  const { message, reason } = new SourceError('unreadable', 'a\nb\r\u0000: c', 'd\u2028e')
  expect([message, reason]).toEqual(['a b : c', 'd e'])
})
