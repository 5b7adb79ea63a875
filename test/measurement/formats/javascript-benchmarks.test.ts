import { expect, test } from 'vitest'
import { readTexts } from '../read-text.ts'
import { actionBenchmarkFile, extracted } from './action-benchmark-snapshots.ts'
import { outline, outputFile } from './output-files.ts'

test('benchmark.js: what github-action-benchmark extracts', async () => {
  const expected = extracted('benchmarkjs_output.txt')
  const { measurements } = await readTexts({ 'new.txt': actionBenchmarkFile('benchmarkjs_output.txt') })
  expect(measurements).toHaveLength(expected.length)
  for (const { name, value, range } of expected) {
    const found = measurements.find(({ queryName }) => queryName === name)!
    expect([found.metric, found.unit, found.better, found.new]).toEqual(['throughput', '1/s', 'higher', [value]])
    expect(found.given!.new).toMatchObject({ kind: 'mean', value, spread: Number(`${range!.slice(1, -1)}e-2`) })
  }
})

test('benchmark.js: what it prints today; a function that throws has no line', async () => {
  const { measurements } = await readTexts({ 'old.txt': outputFile('benchmarkjs.txt') })
  expect(measurements.map(({ queryName, old, given }) => [queryName, old[0], given!.old!.repetitions])).toEqual([
    ['fib(10)', 384781, 7],
    ['fib(20)', 3547, 7],
    ['fib(30)', 27.35, 7],
  ])
})

test('vitest bench: the median in seconds, of suites by their whole name; skipped ones are not there', async () => {
  const { measurements } = await readTexts({ 'new.json': outputFile('vitest.json') })
  expect(outline(measurements)).toEqual([
    'fib.bench.js > fibonacci | fib(10) | time s: 0 + 1',
    'fib.bench.js > fibonacci | fib(15) | time s: 0 + 1',
    'fib.bench.js > fibonacci > inner | sum | time s: 0 + 1',
  ])
  expect(measurements[0]!.given!.new).toEqual({
    kind: 'median',
    value: Number('0.0006059999996068655e-3'),
    lower: null,
    upper: null,
    spread: 127.76447425810775 / 100,
    repetitions: 7117,
  })
  const withSamples = outputFile('vitest.json').replace('"samples": []', '"samples": [1.5, 2.25]')
  const { measurements: sampled } = await readTexts({ 'new.json': withSamples })
  expect(sampled[0]!.new).toEqual([0.0015, 0.00225])
})

test('console.time: each label once more is another sample; all ways in which times are written', async () => {
  const printed = outputFile('js-time.txt')
  const more = 'load: 60.5ms\nminutes: 1:02.345 (m:ss.mmm)\nhours: 1:00:02.345 (h:mm:ss.mmm)\n[12.50ms] bun\n'
  const { measurements } = await readTexts({ 'new.log': `${printed}${more}` })
  expect(measurements.map(({ queryName, new: samples }) => [queryName, samples])).toEqual([
    ['bun', [0.0125]],
    ['default', [0.000002]],
    ['hours', [3602.345]],
    ['load', [0.056672, 0.0605]],
    ['long', [1.3]],
    ['minutes', [62.345]],
    ['short', [0.000122]],
  ])
})
