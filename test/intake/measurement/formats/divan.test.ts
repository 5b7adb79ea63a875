import { expect, test } from 'vitest'
import { readTexts } from '../read-text.ts'
import { outline, outputFile } from './output-files.ts'

test('divan: the tree, and what stands below a benchmark', async () => {
  const { measurements, decides } = await readTexts({ 'new.txt': outputFile('divan.txt') })
  expect(decides).toBe('time')
  expect(outline(measurements.filter(({ metric }) => metric === 'time'))).toEqual([
    'sums | collect::10 | time s: 0 + 1',
    'sums | collect::100 | time s: 0 + 1',
    'sums | collect::1000 | time s: 0 + 1',
    'sums | fib_20 | time s: 0 + 1',
    'sums | text::default::String | time s: 0 + 1',
    'sums | text::default::Vec<u8> | time s: 0 + 1',
    'sums | text::join::t=1 | time s: 0 + 1',
    'sums | text::join::t=2 | time s: 0 + 1',
  ])
  const ofThousand = measurements.filter(({ queryName }) => queryName === 'collect::1000')
  expect(ofThousand.map(({ metric, unit, better = 'lower', new: [value] }) => [metric, unit, better, value])).toEqual([
    ['allocations', '1', 'lower', 1],
    ['bytes', 'bytes', 'lower', 8000],
    ['bytes_per_second', 'bytes/s', 'higher', 92e9],
    ['items_per_second', '1/s', 'higher', 11.5e9],
    ['max_bytes_used', 'bytes', 'lower', 8000],
    ['time', 's', 'lower', 86.95e-9],
  ])
  expect(ofThousand.at(-1)!.given!.new).toMatchObject({ kind: 'median', repetitions: 100 })
  expect(ofThousand.map(({ notes }) => notes ?? [])).toEqual([['counted'], ['counted'], [], [], ['counted'], []])
})

test('divan: outputs in one file are of a process each', async () => {
  const text = outputFile('divan.txt')
  const { measurements } = await readTexts({ 'new.txt': text + text })
  const times = measurements.filter(({ metric }) => metric === 'time')
  expect(times.map(({ taken }) => taken!.new!.processes)).toEqual(times.map(() => [0, 1]))
})

test('divan: several programs, and other rates', async () => {
  const table = (
    name: string,
  ) => `${name}  fastest       │ slowest       │ median        │ mean          │ samples │ iters
╰─ hash  1.5 ms        │ 2 ms          │ 1.75 ms       │ 1.8 ms        │ 20      │ 20
         70.5 MiB/s    │ 60 MiB/s      │ 65.5 MiB/s    │ 64 MiB/s      │         │
         3.5 Kchar/s   │ 3 Kchar/s     │ 3.25 Kchar/s  │ 3 Kchar/s     │         │
`
  const { measurements } = await readTexts({ 'new.txt': table('a') + table('b') })
  expect(measurements.map(({ test: of, metric, new: [value] }) => [of, metric, value])).toEqual(
    ['a', 'b'].flatMap((of) => [
      [of, 'bytes_per_second', 65.5 * 1024 ** 2],
      [of, 'chars_per_second', 3250],
      [of, 'time', 0.001_75],
    ]),
  )
})
