import { expect, test } from 'vitest'
import { codes, readTexts } from '../read-text.ts'
import { outputFile } from './output-files.ts'

const result = (line: string) => ({ line, isWhole: true })
const cut = (line: string) => ({ line, isWhole: false })

test.each([
  ['ruby', result('fib(20):   0.000846   0.000000   0.000846 (  0.005778)')],
  ['ruby', cut('fib(20):   0.000846   0.000000   0.000846 (  0.0057')],
  ['ruby', result('fib(10)    112.345k (± 1.2%) i/s')],
  ['ruby', cut('fib(10)    112.345k (± 1.2')],
  ['go', result('BenchmarkFib-8   100   325 ns/op   16 B/op   2 allocs/op')],
  ['go', result('BenchmarkFib-8   100   325 ns/op   7 hits/op')],
  ['go', cut('BenchmarkFib-8   100   325 ns/op   7 misses/o')],
  ['go', cut('BenchmarkFib-8   100   325 ns/op   1')],
  ['libtest', result('test fib ... bench:  1,306.16 ns/iter (+/- 1,313.66)')],
  ['libtest', cut('test fib ... bench:  1,306.16 ns/iter (+/- 1,3')],
  ['libtest', result('{ "type": "bench", "name": "fib", "median": 190171.74, "deviation": 574069 }')],
  ['libtest', cut('{ "type": "bench", "name": "fib", "median": 190171')],
  ['criterion', result('fib 20      time:   [31.218 µs 31.529 µs 31.782 µs]')],
  ['criterion', cut('fib 20      time:   [31.218 µs 31.529 µs 31.7')],
  ['asv', result('[ 50.00%] ··· benchmarks.time_sum        745±100ms')],
  ['asv', cut('[ 50.00%] ··· benchmarks.time_sum        745±100m')],
  ['asv', cut('[ 50.00%] ··· benchmarks.track_sum        7')],
  ['iai', result('  Instructions:       1734|1700       (+2.00')],
  ['iai', cut('  Instructions:       1734|17')],
  ['google-benchmark', result('BM_sort/512       4.25 us         4.5 us       10')],
  ['google-benchmark', cut('BM_sort/512       4.25 us         4.5')],
  ['js-time', result('load: 56.672ms')],
  ['js-time', cut('load: 56.6')],
  ['js-time', cut('[56.67ms] loa')],
  ['dart', result('Template(RunTime): 0.157 us.')],
  ['dart', cut('Template(RunTime): 0.157 u')],
])('%s: a last line without its end: %o', async (format, { line, isWhole }) => {
  const before: Readonly<Record<string, string>> = {
    ruby: 'a:   0.1   0.2   0.3 (  0.4)\n',
    go: 'BenchmarkA-8   100   3 ns/op   8 hits/op\n',
    libtest: 'test a ... bench:  1 ns/iter (+/- 1)\n',
    criterion: 'a      time:   [1 µs 2 µs 3 µs]\n',
    asv: '[ 25.00%] ··· benchmarks.time_a        1±1ms\n',
    iai: 'a\n  Instructions:       1|1       (No change)\nb\n',
    'google-benchmark': 'Benchmark   Time   CPU   Iterations\nBM_a   1 us   1 us   10\n',
    'js-time': 'a: 1ms\n',
    dart: 'A(RunTime): 1 us.\n',
  }
  const read = (text: string) => readTexts({ 'new.txt': text }, { format })
  const cutAt = await read(before[format]! + line)
  if (isWhole) {
    const ended = await read(`${before[format]!}${line}\n`)
    expect(cutAt).toEqual(ended)
    expect(ended.measurements.length).toBeGreaterThan((await read(before[format]!)).measurements.length)
    expect(codes(cutAt)).toEqual([])
  } else {
    expect(cutAt.measurements).toEqual((await read(before[format]!)).measurements)
    expect(cutAt.warnings).toMatchObject([
      { code: 'truncated-line', message: 'the last line has no newline, so it may be cut off: skipped' },
    ])
  }
})

test.each(['ruby.txt', 'go.txt', 'libtest.txt', 'libtest.jsonl', 'iai-callgrind.txt', 'asv-compare.txt'])(
  'what $(…) leaves of %s says the same as the whole',
  async (file) => {
    const text = outputFile(file)
    const whole = await readTexts({ 'new.txt': text })
    const { measurements } = await readTexts({ 'new.txt': text.trimEnd() })
    expect(measurements).toEqual(whole.measurements)
  },
)

test.each([
  ['letters', 'x'.repeat(5000), 1],
  ['spaces', ' '.repeat(600), 1],
  ['what was written over', `${'x'.repeat(5000)}\r`, 0],
  ['colours', '\u001b[1m'.repeat(2000), 0],
] as const)('a result behind thousands of %s is read, or said to be left out', async (_, before, left) => {
  const line = (name: string) => `${name}:   0.000846   0.000000   0.000846 (  0.005778)\n`
  const noise = `${'x'.repeat(5000)}\n`
  const { measurements, warnings } = await readTexts(
    { 'new.txt': `${line('a')}${noise}${before}${line('b')}` },
    { format: 'ruby' },
  )
  const names = new Set(measurements.map(({ queryName }) => queryName))
  expect(names.size).toBe(2 - left)
  const said = { code: 'malformed-line', where: 'new.txt:3', message: expect.stringContaining('4,000 characters') }
  expect(warnings).toEqual(Array(left).fill(said))
})
