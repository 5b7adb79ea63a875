import { expect, test } from 'vitest'
import { averagedMedian } from '../../../../src/intake/measurement/median.ts'
import { readTexts } from '../read-text.ts'
import { actionBenchmarkFile, extracted } from './action-benchmark-snapshots.ts'
import { outline, outputFile } from './output-files.ts'

const SHIFT: Readonly<Record<string, string>> = { ns: 'e-9', us: 'e-6', ms: 'e-3', s: '' }

test.each(['catch2_output_v2.txt', 'catch2_output_v3.txt', 'issue16_output.txt'])(
  'Catch2: what github-action-benchmark extracts of %s',
  async (file) => {
    const expected = extracted(file)
    const { measurements } = await readTexts({ 'new.txt': actionBenchmarkFile(file) })
    expect(measurements).toHaveLength(expected.length)
    for (const { name, unit, value } of expected) {
      const found = measurements.find(({ queryName }) => queryName === name)!
      expect([found.unit, found.new]).toEqual(['s', [Number(`${value}${SHIFT[unit]}`)]])
      expect(found.given!.new).toMatchObject({ kind: 'mean', repetitions: 100 })
    }
    if (file === 'catch2_output_v2.txt') {
      expect(measurements.map((one) => one.test)).toEqual([
        'Fibonacci',
        'Fibonacci',
        'More Fibonacci',
        'More Fibonacci',
      ])
      // the deviation is in a unit of its own: 362 ns of 3.789 us
      const last = measurements.find(({ queryName }) => queryName === 'Fibonacci-15_bench')!.given!.new!
      expect(last).toMatchObject({ value: 3.789e-6, lower: 3.734e-6, upper: 3.888e-6, spread: 362e-9 / 3.789e-6 })
    }
  },
)

test.each(['catch2.txt', 'catch2-no-analysis.txt', 'catch2.xml'])(
  'Catch2: sections and long names of %s',
  async (file) => {
    const text = outputFile(file)
    const { measurements } = await readTexts({ [`new/${file}`]: text })
    expect(outline(measurements)).toEqual([
      'Fibonacci | fib 10 | time s: 0 + 1',
      'Fibonacci | fib 20 | time s: 0 + 1',
      'Fibonacci / in a section | a benchmark with a name that is longer than the column it has | time s: 0 + 1',
      'Other | fib 10 | time s: 0 + 1',
    ])
    const [ten, twenty] = measurements.map(({ new: [value] }) => value)
    const expected = { 'catch2.txt': [305.307e-9, 41.6059e-6], 'catch2-no-analysis.txt': [307.35e-9, 42.5333e-6] }[file]
    expect([ten, twenty]).toEqual(expected ?? [Number('325.227e-9'), Number('36401.6e-9')])
  },
)

test('BenchmarkDotNet: the samples have the mean and the median of its own statistics', async () => {
  const expected = extracted('benchmarkdotnet.json')
  const text = actionBenchmarkFile('benchmarkdotnet.json')
  const { measurements } = await readTexts({ 'new.json': text })
  expect(measurements.map((one) => `${one.test}.${one.queryName}`)).toEqual(expected.map(({ name }) => name))
  const { Benchmarks: own } = JSON.parse(text) as { Benchmarks: { Statistics: { Median: number; N: number } }[] }
  measurements.forEach(({ new: samples, unit, metric }, index) => {
    const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length
    const { Median, N } = own[index]!.Statistics
    expect([metric, unit, samples.length]).toEqual(['time', 's', N])
    expect(Math.abs((mean * 1e9) / expected[index]!.value - 1)).toBeLessThan(1e-9)
    expect(Math.abs((averagedMedian(Float64Array.from(samples)) * 1e9) / Median - 1)).toBeLessThan(1e-9)
  })
})

test('BenchmarkDotNet: without values the results of iterations, else the mean; allocated bytes; jobs are told apart', async () => {
  const entry = (job: string, more: object) => ({
    DisplayInfo: `B.Fib: ${job}`,
    Namespace: 'N',
    Type: 'B',
    FullName: 'N.B.Fib(n: 10)',
    ...more,
  })
  const iteration = (stage: string, nanoseconds: number) => ({
    IterationMode: 'Workload',
    IterationStage: stage,
    Operations: 4,
    Nanoseconds: nanoseconds,
  })
  const { measurements } = await readTexts({
    'new.json': JSON.stringify({
      HostEnvironmentInfo: {},
      Benchmarks: [
        entry('.NET 8.0', { Measurements: [iteration('Warmup', 4), iteration('Result', 10), iteration('Result', 12)] }),
        entry('.NET 9.0', {
          Statistics: { N: 15, Mean: 20, StandardDeviation: 5, ConfidenceInterval: { Lower: 18, Upper: 22 } },
          Memory: { BytesAllocatedPerOperation: 128 },
        }),
      ],
    }),
  })
  expect(
    measurements.map(({ test: suite, queryName, metric, new: values }) => [suite, queryName, metric, values]),
  ).toEqual([
    ['N.B', 'Fib(n: 10) [.NET 8.0]', 'time', [2.5e-9, 3e-9]],
    ['N.B', 'Fib(n: 10) [.NET 9.0]', 'bytes', [128]],
    ['N.B', 'Fib(n: 10) [.NET 9.0]', 'time', [2e-8]],
  ])
  expect(measurements[2]!.given!.new).toEqual({
    kind: 'mean',
    value: 2e-8,
    lower: 1.8e-8,
    upper: 2.2e-8,
    spread: 0.25,
    repetitions: 15,
  })
})

test('BenchmarkDotNet 0.9: the processor is an object, and names are in parts', async () => {
  const entry = (parameters: string, more: object) => ({
    ShortInfo: 'IntroJsonExport_Sleep10',
    Namespace: 'BenchmarkDotNet.Samples.Intro',
    Type: 'IntroJsonExport',
    Method: 'Sleep10',
    MethodTitle: 'Sleep10',
    Parameters: parameters,
    Properties: { Mode: 'Throughput', Platform: 'Host', Jit: 'Host', Runtime: 'Host', LaunchCount: 'Auto', ...more },
    Statistics: {
      N: 20,
      Mean: 10_362_283.085796878,
      StandardDeviation: 45_702.118369205156,
      ConfidenceInterval: { Level: 6, Lower: 10_342_253.249292579, Upper: 10_382_312.922301177 },
    },
  })
  const report = {
    Title: 'IntroJsonExport',
    HostEnvironmentInfo: {
      BenchmarkDotNetCaption: 'BenchmarkDotNet-Dev.Core',
      BenchmarkDotNetVersion: '0.9.9.0',
      ProcessorName: { IsValueCreated: true, Value: 'Intel(R) Core(TM) i7-4702MQ CPU 2.20GHz' },
      ProcessorCount: 8,
    },
    Benchmarks: [entry('', {}), entry('N=1', { Jit: 'LegacyJit' }), entry('N=1', { Jit: 'RyuJit' })],
  }
  const { measurements, machine } = await readTexts({ 'new.json': JSON.stringify(report) })
  expect(machine).toBe('Intel(R) Core(TM) i7-4702MQ CPU 2.20GHz')
  expect(measurements.map(({ test: suite, queryName }) => `${suite} | ${queryName}`)).toEqual([
    'BenchmarkDotNet.Samples.Intro.IntroJsonExport | Sleep10',
    'BenchmarkDotNet.Samples.Intro.IntroJsonExport | Sleep10(N=1) [Mode=Throughput Jit=LegacyJit]',
    'BenchmarkDotNet.Samples.Intro.IntroJsonExport | Sleep10(N=1) [Mode=Throughput Jit=RyuJit]',
  ])
  expect(measurements[0]!.given!.new).toMatchObject({ kind: 'mean', value: 0.010_362_283_085_796_878, repetitions: 20 })
})

test('iai: counts, of which instructions decide', async () => {
  const text = outputFile('iai.txt')
  const { measurements, decides } = await readTexts({ 'old.txt': text, 'new.txt': text.replaceAll('219940', '219941') })
  expect(decides).toBe('instructions')
  expect(outline(measurements.filter(({ metric }) => metric !== 'L2 Accesses'))).toEqual([
    'iai | fib_long | Estimated Cycles 1: 1 + 1',
    'iai | fib_long | L1 Accesses 1: 1 + 1',
    'iai | fib_long | RAM Accesses 1: 1 + 1',
    'iai | fib_long | instructions 1: 1 + 1',
    'iai | fib_short | Estimated Cycles 1: 1 + 1',
    'iai | fib_short | L1 Accesses 1: 1 + 1',
    'iai | fib_short | RAM Accesses 1: 1 + 1',
    'iai | fib_short | instructions 1: 1 + 1',
  ])
  expect(
    measurements.find(({ queryName, metric }) => queryName === 'fib_long' && metric === 'instructions'),
  ).toMatchObject({
    old: [219940],
    new: [219941],
  })
})

test('iai-callgrind: both runs of its output', async () => {
  const { measurements } = await readTexts({ 'iai.txt': outputFile('iai-callgrind.txt') })
  const instructions = measurements.filter(({ metric }) => metric === 'instructions')
  expect(instructions.map((one) => [one.test, one.queryName, one.old, one.new])).toEqual([
    ['callgrind::fibs', 'bench_fib long:20', [219911], [219911]],
    ['callgrind::fibs', 'bench_fib short:10', [1792], [1792]],
    ['callgrind::fibs', 'bench_sum', [3874], [3874]],
  ])
})

test('iai-callgrind: the run before stands in the same file; in a file of one side it does not count', async () => {
  const text = [
    'crates::fibs::bench_fib short:10',
    '  Instructions:                        1734|1700                 (+2.00000%) [+1.02000x]',
    '  L1 Hits:                             2359|N/A                  (*********)',
    '  LL Hit Rate:                       0.5000|0.2500               (+100.000%)',
    '  Comparison with crates::fibs::other',
    'crates::fibs::bench_fib',
    '  Instructions:                       1,000|N/A                  (*********)',
    '',
  ].join('\n')
  const both = await readTexts({ 'iai.txt': text })
  expect(
    both.measurements.map(({ queryName, metric, old, new: fresh, better = 'lower' }) => [
      queryName,
      metric,
      better,
      old,
      fresh,
    ]),
  ).toEqual([
    ['bench_fib', 'instructions', 'lower', [], [1000]],
    ['bench_fib short:10', 'L1 Hits', 'lower', [], [2359]],
    ['bench_fib short:10', 'LL Hit Rate', 'higher', [0.25], [0.5]],
    ['bench_fib short:10', 'instructions', 'lower', [1700], [1734]],
  ])
  expect(both.measurements.every((one) => one.test === 'crates::fibs')).toBe(true)
  const one = await readTexts({ 'old/iai.txt': text })
  expect(one.measurements.flatMap(({ old, new: fresh }) => [old.length, fresh.length])).toEqual([
    1, 0, 1, 0, 1, 0, 1, 0,
  ])
})

test('Ruby: the time on the clock decides; a rehearsal is left out', async () => {
  const { measurements, decides } = await readTexts({ 'old.txt': outputFile('ruby.txt') })
  expect(decides).toBe('time')
  const times = measurements.filter(({ metric }) => metric === 'time')
  expect(times.map(({ queryName, old }) => [queryName, old])).toEqual([
    ['>avg:', [0.008958]],
    ['>total:', [0.017916]],
    ['a label with words', [0.0003]],
    ['fib(18)', [0.000216]],
    ['fib(20)', [0.000548]],
    ['fib(20):', [0.005778]],
    ['for:', [0.017717]],
    ['measure', [0.000597]],
    ['times:', [0.000198]],
  ])
  const ips =
    'Calculating -------------------------------------\n             fib(10)    112.345k (± 1.2%) i/s    (8.90 μs/i) -    565.300k in   5.034s\n'
  const { measurements: rates } = await readTexts({ 'new.txt': ips })
  expect(rates).toMatchObject([
    {
      queryName: 'fib(10)',
      metric: 'throughput',
      unit: '1/s',
      better: 'higher',
      new: [112345],
      given: { new: { spread: 0.012 } },
    },
  ])
})

test('Dart: the mean in microseconds, to its last digit; other figures under their names', async () => {
  const text = 'Template(RunTime): 0.1568472448997197 us.\nJson decode(RunTime): 12.5 us.\nApp(CodeSize): 1024 Bytes.\n'
  const { measurements } = await readTexts({ 'new.txt': text })
  expect(measurements.map(({ queryName, metric, unit, new: values }) => [queryName, metric, unit, values])).toEqual([
    ['App', 'CodeSize', 'bytes', [1024]],
    ['Json decode', 'time', 's', [0.0000125]],
    ['Template', 'time', 's', [Number('0.1568472448997197e-6')]],
  ])
})

test('BenchmarkTools: groups in each other, trials and estimates', async () => {
  const { measurements } = await readTexts({ 'new.json': outputFile('benchmarktools-by-hand.json') })
  expect(outline(measurements)).toEqual([
    'benchmarktools | sin | allocations 1: 0 + 1',
    'benchmarktools | sin | bytes bytes: 0 + 1',
    'benchmarktools | sin | time s: 0 + 2',
    'utf8 | ("replace", 10) | allocations 1: 0 + 1',
    'utf8 | ("replace", 10) | bytes bytes: 0 + 1',
    'utf8 | ("replace", 10) | time s: 0 + 1',
    'utf8 | join | allocations 1: 0 + 1',
    'utf8 | join | bytes bytes: 0 + 1',
    'utf8 | join | time s: 0 + 4',
  ])
  expect(measurements.at(-1)!.new).toEqual(
    [133_234e-9, 133_600.5e-9, 134_002e-9, 180_433.25e-9].map((value) => Number(value.toPrecision(15))),
  )
  expect(measurements[5]!.given!.new).toMatchObject({ kind: 'value', value: 8.825e-8 })
  expect(measurements[2]!.taken!.new).toEqual({ processes: [0, 0] })
  expect(measurements.filter(({ notes }) => notes?.includes('counted')).map(({ new: [value] }) => value)).toEqual([
    0, 0, 2, 96, 17, 1_234_567,
  ])
})

test('PHPBench: iterations by their sets of parameters', async () => {
  const text = outputFile('phpbench-by-hand.xml')
  const { measurements } = await readTexts({ 'new.xml': text })
  const of = 'App\\Tests\\HashBench'
  expect(outline(measurements)).toEqual([
    `${of} | benchHash # 0 | time s: 0 + 0`,
    `${of} | benchHash # sha256 & long | bytes bytes: 0 + 1`,
    `${of} | benchHash # sha256 & long | time s: 0 + 1`,
    `${of} | benchMd5 | bytes bytes: 0 + 2`,
    `${of} | benchMd5 | time s: 0 + 2`,
  ])
  const [failed, , one, , two] = measurements
  expect([failed!.problems.length, one!.new, two!.new]).toEqual([1, [0.000_002_5], [0.000_000_804, 0.000_000_862]])
  await expect(readTexts({ 'new.xml': text.slice(0, -300) })).rejects.toThrow('this is not XML')
  // each iteration has a process of its own, unless the executor is the local one
  expect(two!.taken!.new!.processes).toEqual([0, 1])
  const local = await readTexts({ 'new.xml': text.replace('<executor name="remote">', '<executor name="local">') })
  expect(local.measurements.at(-1)!.taken!.new!.processes).toEqual([0, 0])
  const deep = text.replace('<env>', `${'<a>'.repeat(99)}${'</a>'.repeat(99)}<env>`)
  await expect(readTexts({ 'new.xml': deep })).rejects.toThrow('64 nested elements')
})
