import { expect, test } from 'vitest'
import { readTexts } from '../read-text.ts'
import { actionBenchmarkFile, extracted } from './action-benchmark-snapshots.ts'
import { outline, outputFile } from './output-files.ts'

/** The unit of github-action-benchmark in ours, and how much smaller it is. */
const UNITS: Readonly<Record<string, readonly [string, string]>> = {
  'ns/iter': ['s', 'e-9'],
  'cycles/iter': ['cycles/iter', ''],
  'MS/s': ['MS/s', ''],
}

test.each([
  'cargo_output.txt',
  'cargo_output2.txt',
  'cargo_output3.txt',
  'cargo_output_units.txt',
  'criterion_output.txt',
])('what github-action-benchmark extracts of %s', async (file) => {
  const expected = extracted(file)
  const { measurements } = await readTexts({ 'new.txt': `${actionBenchmarkFile(file)}\n` })
  expect(measurements).toHaveLength(expected.length)
  for (const { name, unit, value, range } of expected) {
    const [ours, by] = UNITS[unit]!
    const found = measurements.find(({ queryName }) => queryName === name)!
    expect(found.unit).toBe(ours)
    expect(found.new).toEqual([Number(`${value}${by}`)])
    expect(found.given!.new).toMatchObject({ kind: 'median', value: found.new[0] })
    expect(found.given!.new!.spread! * value).toBeCloseTo(Number(range!.replace('± ', '')), 9)
    expect(found.better ?? 'lower').toBe(unit === 'MS/s' ? 'higher' : 'lower')
  }
})

test('the text and the messages in JSON, with the rate that follows from the bytes', async () => {
  const { measurements, decides } = await readTexts({
    'old.txt': outputFile('libtest.txt'),
    'new.jsonl': outputFile('libtest.jsonl'),
  })
  expect(decides).toBe('time')
  expect(outline(measurements)).toEqual([
    'libtest | fib_20 | time s: 1 + 1',
    'libtest | sums::thousand | throughput bytes/s (higher): 1 + 1',
    'libtest | sums::thousand | time s: 1 + 1',
  ])
  const [fib, rate] = measurements
  expect(fib!.old).toEqual([0.00019017174])
  expect(fib!.new).toEqual([Number('91930.61212121212e-9')])
  expect(rate!.old).toEqual([6125e6])
  expect(rate!.new).toEqual([13468 * 1024 ** 2])
})

test('the file that ran is the test, where the text has it', async () => {
  const running = '     Running benches/lib.rs (target/release/deps/lib-e051373e5ade9588)\n'
  const { measurements } = await readTexts({ 'new.log': `${running}${outputFile('libtest.txt')}` })
  expect(measurements.map((one) => one.test)).toEqual(['benches/lib.rs', 'benches/lib.rs', 'benches/lib.rs'])
})

test('more cycles are worse, more bytes a second are better', async () => {
  const text = (cycles: number, rate: number) =>
    `test a ... bench: ${cycles} cycles/iter (+/- 1)\ntest b ... bench: ${rate} MS/s (+/- 1)\n`
  const { measurements, decides } = await readTexts({ 'old.txt': text(1, 1), 'new.txt': text(2, 2) })
  expect(decides).toBe('throughput')
  expect(measurements.map(({ better = 'lower' }) => better)).toEqual(['lower', 'higher'])
})
