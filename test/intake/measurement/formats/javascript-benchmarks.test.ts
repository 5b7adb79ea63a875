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

test.each([
  ['tinybench.json', 'median', Number('0.0640549999999962e-3'), 113],
  ['tinybench-table.json', 'median', 64_055e-9, 113],
])('tinybench: %s has summaries', async (file, kind, value, repetitions) => {
  const { measurements } = await readTexts({ [`new/${file}`]: outputFile(file) })
  expect(outline(measurements)).toEqual([
    'tinybench | parse | time s: 0 + 1',
    'tinybench | sort | time s: 0 + 1',
    'tinybench | throws | time s: 0 + 0',
  ])
  const [, sort, throws] = measurements
  expect(sort!.given!.new).toMatchObject({ kind, value, repetitions })
  expect(throws!.problems).toHaveLength(1)
})

test('tinybench: samples, where they are kept', async () => {
  const text = outputFile('tinybench-2.json')
  const { measurements } = await readTexts({ 'new.json': text })
  expect(outline(measurements)).toEqual(['tinybench | parse | time s: 0 + 400', 'tinybench | sort | time s: 0 + 16'])
  const tasks = JSON.parse(text) as { name: string; result: { samples: number[] } }[]
  expect(measurements[1]!.new).toEqual(tasks[0]!.result.samples.map((value) => Number(`${value}e-3`)))
  expect(measurements[1]!.taken!.new).toEqual({ processes: Array.from({ length: 16 }, () => 0) })
  const named = await readTexts({ 'new.json': JSON.stringify({ name: 'arrays', tasks }) })
  expect(outline(named.measurements)).toEqual(['arrays | parse | time s: 0 + 400', 'arrays | sort | time s: 0 + 16'])
  const nameless = JSON.stringify(tasks.map(({ result }) => result))
  await expect(readTexts({ 'new.json': nameless })).rejects.toThrow('its tasks have no names')
})

test('tinybench: the table of version 2 has means', async () => {
  const table =
    '[{"Task Name":"sort","ops/sec":"170","Average Time (ns)":5880881.874999999,"Margin":"±181.78%","Samples":16}]'
  const { measurements } = await readTexts({ 'new.json': table })
  expect(measurements[0]!.given!.new).toMatchObject({ kind: 'mean', value: 0.005880881874999999, repetitions: 16 })
})

test('mitata: samples by groups, and the heap', async () => {
  const text = outputFile('mitata.json')
  const { measurements, machine } = await readTexts({ 'new.json': text })
  expect(machine).toBe('AMD EPYC')
  expect(outline(measurements)).toEqual([
    'mitata | fill 16 | bytes bytes: 0 + 1',
    'mitata | fill 16 | time s: 0 + 50',
    'mitata | fill 64 | bytes bytes: 0 + 1',
    'mitata | fill 64 | time s: 0 + 50',
    'mitata | sort | bytes bytes: 0 + 1',
    'mitata | sort | time s: 0 + 50',
    'text | parse | bytes bytes: 0 + 1',
    'text | parse | time s: 0 + 50',
    'text | throws | time s: 0 + 0',
  ])
  const sort = measurements.find(({ queryName, metric }) => queryName === 'sort' && metric === 'time')!
  const { benchmarks } = JSON.parse(text) as { benchmarks: { runs: { stats: { samples: number[] } }[] }[] }
  expect(sort.new).toEqual(benchmarks[0]!.runs[0]!.stats.samples.map((value) => Number(`${value}e-9`)))
  // they are sorted
  expect(sort.taken!.new!.places).toBeUndefined()
  expect(measurements.at(-1)!.problems).toHaveLength(1)
  const short = text.replaceAll(/"samples":\[[^\]]*\],/g, '').replace('"name":null', '"name":0')
  const summaries = await readTexts({ 'new.json': short })
  const ofSort = summaries.measurements.find(({ queryName, metric }) => queryName === 'sort' && metric === 'time')!
  expect(ofSort.given!.new).toMatchObject({ kind: 'median', value: 67_230e-9 })
})
