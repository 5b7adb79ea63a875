import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Measurement } from '../../../../src/intake/measurement/run.ts'
import { classify } from '../../../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../../../src/judge/verdict/thresholds.ts'
import { computed } from '../../../computing-time.ts'
import { extracted } from '../extracted.ts'
import { readTexts } from '../read-text.ts'

const benchstat = (name: string) =>
  readFileSync(new URL(`../../../data/verdicts-benchstat/${name}`, import.meta.url), 'utf8')

/** As benchstat takes it: of an even count the mean of the middle two. */
function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2
}

const PREFIXES: Readonly<Record<string, number>> = {
  n: 1e-9,
  µ: 1e-6,
  m: 1e-3,
  '': 1,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
}
const METRICS: Readonly<Record<string, string>> = { 'sec/op': 'time', 'B/s': 'throughput' }

interface Golden {
  readonly metric: string
  readonly name: string
  /** As printed, with what the last digit of it is worth. */
  readonly values: readonly { readonly value: number; readonly digit: number }[]
  /** Of a table with one column the side that it is of. */
  readonly only: 'old' | 'new' | null
  /** Percent; null: `~`. */
  readonly delta: number | null
}

/** The tables that benchstat prints. */
function goldenRows(text: string): readonly Golden[] {
  let metric = ''
  let only: Golden['only'] = null
  return text.split('\n').flatMap((line): Golden[] => {
    const unit = /^ .*│\s+([a-zA-Z/-]+)\s+│/.exec(line)?.[1]
    if (unit !== undefined && line.includes('│') && !/before|after|\.txt/.test(line)) metric = METRICS[unit] ?? unit
    const [, file, second] = /│\s+(?:\S+-)?(\w+)(?:\.txt)?\s+│(?:\s+(\S+)\s+│)?$/.exec(line) ?? []
    if (file === 'old' || file === 'new') only = second === undefined ? file : null
    const [, name, rest] = /^(\S+)\s+(\S.* ± .*)$/.exec(line) ?? []
    if (name === undefined || rest === undefined) return []
    const values = [...rest.matchAll(/(?<!\S)([\d.]+)(n|µ|m|Ki|Mi|Gi|) ± /g)].map(([, digits, prefix]) => ({
      value: Number(digits) * PREFIXES[prefix!]!,
      digit: 10 ** -(digits!.split('.')[1]?.length ?? 0) * PREFIXES[prefix!]!,
    }))
    const delta = /([+-][\d.]+)% \(/.exec(rest)?.[1]
    return [{ metric, name, values, only, delta: delta === undefined ? null : Number(delta) }]
  })
}

const named = (measurements: readonly Measurement[], { name, metric }: Pick<Golden, 'name' | 'metric'>) => {
  return measurements.find((one) => one.queryName === `Benchmark${name}` && one.metric === metric)!
}

test('what benchstat assumes to be exact is compared exactly, once is enough, and what varies all the same is not', async () => {
  const texts = { 'units.txt': benchstat('units.txt'), 'zero.txt': benchstat('zero.txt') }
  const { measurements } = await readTexts(texts)
  const rows = classify(measurements, DEFAULT_THRESHOLDS)
  const of = (name: string, metric: string) =>
    rows.find((row) => row.queryName === `Benchmark${name}` && row.metric === metric)!
  const size = of('Size', 'text-bytes')
  expect(size).toMatchObject({
    status: 'compared',
    outcome: 'changed',
    direction: 'slower',
    pValue: null,
    threshold: 0,
  })
  expect(size.difference).toBeCloseTo(0.05, 15)
  expect(of('Imperceptible', 'a-bytes')).toMatchObject({ difference: 0, outcome: 'not-significant' })
  expect(of('Imperceptible', 'b-bytes')).toMatchObject({ direction: 'slower', outcome: 'too-small' })
  expect(of('Imperceptible', 'c-bytes')).toMatchObject({ direction: 'faster', outcome: 'too-small' })
  expect(of('ZeroOverZero', 'x')).toMatchObject({ difference: 0, outcome: 'not-significant' })
  // benchstat prints ? there
  expect(of('NonZeroOverZero', 'y')).toMatchObject({ status: 'failed', statusReason: 'zero-old' })
  expect(of('NonExact', 'text-bytes')).toMatchObject({
    difference: 0,
    pValue: 1,
    notes: ['too-few-repetitions', 'one-process', 'counted'],
  })
})

test('allocations are counted: one run of each side decides, where the times do not', async () => {
  const line = (ns: number, allocs: number) => `BenchmarkX-8 100 ${ns} ns/op ${allocs} allocs/op\n`
  const rows = async (old: string, fresh: string) =>
    classify((await readTexts({ 'old.txt': old, 'new.txt': fresh })).measurements, DEFAULT_THRESHOLDS)
      .map(({ metric, status, outcome, notes }) => [metric, status, outcome, notes])
      .toSorted((a, b) => String(a).localeCompare(String(b)))
  expect(await rows(line(10, 12), line(20, 13))).toEqual([
    ['allocations', 'compared', 'changed', ['counted']],
    ['time', 'measured-once', null, []],
  ])
  const few = await rows(line(10, 12) + line(10, 12), line(20, 13) + line(20, 14))
  expect(few).toEqual([
    ['allocations', 'compared', 'unstable', ['too-few-repetitions', 'one-process', 'counted']],
    ['time', 'compared', 'unstable', ['too-few-repetitions', 'one-process']],
  ])
})

describe('what benchstat asserts', () => {
  test.each([
    ['crcOldNew.stdout', { 'crc-old.txt': 'crc-old.txt', 'crc-new.txt': 'crc-new.txt' }, 144],
    ['issue19565.stdout', { 'issue19565.txt': 'issue19565.txt' }, 4],
    ['issue19634.stdout', { 'issue19634.txt': 'issue19634.txt' }, 2],
    ['smallSample.stdout', { 'smallSample.txt': 'smallSample.txt' }, 2],
    ['units.stdout', { 'units.txt': 'units.txt' }, 4],
    ['zero.stdout', { 'zero.txt': 'zero.txt' }, 20],
  ])('%s: medians and deltas', async (golden, files, count) => {
    const texts = Object.fromEntries(Object.entries(files).map(([name, file]) => [name, benchstat(file)]))
    const { measurements } = await readTexts(texts)
    let values = 0
    for (const row of goldenRows(benchstat(golden))) {
      const measured = named(measurements, row)
      const samples = row.only === null ? [measured.old, measured.new] : [measured[row.only]]
      const medians = samples.filter((values) => values.length > 0).map(middle)
      expect(row.values, row.name).toHaveLength(medians.length)
      values += medians.length
      for (const [index, { value, digit }] of row.values.entries()) {
        expect(Math.abs(medians[index]! - value), `${row.metric} of ${row.name}`).toBeLessThanOrEqual(digit * 0.5001)
      }
      if (row.delta === null || medians.length < 2) continue
      const delta = (medians[1]! / medians[0]! - 1) * 100
      expect(Math.abs((Number.isNaN(delta) ? 0 : delta) - row.delta)).toBeLessThanOrEqual(0.005_001)
    }
    expect(values).toBe(count)
  })

  test('csvOldNew.stdout: to the last digit', async () => {
    const { measurements } = await readTexts({ 'old.txt': benchstat('old.txt'), 'new.txt': benchstat('new.txt') })
    const rows = benchstat('csvOldNew.stdout')
      .split('\n')
      .filter((line) => line.startsWith('Encode/'))
    expect(rows).toHaveLength(2)
    for (const row of rows) {
      const [name, old, , fresh] = row.split(',')
      const measured = named(measurements, { name: name!, metric: 'time' })
      expect(middle(measured.old)).toBeCloseTo(Number(old), 20)
      expect(middle(measured.new)).toBeCloseTo(Number(fresh), 20)
    }
  })
})

test.each([
  'go_output.txt',
  'go_fiber_output.txt',
  'go_fiber_duplicate_names_output.txt',
  'go_single_package_output.txt',
])('github-action-benchmark extracts the same of %s', async (file) => {
  const { text, benches } = extracted('go', file)
  const { measurements } = await readTexts({ 'new.txt': text })
  const shifts: Readonly<Record<string, readonly [metric: string, factor: number]>> = {
    'ns/op': ['time', 1e-9],
    'MB/s': ['throughput', 1e6],
    'B/op': ['bytes', 1],
    'allocs/op': ['allocations', 1],
  }
  for (const { name, unit, value, extra } of benches) {
    const procs = /(\d+) procs/.exec(extra ?? '')?.[1]
    const [, plain, pkg, own] = /^(.*?)(?: \((\S+)\))?(?: - (\S+))?$/.exec(name)!
    const [metric, factor] = shifts[own ?? unit.split('\t')[0]!.trim()] ?? [own!, 1]
    const full = procs === undefined ? plain : `${plain}-${procs}`
    const [found, ...others] = measurements.filter(
      (one) => one.queryName === full && one.metric === metric && (pkg === undefined || one.test === pkg),
    )
    expect(others).toEqual([])
    expect(found!.new).toHaveLength(1)
    expect(Math.abs(found!.new[0]! - value * factor)).toBeLessThanOrEqual(1e-9 * value * factor)
  }
  expect(benches.length).toBeGreaterThan(1)
})

const OUTPUT = `goos: linux
goarch: amd64
pkg: example.com/sort
cpu: AMD EPYC 7763 64-Core Processor
BenchmarkSort/n=1000-8   	   10000	    104.5 ns/op	 154.4 MB/s	      16 B/op	       2 allocs/op	       0.25 misses/op
BenchmarkSort/n=1000-8   	   10000	    1.10e+02 ns/op
BenchmarkLoud-8 starting up
  warming the cache
    5000	    20.5 ns/op
PASS
ok  	example.com/sort	1.234s
`

test('every unit, several -count, the package, the CPU and what a benchmark prints', async () => {
  const { measurements, decides, machine } = await readTexts({ 'new.txt': OUTPUT.replaceAll('\n', '\r\n') })
  const shown = measurements.map((one) => [
    one.test,
    one.queryName,
    one.metric,
    one.unit,
    one.better ?? 'lower',
    one.new,
  ])
  const sort = ['example.com/sort', 'BenchmarkSort/n=1000-8']
  expect(shown).toEqual([
    ['example.com/sort', 'BenchmarkLoud-8', 'time', 's', 'lower', [20.5e-9]],
    [...sort, 'allocations', '1', 'lower', [2]],
    [...sort, 'bytes', 'bytes', 'lower', [16]],
    [...sort, 'misses/op', 'misses/op', 'lower', [0.25]],
    [...sort, 'throughput', 'bytes/s', 'higher', [154.4e6]],
    [...sort, 'time', 's', 'lower', [104.5e-9, 110e-9]],
  ])
  expect({ decides, machine }).toEqual({ decides: 'time', machine: 'AMD EPYC 7763 64-Core Processor' })
})

test('a unit line says what is better, and a configuration line which side', async () => {
  const lines = (side: string, value: number) => `toolchain: ${side}\nBenchmarkHit 1 ${value} hits\n`
  const text = `Unit hits better=higher\n${lines('before', 1)}${lines('after', 2)}${lines('before', 1)}${lines('after', 2)}`
  const [hits, ...others] = (await readTexts({ 'hits.txt': text })).measurements
  expect(others).toEqual([])
  expect(hits).toMatchObject({ test: 'go', metric: 'hits', better: 'higher', old: [1, 1], new: [2, 2] })
})

test('the events of go test -json are the text of each package', async () => {
  const event = (name: string, output: string) =>
    `${JSON.stringify({ Time: '2026-01-01', Action: 'output', Package: name, Output: output })}\n`
  const text = [
    `${JSON.stringify({ Time: '2026-01-01', Action: 'start', Package: 'a' })}\n`,
    event('a', 'BenchmarkX-4 \t'),
    event('b', 'BenchmarkX-4 \t'),
    event('a', ' 100\t 5 ns/op\n'),
    event('b', ' 100\t 7 ns/op\n'),
  ].join('')
  const { measurements } = await readTexts({ 'bench-new.json': text })
  expect(measurements.map((one) => [one.test, one.queryName, one.new])).toEqual([
    ['a', 'BenchmarkX-4', [5e-9]],
    ['b', 'BenchmarkX-4', [7e-9]],
  ])
})

test('swapping the sides of a throughput swaps slower and faster', async () => {
  const side = (from: number) => Array.from({ length: 7 }, (_, i) => `BenchmarkCopy-4 10 ${from + i} MB/s\n`).join('')
  const directions = async (old: number, fresh: number) => {
    const { measurements } = await readTexts({ 'old.txt': side(old), 'new.txt': side(fresh) })
    return classify(measurements, DEFAULT_THRESHOLDS).map(({ outcome, direction, better }) => [
      outcome,
      direction,
      better,
    ])
  }
  expect(await directions(200, 100)).toEqual([['changed', 'slower', 'higher']])
  expect(await directions(100, 200)).toEqual([['changed', 'faster', 'higher']])
})

test('what go test itself has printed', async () => {
  const text = (name: string) => readFileSync(new URL(`../../../data/format-outputs/${name}`, import.meta.url), 'utf8')
  const { measurements } = await readTexts({ 'new.txt': text('go.txt') })
  expect(measurements.map((one) => `${one.queryName} ${one.metric} ${one.new.length}`)).toEqual([
    'BenchmarkCustom-2 time 3',
    'BenchmarkCustom-2 widgets/op 3',
    ...['n=100-2', 'n=1000-2'].flatMap((name) =>
      ['allocations', 'bytes', 'throughput', 'time'].map((metric) => `BenchmarkSort/${name} ${metric} 3`),
    ),
  ])
  const events = await readTexts({ 'new.json': text('go.json') })
  expect(events.measurements.map((one) => `${one.test} ${one.queryName} ${one.metric} ${one.new.length}`)).toEqual([
    'example.com/sums BenchmarkCustom-2 time 2',
    'example.com/sums BenchmarkCustom-2 widgets/op 2',
  ])
})

test('many failures beside many results are no more work than either', async () => {
  const lines = (count: number, line: (at: number) => string) => Array.from({ length: count }, (_, at) => line(at))
  const failures = lines(30_000, (at) => `--- FAIL: BenchmarkFailed${at}-2`)
  const results = lines(60_000, (at) => `BenchmarkRan${at}-2 10 ${at + 1} ns/op`)
  const frame = `a${'.BenchmarkA'.repeat(100_000)}`
  const read = async (...parts: readonly (readonly string[])[]) => {
    const start = computed()
    const { measurements } = await readTexts({ 'new.txt': ['pkg: a', 'panic: b', ...parts.flat(), ''].join('\n') })
    return { measurements, milliseconds: computed() - start }
  }
  const apart = (await read(failures)).milliseconds + (await read(results)).milliseconds
  const { measurements, milliseconds } = await read([frame], failures, results)
  expect(milliseconds).toBeLessThan(2.5 * apart)
  expect(measurements.filter(({ new: { length } }) => length === 1)).toHaveLength(60_000)
})

test.each(['BenchmarkSlow-2', 'BenchmarkSlow-2  9400 \t', 'BenchmarkSlow-2  9400 \t12.'])(
  'a file that ends in "%s" was cut, and that is said',
  async (last) => {
    const { warnings, measurements } = await readTexts({ 'old.txt': `BenchmarkX-2 \t 100\t 12.5 ns/op\n${last}` })
    expect(warnings.map(({ code, where }) => [code, where])).toEqual([['truncated-line', 'old.txt:2']])
    expect(measurements.map(({ queryName }) => queryName)).toEqual(['BenchmarkX-2'])
  },
)
