import { expect, test } from 'vitest'
import type { Measurement } from '../../../src/intake/measurement/run.ts'
import { outputFile } from './formats/output-files.ts'
import { readTexts, row } from './read-text.ts'

const named = (measurements: readonly Measurement[], name: string, metric = 'time') =>
  measurements.find(({ queryName, metric: of }) => queryName === name && of === metric)!

/** `3, 3`: how many values each process of the old side has. */
function processSizes({ taken }: Measurement): string {
  const { processes } = taken?.old ?? {}
  if (processes === undefined) return 'each'
  return [...Map.groupBy(processes, (process) => process).values()].map((values) => values.length).join(', ')
}

test.each([
  { file: 'jmh.json', name: 'avgt (n = 10)', sizes: '3, 3', because: 'two forks of three iterations' },
  { file: 'go.txt', name: 'BenchmarkSort/n=100-2', sizes: '3', because: 'one binary, -count 3' },
])('$because', async ({ file, name, sizes }) => {
  const { measurements } = await readTexts({ [`old${file.slice(file.indexOf('.'))}`]: outputFile(file) })
  expect(processSizes(named(measurements, name))).toBe(sizes)
})

test('each run of pyperf that has values is a process', async () => {
  const { measurements } = await readTexts({ 'old.json': outputFile('pyperf-old.json') })
  const { processes } = measurements[0]!.taken!.old!
  const document = JSON.parse(outputFile('pyperf-old.json')) as {
    benchmarks: { runs: { values?: number[] }[] }[]
  }
  const runs = document.benchmarks[0]!.runs.filter(({ values = [] }) => values.length > 0)
  expect(new Set(processes).size).toBe(runs.length)
  expect(runs.length).toBeGreaterThan(1)
})

test('hyperfine starts a process for each run', async () => {
  const { measurements } = await readTexts({ 'old.json': outputFile('hyperfine.json') })
  const times = measurements.filter(({ metric, old }) => metric === 'time' && old.length > 1)
  expect(times.length).toBeGreaterThan(0)
  for (const one of times) expect(processSizes(one)).toBe('each')
})

test('seven rounds of Go in one file are seven processes, and so are seven files', async () => {
  const round = outputFile('go.txt').replaceAll(/(BenchmarkSort\/n=100-2 .*\n)(?:BenchmarkSort\/n=100-2 .*\n)+/g, '$1')
  const rounds = Array.from({ length: 7 }, () => round)
  const appended = await readTexts({ 'old.txt': rounds.join('') })
  const files = await readTexts(Object.fromEntries(rounds.map((text, at) => [`${at}-old.txt`, `${text}# ${at}\n`])))
  for (const { measurements } of [appended, files])
    expect(processSizes(named(measurements, 'BenchmarkSort/n=100-2'))).toBe('1, 1, 1, 1, 1, 1, 1')
})

test('a tool that tells each benchmark once has started anew where it tells one again', async () => {
  const output = outputFile('benchmarkjs.txt')
  const { measurements } = await readTexts({ 'old.txt': output + output })
  for (const one of measurements) expect(processSizes(one)).toBe('1, 1')
})

test('the order of measurement: all of one benchmark, or round by round, over all files', async () => {
  const lines = (...names: readonly string[]) => {
    const results = names.map((name) => `Benchmark${name}-4 \t 100\t 12.5 ns/op\n`)
    return `goos: linux\n${results.join('')}`
  }
  const placesOf = async (files: Readonly<Record<string, string>>) => {
    const { measurements } = await readTexts(files)
    return measurements.map(({ queryName, taken }) => [queryName, taken?.old?.places])
  }
  expect(await placesOf({ 'old.txt': lines('A', 'A', 'B', 'B') })).toEqual([
    ['BenchmarkA-4', [0, 1]],
    ['BenchmarkB-4', [2, 3]],
  ])
  expect(await placesOf({ '1-old.txt': lines('A', 'B'), '2-old.txt': lines('B', 'A') })).toEqual([
    ['BenchmarkA-4', [0, 3]],
    ['BenchmarkB-4', [1, 2]],
  ])
})

test("ClickHouse's servers take turns, as far as both have the same runs", async () => {
  const run = (number: number, side: number) => row('query', 0, `sum.query0.run${number}`, side, '0.01')
  const both = [0, 1, 2].flatMap((number) => [run(number, 0), run(number, 1)])
  const clockOf = async (lines: readonly string[]) => {
    const { measurements } = await readTexts({ 'sum-raw.tsv': lines.join('') })
    return measurements[0]!.clock
  }
  expect(await clockOf(both)).toBe(true)
  expect(await clockOf([...both, run(3, 0)])).toBeUndefined()
  expect(await clockOf(both.filter((_, index) => index !== 2 && index !== 3))).toBeUndefined()
})

test('the neutral format says the process and the place itself', async () => {
  const line = (side: string, process: number, place: number) =>
    `${JSON.stringify({ test: 'a', side, value: 1, process, place })}\n`
  const { measurements } = await readTexts({
    'measurements.jsonl': [line('old', 0, 0), line('new', 0, 1), line('old', 1, 2), line('new', 1, 3)].join(''),
  })
  expect(measurements[0]!.taken).toEqual({
    old: { processes: [0, 1], places: [0, 2] },
    new: { processes: [0, 1], places: [1, 3] },
  })
})
