import { expect, test } from 'vitest'
import { readTexts } from '../read-text.ts'
import { outline, outputFile } from './output-files.ts'

test('the values of all processes are the samples, those of warm-up and calibration are not', async () => {
  const { measurements } = await readTexts({
    'old.json': outputFile('pyperf-old.json'),
    'new.json': outputFile('pyperf-new.json'),
  })
  expect(outline(measurements)).toEqual(['pyperf | fib(10) | time s: 12 + 12', 'pyperf | fib(12) | time s: 12 + 12'])
  expect(measurements[0]!.old.slice(0, 3)).toEqual([7.944030126955104e-5, 8.093468408204574e-5, 0.00010310164013671574])
  // `fib(10): Mean +- std dev: 89.9 us +- 15.0 us`, as pyperf says of the file
  expect(measurements[0]!.old.reduce((sum, value) => sum + value, 0) / 12).toBeCloseTo(89.9e-6, 7)
})

test('memory is bytes, and decides where there is nothing else', async () => {
  const text = outputFile('pyperf-memory.json')
  const { measurements, decides } = await readTexts({ 'old.json': text, 'new.json': text })
  expect(outline(measurements)).toEqual(['pyperf | timeit | bytes bytes: 3 + 3'])
  expect(decides).toBe('bytes')
})

test('a value that is no number is said and left out', async () => {
  const text = outputFile('pyperf-old.json').replace('7.944030126955104e-05', 'NaN')
  const { measurements, warnings } = await readTexts({ 'old.json': text })
  expect(measurements[0]!.old).toHaveLength(11)
  expect(warnings.map(({ message }) => message)).toEqual(['1 values of fib(10) are not numbers: skipped'])
})
