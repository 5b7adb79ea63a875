import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { extracted } from '../extracted.ts'
import { readTexts } from '../read-text.ts'
import { outline, outputFile } from './output-files.ts'

const FOLDER = new URL('../../../data/verdicts-google-benchmark/', import.meta.url)
const input = (name: string) => readFileSync(new URL(`Inputs/${name}`, FOLDER), 'utf8')

interface Report {
  readonly name: string
  readonly time_unit: string
  readonly measurements: readonly Readonly<Record<string, number>>[]
}
const REPORTS = JSON.parse(readFileSync(new URL('expected_difference_reports.json', FOLDER), 'utf8')) as Readonly<
  Record<string, readonly Report[]>
>
const SECONDS: Readonly<Record<string, number>> = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1 }

function near(value: number | undefined, expected: number): void {
  expect(value).toBeDefined()
  expect(Math.abs(value! - expected)).toBeLessThanOrEqual(1e-9 * Math.abs(expected))
}

test.each([
  ['test1_run1_vs_run2', 'test1_run1.json', 'test1_run2.json', 13],
  ['test3_run0_vs_run1_utest', 'test3_run0.json', 'test3_run1.json', 4],
  ['test4_run0_vs_run1_percent_aggregates', 'test4_run0.json', 'test4_run1.json', 1],
  ['test5_run0_vs_run1_utest', 'test5_run0.json', 'test5_run1.json', 1],
])('the differences that compare.py reports: %s', async (key, old, fresh, count) => {
  const { measurements } = await readTexts({ 'a-old.json': input(old), 'a-new.json': input(fresh) })
  let reports = 0
  for (const { name, measurements: rows } of REPORTS[key]!) {
    for (const [metric, of] of [
      ['time', 'real_time'],
      ['cpu_time', 'cpu_time'],
    ] as const) {
      const found = measurements.find((one) => one.queryName === name && one.metric === metric)
      if (name === 'OVERALL_GEOMEAN') continue
      const factor = found!.unit === 's' ? SECONDS[REPORTS[key]!.find((one) => one.name === name)!.time_unit]! : 1
      for (const [index, row] of rows.entries()) {
        near(found!.old[index]! / factor, row[of]!)
        near((found!.new[index]! - found!.old[index]!) / found!.old[index]!, row[of === 'real_time' ? 'time' : 'cpu']!)
      }
      reports += metric === 'time' ? 1 : 0
    }
  }
  expect(reports).toBe(count)
})

test.each(Object.keys(REPORTS))('what compare.py dumps has both sides: %s', async (key) => {
  const { measurements } = await readTexts({ 'compare.json': JSON.stringify(REPORTS[key]) })
  for (const { name, time_unit: unit, measurements: rows } of REPORTS[key]!) {
    if (name === 'OVERALL_GEOMEAN') continue
    const time = measurements.find((one) => one.queryName === name && one.metric === 'time')!
    const cpu = measurements.find((one) => one.queryName === name && one.metric === 'cpu_time')!
    for (const [index, row] of rows.entries()) {
      near(time.old[index]! / SECONDS[unit]!, row['real_time']!)
      near(time.new[index]! / SECONDS[unit]!, row['real_time_other']!)
      near(cpu.old[index]! / SECONDS[unit]!, row['cpu_time']!)
      near(cpu.new[index]! / SECONDS[unit]!, row['cpu_time_other']!)
    }
  }
})

test('github-action-benchmark extracts the same', async () => {
  const { text, benches } = extracted('googlecpp', 'googlecpp_output.json')
  const { measurements } = await readTexts({ 'new.json': text })
  expect(benches).toHaveLength(2)
  for (const { name, value, extra } of benches) {
    const of = (metric: string) => measurements.find((one) => one.queryName === name && one.metric === metric)!
    expect(of('time')).toMatchObject({ test: 'a.out', unit: 's' })
    near(of('time').new[0], value * 1e-9)
    near(of('cpu_time').new[0], Number(/cpu: (\S+) ns/.exec(extra!)![1]) * 1e-9)
  }
})

const row = (name: string, more: object) => ({
  name,
  run_name: 'BM_x',
  run_type: 'iteration',
  real_time: 1.5,
  cpu_time: 2,
  time_unit: 'us',
  ...more,
})
const AGGREGATES = [
  row('BM_x_mean', { run_type: 'aggregate', aggregate_name: 'mean' }),
  row('BM_x_median', { run_type: 'aggregate', aggregate_name: 'median', real_time: 1.25 }),
  row('BM_x_stddev', { run_type: 'aggregate', aggregate_name: 'stddev', real_time: 0.5 }),
  {
    name: 'BM_x_BigO',
    run_name: 'BM_x',
    run_type: 'aggregate',
    aggregate_name: 'BigO',
    cpu_coefficient: 1,
    big_o: 'N',
  },
]

test('repetitions are samples, and aggregates alone a summary', async () => {
  const document = (benchmarks: object[]) => JSON.stringify({ context: { executable: 'C:\\b\\sort.exe' }, benchmarks })
  const both = [row('BM_x', {}), row('BM_x', { real_time: 0.12345678901234568, items_per_second: 3e6 }), ...AGGREGATES]
  const { measurements } = await readTexts({ 'new/a.json': document(both), 'old/a.json': document(AGGREGATES) })
  expect(
    measurements.map((one) => [one.test, one.queryName, one.metric, one.unit, one.better ?? 'lower', one.old, one.new]),
  ).toEqual([
    ['sort.exe', 'BM_x', 'cpu_time', 's', 'lower', [2e-6], [2e-6, 2e-6]],
    ['sort.exe', 'BM_x', 'items_per_second', '1/s', 'higher', [], [3e6]],
    ['sort.exe', 'BM_x', 'time', 's', 'lower', [1.25e-6], [1.5e-6, 0.12345678901234568e-6]],
  ])
  const [, , time] = measurements
  expect(time!.given).toEqual({
    old: {
      kind: 'median',
      value: 1.25e-6,
      lower: null,
      upper: null,
      spread: expect.closeTo(0.4, 12) as number,
      repetitions: null,
    },
  })
})

test('the table that it prints', async () => {
  const table = (time: number) => `2026-01-01T00:00:00+00:00
Running ./sort
Run on (4 X 2700 MHz CPU s)
----------------------------------------------------------
Benchmark                Time             CPU   Iterations
----------------------------------------------------------
\u001b[32mBM_sort/8/repeats:2 \u001b[33m     ${time} us       ${time}.5 us   \u001b[36m    100 items_per_second=3M/s\u001b[m
BM_sort/8/repeats:2      ${time + 1} us       ${time}.5 us       100
BM_sort/8/repeats:2_mean ${time} us       ${time}.5 us         2
BM_arithmetic_mean       7.25e+03 ns      7 ns       100
BM_bad                   ERROR OCCURRED: 'no file'
`
  const { measurements } = await readTexts({ 'sort-old.txt': table(4), 'sort-new.txt': table(8) })
  expect(measurements.map((one) => [one.queryName, one.metric, one.old, one.new, one.problems.length])).toEqual([
    ['BM_arithmetic_mean', 'cpu_time', [7e-9], [7e-9], 0],
    ['BM_arithmetic_mean', 'time', [7.25e-6], [7.25e-6], 0],
    ['BM_bad', 'time', [], [], 2],
    ['BM_sort/8/repeats:2', 'cpu_time', [4.5e-6, 4.5e-6], [8.5e-6, 8.5e-6], 0],
    ['BM_sort/8/repeats:2', 'time', [4e-6, 5e-6], [8e-6, 9e-6], 0],
  ])
})

test('counters of the user: rates by their names are better when they are higher', async () => {
  const { measurements } = await readTexts({ 'new.json': outputFile('google-benchmark-counters.json') })
  const of = measurements.filter(({ queryName }) => queryName === 'BM_sum/64')
  expect(outline(of)).toEqual([
    'gb | BM_sum/64 | Size null: 0 + 3',
    'gb | BM_sum/64 | bytes_per_second bytes/s (higher): 0 + 3',
    'gb | BM_sum/64 | cpu_time s: 0 + 3',
    'gb | BM_sum/64 | frames null (nobody knows): 0 + 3',
    'gb | BM_sum/64 | items_per_second 1/s (higher): 0 + 3',
    'gb | BM_sum/64 | lines_per_second 1/s (higher): 0 + 3',
    'gb | BM_sum/64 | per_sum null (nobody knows): 0 + 3',
    'gb | BM_sum/64 | time s: 0 + 3',
  ])
  expect(of[0]!.new).toEqual([64, 64, 64])
  expect(of[5]!.new[0]).toBe(131_088_676.666_922_5)
})
