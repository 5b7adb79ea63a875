import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { extracted } from '../extracted.ts'
import { readTexts } from '../read-text.ts'

const UNITS: Readonly<Record<string, readonly [unit: string, factor: number]>> = {
  ns: ['s', 1e-9],
  'req/s': ['1/s', 1],
}

test.each([
  ['customBiggerIsBetter', 'customBiggerIsBetter_output.json', 'higher'],
  ['customSmallerIsBetter', 'customSmallerIsBetter_output.json', 'lower'],
  ['customSmallerIsBetter', 'customSmallerIsBetter_output2.json', 'lower'],
])('github-action-benchmark extracts the same: %s, %s', async (tool, file, better) => {
  const { text, benches } = extracted(tool, file)
  const { measurements, decides } = await readTexts({ [file]: text }, { side: 'new' })
  expect(decides).toBe('value')
  expect(measurements).toHaveLength(benches.length)
  for (const { name, unit, value, range } of benches) {
    const found = measurements.find(({ queryName }) => queryName === name)!
    const [known, factor] = UNITS[unit] ?? [unit, 1]
    expect(found).toMatchObject({ test: 'github-action-benchmark', unit: known, given: { new: { kind: 'value' } } })
    expect(found.better ?? 'lower').toBe(better)
    expect(Math.abs(found.new[0]! - value * factor)).toBeLessThanOrEqual(1e-9 * value * factor)
    const half =
      range === undefined ? null : range.endsWith('%') ? (Number.parseFloat(range) / 100) * value : Number(range)
    const { upper } = found.given!.new!
    expect(upper === null ? null : upper / factor - value).toEqual(half === null ? null : expect.closeTo(half, 6))
  }
})

test('of its stored data the last two entries are the sides', async () => {
  const data = readFileSync(
    new URL('../../../data/format-github-action-benchmark/data/write/data-dir/original_data.js', import.meta.url),
    'utf8',
  )
  const stored = JSON.parse(data.replace('window.BENCHMARK_DATA = ', '')) as {
    entries: Record<string, { commit: { id: string }; benches: { value: number }[] }[]>
  }
  const entries = stored.entries['Test benchmark']!
  entries.push({
    ...entries[0]!,
    commit: { id: 'b'.repeat(40) },
    benches: [{ ...entries[0]!.benches[0]!, value: 120 }],
  })
  const { measurements } = await readTexts({ 'data.js': `window.BENCHMARK_DATA = ${JSON.stringify(stored)}` })
  expect(measurements).toHaveLength(1)
  const near = (value: number) => expect.closeTo(value, 20) as number
  expect(measurements[0]).toMatchObject({
    test: 'Test benchmark',
    queryName: 'bench_fib_10',
    unit: 's',
    old: [1e-7],
    new: [1.2e-7],
  })
  expect(measurements[0]!.given!.old).toMatchObject({ lower: near(0.8e-7), upper: near(1.2e-7), spread: near(0.2) })
})

test('Bencher Metric Format', async () => {
  const measures = (value: number) => ({
    latency: { value, lower_value: 87.42, upper_value: 88.88 },
    throughput: { value: 5 },
    misses: { value: 7.5 },
  })
  const { measurements, decides } = await readTexts({
    'bmf-old.json': JSON.stringify({ 'adapters::rust (new)': measures(88.1) }),
    'bmf-new.json': JSON.stringify({ 'adapters::rust (new)': measures(99.2) }),
  })
  expect(decides).toBe('latency')
  expect(
    measurements.map((one) => [one.test, one.queryName, one.metric, one.unit, one.better ?? 'lower', one.old, one.new]),
  ).toEqual([
    ['bencher', 'adapters::rust (new)', 'latency', 's', 'lower', [88.1e-9], [99.2e-9]],
    ['bencher', 'adapters::rust (new)', 'misses', null, 'lower', [7.5], [7.5]],
    ['bencher', 'adapters::rust (new)', 'throughput', '1/s', 'higher', [5], [5]],
  ])
  expect(measurements[0]!.given!.old).toEqual({
    kind: 'value',
    value: 88.1e-9,
    lower: 87.42e-9,
    upper: 88.88e-9,
    spread: null,
    repetitions: null,
  })
})

test('K ops/s of one side and M ops/s of the other are the same unit', async () => {
  const of = (unit: string, value: number) => JSON.stringify([{ name: 'a', unit, value }])
  const { measurements, warnings } = await readTexts({
    'old.json': of('K ops/s', 1500),
    'new.json': of('M ops/s', 1.25),
  })
  expect(measurements).toMatchObject([{ unit: '1/s', better: 'higher', old: [1_500_000], new: [1_250_000] }])
  expect(warnings).toEqual([])
})
