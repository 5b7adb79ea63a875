import { expect, test } from 'vitest'
import { classify } from '../../../../src/judge/verdict/classify.ts'
import { directionOf } from '../../../../src/judge/verdict/direction.ts'
import { DEFAULT_THRESHOLDS } from '../../../../src/judge/verdict/thresholds.ts'
import { readTexts } from '../read-text.ts'
import { actionBenchmarkFile, extracted } from './action-benchmark-snapshots.ts'
import { outline, outputFile } from './output-files.ts'

test.each(['jmh_output.json', 'jmh_output_2.json'])('what github-action-benchmark extracts of %s', async (file) => {
  const [expected] = extracted(file)
  const { measurements } = await readTexts({ 'new.json': actionBenchmarkFile(file) })
  expect(measurements).toHaveLength(1)
  const [{ test: suite, queryName, metric, unit, better, new: samples }] = measurements as [(typeof measurements)[0]]
  expect([metric, unit, better]).toEqual(['throughput', '1/s', 'higher'])
  expect(samples).toEqual([3.376842765688582e9, 3.37651988895058e9, 3.375353964729294e9])
  expect(Math.abs((samples[0]! + samples[1]! + samples[2]!) / 3 / expected!.value - 1)).toBeLessThan(1e-9)
  expect(expected!.name.startsWith(`${suite}.${queryName!.split(' ')[0]}`)).toBe(true)
  if (file === 'jmh_output_2.json') expect(queryName).toBe('wellHelloThere (paramA = 17, paramB = 33)')
})

test('iterations of all forks in all modes, and what the allocation profiler says', async () => {
  const { measurements } = await readTexts({ 'old.json': outputFile('jmh.json') })
  const shown = outline(measurements.filter(({ metric }) => ['time', 'throughput', 'bytes'].includes(metric)))
  expect(shown.filter((line) => line.includes('n = 10'))).toEqual([
    'org.sample.MyBenchmark | avgt (n = 10) | bytes bytes: 6 + 0',
    'org.sample.MyBenchmark | avgt (n = 10) | time s: 6 + 0',
    'org.sample.MyBenchmark | sample (n = 10) | bytes bytes: 6 + 0',
    'org.sample.MyBenchmark | sample (n = 10) | time s: 6 + 0',
    'org.sample.MyBenchmark | ss (n = 10) | bytes bytes: 6 + 0',
    'org.sample.MyBenchmark | ss (n = 10) | time s: 6 + 0',
    'org.sample.MyBenchmark | thrpt (n = 10) | bytes bytes: 6 + 0',
    'org.sample.MyBenchmark | thrpt (n = 10) | throughput 1/s (higher): 6 + 0',
  ])
  const valuesOf = (name: string, metric: string) =>
    measurements.find((one) => one.queryName === name && one.metric === metric)!.old
  expect(valuesOf('avgt (n = 10)', 'time').slice(0, 2)).toEqual([
    Number('1.2471759663805522e-6'),
    Number('1.2522270585263988e-6'),
  ])
  expect(valuesOf('thrpt (n = 10)', 'throughput')[0]).toBe(827755.2395035749)
  expect(new Set(measurements.map(({ metric }) => metric))).toEqual(
    new Set(['time', 'throughput', 'bytes', 'gc.alloc.rate', 'gc.count', 'gc.time']),
  )
})

const result = (score: readonly (number | string)[], more: object = {}) => ({
  benchmark: 'a.B.c',
  mode: 'thrpt',
  threads: 1,
  primaryMetric: { score: 1, scoreError: 'NaN', scoreUnit: 'ops/ms', rawData: [score] },
  secondaryMetrics: {},
  ...more,
})

test('swapping the sides swaps slower and faster', async () => {
  const slow = JSON.stringify([result([1, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06])])
  const fast = JSON.stringify([result([2, 2.01, 2.02, 2.03, 2.04, 2.05, 2.06])])
  const directionsOf = async (old: string, fresh: string) => {
    const { measurements } = await readTexts({ 'old.json': old, 'new.json': fresh })
    return classify(measurements, DEFAULT_THRESHOLDS).map(({ difference, better }) => directionOf(difference!, better))
  }
  expect(await directionsOf(slow, fast)).toEqual(['faster'])
  expect(await directionsOf(fast, slow)).toEqual(['slower'])
})

test('one benchmark in two modes of one unit, and by two numbers of threads, is told apart', async () => {
  const time = { score: 1, scoreUnit: 'ms/op', rawData: [[1, 2]] }
  const { measurements } = await readTexts({
    'new.json': JSON.stringify([
      result([], { mode: 'avgt', primaryMetric: time }),
      result([], { mode: 'ss', primaryMetric: time }),
      result([1], { threads: 4, benchmark: 'a.B.d' }),
    ]),
  })
  expect(measurements.map(({ queryName }) => queryName)).toEqual([
    'c (avgt, threads = 1)',
    'c (ss, threads = 1)',
    'd (threads = 4)',
  ])
})

test('without raw data the score is a summary; an iteration without a number is said', async () => {
  const { measurements, warnings } = await readTexts({
    'new.json': JSON.stringify([
      result([], {
        benchmark: 'a.B.d',
        primaryMetric: { score: 2, scoreError: 0.5, scoreConfidence: [1.5, 2.5], scoreUnit: 'us/op' },
      }),
      result([1, 'NaN']),
    ]),
  })
  expect(measurements.map(({ given }) => given)).toEqual([
    undefined,
    { new: { kind: 'mean', value: 2e-6, lower: 1.5e-6, upper: 2.5e-6, spread: 0.25, repetitions: null } },
  ])
  expect(warnings.map(({ message }) => message)).toEqual(['1 iterations of c have no throughput: skipped'])
})

test('percentiles are left out, by the names of JMH 1.37 and of those before it', async () => {
  const score = { score: 1, scoreUnit: 'us/op', rawData: [[1, 2, 3]] }
  const names = ['p0.50', 'sort:p0.50', 'sort\u00b7p0.00', 'sort\u00b7p0.9999', 'sort\u00b7p1.00']
  const secondaryMetrics = Object.fromEntries([...names, 'hits'].map((name) => [name, score]))
  const { measurements } = await readTexts({ 'new.json': JSON.stringify([{ ...result([1, 2]), secondaryMetrics }]) })
  expect(measurements.map(({ metric }) => metric)).toEqual(['hits', 'throughput'])
})
