import { expect, test } from 'vitest'
import { averagedMedian } from '../../../../src/intake/measurement/median.ts'
import { codes, readTexts } from '../read-text.ts'
import { filesOf, outline, outputFile } from './output-files.ts'

interface Estimate {
  readonly point_estimate: number
  readonly confidence_interval: { readonly lower_bound: number; readonly upper_bound: number }
}
type Estimates = Readonly<Record<string, Estimate>>

const NANO = 1e-9

test('criterion’s own estimates follow from the samples that were read', async () => {
  const files = filesOf('verdicts-criterion')
  const { measurements, warnings, decides } = await readTexts(files)
  expect(decides).toBe('time')
  expect(outline(measurements)).toEqual([
    'Fibonacci | Fibonacci/Iterative | time s: 0 + 100',
    'Fibonacci | Fibonacci/Recursive | time s: 0 + 100',
    'Fibonacci2 | Fibonacci2/Iterative/20 | time s: 0 + 100',
    'Fibonacci2 | Fibonacci2/Iterative/21 | time s: 0 + 100',
    'Fibonacci2 | Fibonacci2/Recursive/20 | time s: 0 + 100',
    'Fibonacci2 | Fibonacci2/Recursive/21 | time s: 0 + 100',
  ])
  for (const { queryName, new: samples } of measurements) {
    const { Mean, Median, StdDev, Slope } = JSON.parse(files[`${queryName}/new/estimates.json`]!) as Estimates
    const [iters, times] = JSON.parse(files[`${queryName}/new/sample.json`]!) as [number[], number[]]
    const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length
    const middle = averagedMedian(Float64Array.from(samples))
    const variance = samples.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (samples.length - 1)
    const products = samples.reduce((sum, value, index) => sum + value * iters[index]! ** 2, 0)
    const slope = products / iters.reduce((sum, count) => sum + count ** 2, 0)
    const equal = (value: number, expected: number) =>
      expect(Math.abs(value / (expected * NANO) - 1)).toBeLessThan(1e-9)
    equal(mean, Mean!.point_estimate)
    equal(middle, Median!.point_estimate)
    equal(Math.sqrt(variance), StdDev!.point_estimate)
    equal(slope, Slope!.point_estimate)
    equal(samples[0]!, times[0]! / iters[0]!)
  }
  // after a run without a saved baseline criterion leaves a copy of it
  expect(warnings.map(({ message }) => message)).toEqual([
    'base/ is a copy of new/ in 6 benchmarks, which criterion leaves after each run, so it isn’t an old side (keep one with --save-baseline)',
  ])
})

test('two folders of criterion are the sides; the files have one name each and are no copies', async () => {
  const { measurements, warnings } = await readTexts(filesOf('format-outputs/criterion'))
  expect(warnings).toEqual([])
  expect(outline(measurements)).toEqual([
    'fib 20 | fib 20 | time s: 20 + 20',
    'sum/values | sum/values/1000 | time s: 20 + 20',
    'sum/values | sum/values/fib/25 | time s: 10 + 10',
  ])
  expect(measurements[0]!.old.slice(0, 2)).toEqual([0.00003186156578947368, 0.00003412884868421053])
})

const identity = (id: string) => JSON.stringify({ group_id: id.split('/')[0], full_id: id, function_id: null })
const sample = (...times: readonly number[]) =>
  JSON.stringify({ sampling_mode: 'Flat', iters: times.map(() => 10), times })

test('the saved baseline is the old side, else base; one that is a copy is none', async () => {
  const { measurements, warnings } = await readTexts({
    'a/new/benchmark.json': identity('a'),
    'a/new/sample.json': sample(30, 31),
    'a/base/sample.json': sample(10, 11),
    'b/x/base/sample.json': sample(7, 8),
    'b/x/main/sample.json': sample(10, 12),
    'b/x/new/sample.json': sample(30, 31),
    'b/x/pr/sample.json': sample(30, 31),
    'b/x/change/estimates.json': JSON.stringify({ mean: { confidence_interval: {}, point_estimate: 2 } }),
    'c/one/sample.json': sample(1),
    'c/two/sample.json': sample(2),
    'c/new/sample.json': sample(3),
  })
  expect(measurements.map(({ queryName, old, new: fresh }) => [queryName, old, fresh])).toEqual([
    ['a', [1e-9, 1.1e-9], [3e-9, 3.1e-9]],
    ['b/x', [1e-9, 1.2e-9], [3e-9, 3.1e-9]],
    ['c', [], [3e-10]],
  ])
  expect(warnings.map(({ message }) => message)).toEqual([
    'c has one/, two/, and nothing says which one is the old side: skipped',
  ])
})

test('what was measured twice is there once, and another run of it repeats it', async () => {
  const { measurements } = await readTexts({
    'old/run-1/a/new/sample.json': sample(10, 11),
    'old/copy.zip/run-1/a/new/sample.json': sample(10, 11),
    'old/run-1/a/new/benchmark.json': identity('a'),
    'old/copy.zip/run-1/a/new/benchmark.json': identity('a'),
    'old/run-2/a/new/benchmark.json': identity('a'),
    'old/run-2/a/new/sample.json': sample(12, 13),
    'head/criterion/a/base/sample.json': sample(1, 2),
    'head/criterion/a/new/sample.json': sample(14),
  })
  expect(measurements.map(({ test, old, new: fresh }) => [test, old, fresh])).toEqual([
    ['a', [1e-9, 1.1e-9, 1.2e-9, 1.3e-9], [1.4e-9]],
  ])
})

test('estimates without samples are a summary', async () => {
  const { 'new/fib 20/new/estimates.json': text } = filesOf('format-outputs/criterion')
  const { slope, std_dev: deviation } = JSON.parse(text!) as Estimates
  const { measurements } = await readTexts({ 'fib 20/new/estimates.json': text! })
  const { lower_bound: lower, upper_bound: upper } = slope!.confidence_interval
  expect(measurements[0]!.given).toEqual({
    new: {
      kind: 'mean',
      value: Number(`${slope!.point_estimate}e-9`),
      lower: Number(`${lower}e-9`),
      upper: Number(`${upper}e-9`),
      spread: deviation!.point_estimate / slope!.point_estimate,
      repetitions: null,
    },
  })
})

test('the text has a mean and its bounds, long names on a line of their own', async () => {
  const { measurements } = await readTexts({
    'old.txt': outputFile('criterion-old.txt'),
    'new.txt': outputFile('criterion-new.txt').replaceAll(
      /^(sum\/values\/1000) +(?=time)/gm,
      '$1\n                        ',
    ),
  })
  expect(outline(measurements)).toEqual([
    'fib 20 | fib 20 | time s: 1 + 1',
    'sum | sum/values/1000 | time s: 1 + 1',
    'sum | sum/values/10000 | time s: 1 + 1',
    'sum | sum/values/fib/25 | time s: 1 + 1',
  ])
  expect(measurements[0]!.given!.old).toMatchObject({
    kind: 'mean',
    value: 31.529e-6,
    lower: 31.218e-6,
    upper: 31.782e-6,
  })
  const verbose = await readTexts({ 'new.log': outputFile('criterion-verbose.txt').replaceAll('\n', '\r\n') })
  expect(verbose.measurements.map(({ queryName, new: [value] }) => [queryName, value])).toEqual([['fib 20', 168.02e-6]])
})

test('the messages of cargo criterion have samples', async () => {
  const message = {
    reason: 'benchmark-complete',
    id: 'sum/10',
    iteration_count: [10, 20],
    measured_values: [100, 220],
    unit: 'ns',
  }
  const { measurements } = await readTexts({ 'new.json': `${JSON.stringify(message)}\n{"reason":"group-complete"}\n` })
  expect(measurements.map(({ test, queryName, new: samples }) => [test, queryName, samples])).toEqual([
    ['sum', 'sum/10', [1e-8, 1.1e-8]],
  ])
})

test('what is no file of criterion says so in one line', async () => {
  const refused = (text: string) =>
    readTexts({ 'a/new/sample.json': text }).then(
      (run) => run,
      (error: Error) => error.message,
    )
  expect(await refused('{"sampling_mode":"Flat","iters":[1,2],"times":[1]}')).toContain('as many iterations as times')
  expect(await refused('{"sampling_mode":"Flat","iters":[1,"x"],"times":[1,2]}')).toContain('no iterations and times')
  expect(await refused('{"sampling_mode":"Flat","iters":[1,2],"ti')).toContain('not JSON')
  const cut = outputFile('criterion-old.txt').slice(0, 60)
  await expect(readTexts({ 'new.txt': cut })).rejects.toThrow('no measurements')
  const nothing = await readTexts({ 'a/new/benchmark.json': identity('a') })
  expect(codes(nothing)).toEqual(['unreadable-member a/new/benchmark.json'])
})
