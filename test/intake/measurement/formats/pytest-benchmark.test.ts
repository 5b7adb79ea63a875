import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { median } from '../../../../src/intake/measurement/median.ts'
import { classify } from '../../../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../../../src/judge/verdict/thresholds.ts'
import { extracted } from '../extracted.ts'
import { readTexts } from '../read-text.ts'

const FOLDER = new URL('../../../data/format-pytest-benchmark/', import.meta.url)

function near(value: number | undefined | null, expected: number): void {
  expect(Math.abs(value! - expected)).toBeLessThanOrEqual(1e-9 * Math.abs(expected))
}

test('the mean, deviation and rounds of thirty stored runs', async () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'))
  expect(files).toHaveLength(30)
  for (const file of files) {
    const text = readFileSync(new URL(file, FOLDER), 'utf8')
    const { benchmarks } = JSON.parse(text) as { benchmarks: { name: string; stats: Record<string, number> }[] }
    const { measurements } = await readTexts({ [file]: text }, { side: 'new' })
    expect(measurements).toHaveLength(benchmarks.length)
    for (const { name, stats } of benchmarks) {
      const found = measurements.find((one) => one.queryName === name)!
      expect(found).toMatchObject({ test: 'tests/test_normal.py', metric: 'time', unit: 's', old: [] })
      const given = found.given!.new!
      expect(given).toMatchObject({
        kind: 'mean',
        repetitions: stats['rounds'],
        lower: stats['min'],
        upper: stats['max'],
      })
      near(given.value, stats['mean']!)
      near(given.spread! * given.value, stats['stddev']!)
    }
  }
})

test.each(['pytest_output.json', 'pytest_several_units.json'])(
  'github-action-benchmark extracts the same of %s',
  async (file) => {
    const { text, benches } = extracted('pytest', file)
    const { measurements } = await readTexts({ 'new.json': text })
    expect(measurements).toHaveLength(benches.length)
    for (const { name, value, range, extra } of benches) {
      const found = measurements.find((one) => `${one.test}::${one.queryName}` === name)!
      const given = found.given?.new
      // one benchmark has all its rounds in the file
      const mean = given?.value ?? found.new.reduce((sum, one) => sum + one, 0) / found.new.length
      near(1 / mean, value)
      expect(given?.repetitions ?? found.new.length).toBe(Number(/rounds: (\d+)/.exec(extra!)![1]))
      if (given !== undefined) near(given.spread! * mean, Number(/stddev: (\S+)/.exec(range!)![1]))
    }
  },
)

const document = (data: readonly number[]) =>
  JSON.stringify({
    machine_info: { python_implementation: 'CPython', cpu: { brand_raw: 'AMD EPYC 7763' } },
    benchmarks: [{ name: 'test_a[1]', fullname: 'tests/test_b.py::TestC::test_a[1]', stats: { mean: 1, data } }],
  })

test('--benchmark-save-data has samples, and a million rounds are judged by some of them', async () => {
  const rounds = Array.from({ length: 20_000 }, (_, i) => 1 + ((i * 7919) % 10_007) / 100_000)
  const { measurements, machine } = await readTexts({
    'old.json': document([0.25, 0.5, 0.125]),
    'new.json': document(rounds),
  })
  const [time] = measurements
  expect(time).toMatchObject({ test: 'tests/test_b.py', queryName: 'TestC::test_a[1]', old: [0.25, 0.5, 0.125] })
  expect(time!.new).toHaveLength(999)
  expect(median(time!.new)).toBe(median(rounds))
  expect([Math.min(...time!.new), Math.max(...time!.new)]).toEqual([Math.min(...rounds), Math.max(...rounds)])
  expect(machine).toBe('AMD EPYC 7763')
  expect(classify(measurements, DEFAULT_THRESHOLDS)[0]).toMatchObject({ outcome: 'changed', direction: 'slower' })
})

test('what pytest-benchmark itself has written', async () => {
  const text = readFileSync(new URL('../../../data/format-outputs/pytest-benchmark.json', import.meta.url), 'utf8')
  const { benchmarks } = JSON.parse(text) as { benchmarks: { fullname: string; stats: { data: number[] } }[] }
  const { measurements } = await readTexts({ 'new.json': text })
  const found = new Map(measurements.map((one) => [`${one.test}::${one.queryName}`, one.new]))
  expect(found).toEqual(new Map(benchmarks.map(({ fullname, stats }) => [fullname, stats.data])))
})
