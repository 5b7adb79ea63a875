import { expect, test } from 'vitest'
import { readTexts } from '../read-text.ts'
import { filesOf, outline, outputFile } from './output-files.ts'

const OLD = 'cheetah/22b920c6-py2.7-Cython-numpy1.8.json'
const NEW = 'cheetah/fcf8c079-py2.7-Cython-numpy1.8.json'

test('asv’s own example: every value of both files, and the ratios of asv compare', async () => {
  const files = filesOf('history-asv')
  const { measurements } = await readTexts({
    'benchmarks.json': files['benchmarks.json']!,
    [`old/${OLD}`]: files[OLD]!,
    [`new/${NEW}`]: files[NEW]!,
  })
  const named = new Map(
    measurements.map((one) => [one.test === 'asv' ? one.queryName! : `${one.test}.${one.queryName}`, one]),
  )
  for (const [path, side] of [
    [OLD, 'old'],
    [NEW, 'new'],
  ] as const) {
    const { results } = JSON.parse(files[path]!.replaceAll('NaN', 'null')) as { results: Record<string, unknown> }
    for (const [name, value] of Object.entries(results)) {
      if (typeof value === 'number') expect(named.get(name)![side]).toEqual([value])
      else if (value === null) expect(named.get(name)![side]).toEqual([])
    }
  }
  const { REFERENCE } = JSON.parse(files['expected_compare_output.json']!) as { REFERENCE: string }
  const rows = REFERENCE.split('\n').flatMap((line) => {
    const [, , before, after, ratio, name] = line.split('|').map((cell) => cell.trim())
    return name === undefined || !/^~?[\d.]+$/.test(ratio!)
      ? []
      : [{ before, after, ratio: Number(ratio!.replace('~', '')), name }]
  })
  expect(rows.length).toBeGreaterThan(10)
  for (const { name, ratio } of rows) {
    const { old, new: fresh } = named.get(name)!
    expect(Math.abs(fresh[0]! / old[0]! - ratio)).toBeLessThanOrEqual(0.0051)
  }
  // the same table as text has the same values, to the digits that it shows
  const text = await readTexts({ 'compare.txt': `${REFERENCE}\n` })
  for (const { test: suite, queryName, old, new: fresh, unit } of text.measurements) {
    const whole = suite === 'asv' ? queryName! : `${suite}.${queryName}`
    const exact = named.get(whole)!
    // the unit of a number that is tracked is in benchmarks.json alone
    expect(unit).toBe(exact.metric === 'unit' ? null : exact.unit)
    for (const [shown, value] of [
      [old, exact.old],
      [fresh, exact.new],
    ] as const) {
      // 5.73m are minutes, rounded: not read
      expect(shown).toHaveLength(whole === 'time_units.mem_unit' ? 0 : value.length)
      if (shown.length > 0) expect(Math.abs(shown[0]! / value[0]! - 1)).toBeLessThan(0.006)
    }
  }
})

test('results of two commits in a folder: the earlier one is old; samples where asv recorded them', async () => {
  const files = filesOf('format-outputs/asv')
  const { measurements, decides, warnings } = await readTexts({ ...files })
  expect(warnings).toEqual([])
  expect(decides).toBe('time')
  expect(outline(measurements)).toEqual([
    'benchmarks | mem_list | bytes bytes: 1 + 1',
    'benchmarks | time_fails | time s: 0 + 0',
    'benchmarks | time_fib_15 | time s: 1 + 10',
    'benchmarks | track_size | objects objects: 1 + 1',
    "benchmarks.Sums | peakmem_sum(100, 'list') | bytes bytes: 1 + 1",
    "benchmarks.Sums | peakmem_sum(100, 'tuple') | bytes bytes: 1 + 1",
    "benchmarks.Sums | peakmem_sum(1000, 'list') | bytes bytes: 1 + 1",
    "benchmarks.Sums | peakmem_sum(1000, 'tuple') | bytes bytes: 1 + 1",
    "benchmarks.Sums | time_sum(100, 'list') | time s: 1 + 10",
    "benchmarks.Sums | time_sum(100, 'tuple') | time s: 1 + 10",
    "benchmarks.Sums | time_sum(1000, 'list') | time s: 1 + 10",
    "benchmarks.Sums | time_sum(1000, 'tuple') | time s: 1 + 10",
  ])
  const [, failed, fib] = measurements
  expect(new Set(failed!.problems.map(({ side }) => side))).toEqual(new Set(['old', 'new']))
  expect(fib!.given!.old).toMatchObject({
    kind: 'median',
    value: 0.0007454113618419306,
    lower: 0.00048529,
    upper: 0.0013393,
    repetitions: 10,
  })
})

test('what asv run prints, with tables of parameters', async () => {
  const { measurements } = await readTexts({ 'old.txt': outputFile('asv-run.txt') })
  expect(measurements.map(({ test: suite, queryName, unit, old }) => [`${suite}.${queryName}`, unit, old[0]])).toEqual([
    ['benchmarks.mem_list', 'bytes', 8060],
    ['benchmarks.time_fails', 's', undefined],
    ['benchmarks.time_fib_15', 's', 745e-6],
    ['benchmarks.track_size', null, 42],
    ['benchmarks.Sums.peakmem_sum(100, list)', 'bytes', 27.4e6],
    ['benchmarks.Sums.peakmem_sum(100, tuple)', 'bytes', 27.4e6],
    ['benchmarks.Sums.peakmem_sum(1000, list)', 'bytes', 27.3e6],
    ['benchmarks.Sums.peakmem_sum(1000, tuple)', 'bytes', 27.3e6],
    ['benchmarks.Sums.time_sum(100, list)', 's', 1.31e-6],
    ['benchmarks.Sums.time_sum(100, tuple)', 's', 1.29e-6],
    ['benchmarks.Sums.time_sum(1000, list)', 's', 8.07e-6],
    ['benchmarks.Sums.time_sum(1000, tuple)', 's', 7e-6],
  ])
  expect(measurements[2]!.given!.old).toMatchObject({ kind: 'median', spread: 100 / 745 })
})

test('two machines and two environments have rows of their own; a host that is called differently on each side is none', async () => {
  const file = (machine: string, environment: string, samples: number[]) =>
    JSON.stringify({
      commit_hash: 'aa',
      env_name: environment,
      params: { machine },
      result_columns: ['result', 'params', 'samples'],
      results: { 'a.time_b': [[samples[0]], [], [samples]] },
    })
  const namesOf = async (files: Record<string, string>) => {
    const { measurements } = await readTexts(files)
    return measurements.map(({ queryName, old, new: fresh }) => [queryName, old, fresh])
  }
  expect(
    await namesOf({
      'old/1.json': file('m', 'py3.12', [1, 2]),
      'old/2.json': file('n', 'py3.12', [3, 4]),
      'old/3.json': file('n', 'py3.13', [5, 6]),
      'new/1.json': file('m', 'py3.12', [7, 8]),
      'new/3.json': file('n', 'py3.13', [9, 10]),
    }),
  ).toEqual([
    ['time_b [m, py3.12]', [1, 2], [7, 8]],
    ['time_b [n, py3.12]', [3, 4], []],
    ['time_b [n, py3.13]', [5, 6], [9, 10]],
  ])
  expect(
    await namesOf({ 'old/1.json': file('host-1', 'py3.12', [1, 2]), 'new/1.json': file('host-2', 'py3.12', [3, 4]) }),
  ).toEqual([['time_b', [1, 2], [3, 4]]])
})

test('results of three commits are refused with what to do', async () => {
  const file = (commit: string, date: number) =>
    JSON.stringify({ commit_hash: commit, env_name: 'e', date, results: { time_a: 1 } })
  const { warnings } = await readTexts({
    'm/a.json': file('aa', 1),
    'm/b.json': file('bb', 2),
    'm/c.json': file('cc', 3),
  })
  expect(warnings.map(({ message }) => message)).toEqual([
    'results of 3 commits (aa, bb, cc), and nothing says which two to compare; put one into a folder old/ and one into new/',
  ])
})
