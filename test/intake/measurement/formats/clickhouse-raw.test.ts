import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { queryKey } from '../../../../src/intake/measurement/run.ts'
import { codes, readTexts, row, summaries } from '../read-text.ts'

const sample = (index: number, run: number, server: number, value: string | number) =>
  row('query', index, `sum.query${index}.run${run}`, server, value)

const readRaw = (text: string | Uint8Array) => readTexts({ 'sum-raw.tsv': text })

describe('records', () => {
  test('the file names the test, display-name the query, query gives the samples in the order of the file', async () => {
    const { measurements, warnings } = await readRaw(
      row('stage', 'connect') +
        row('server', 0, 'localhost', 9001) +
        row('drop', 0, 0.1, 'DROP TABLE t') +
        row('create', 1, 0.1, 'CREATE TABLE t') +
        row('report-threshold', 0.2) +
        row('display-name', 3, 'SELECT 1') +
        row('prewarm', 3, 'sum.query3.prewarm0', 0, 0.5) +
        sample(3, 1, 1, 0.25) +
        sample(3, 0, 0, '1e-2') +
        sample(3, 0, 1, '.5') +
        row('client-time', 3, 1, 2) +
        row('median', 3, 0.1) +
        row('diff', 3, 0.1, 0.2, 1, 0.01) +
        row('profile', 3, 'sum.query3.profile0', 0, 9) +
        row('profile-total', 10),
    )
    expect(warnings).toEqual([])
    expect(measurements).toEqual([
      {
        test: 'sum',
        queryIndex: 3,
        queryName: 'SELECT 1',
        metric: 'client_time',
        unit: 's',
        architecture: null,
        old: [0.01],
        new: [0.25, 0.5],
        reportThreshold: 0.2,
        rounded: false,
        problems: [],
      },
    ])
  })

  test('sampled queries keep their indexes, each with as many repetitions as it has', async () => {
    const runs = (index: number, count: number) =>
      Array.from({ length: count }, (_, run) => sample(index, run, 0, 1) + sample(index, run, 1, 1)).join('')
    const { measurements } = await readRaw(runs(17, 30) + runs(2, 5) + runs(40, 7))
    expect(summaries(measurements)).toEqual([
      'sum #2 client_time: 5 + 5',
      'sum #17 client_time: 30 + 30',
      'sum #40 client_time: 7 + 7',
    ])
  })

  test('a partial query says which side lacks it', async () => {
    const { measurements } = await readRaw(
      row('partial', 0, '[1]') + sample(0, 0, 1, 1) + row('partial', 1, '[0]') + row('partial', 2, '[0, 1]'),
    )
    expect(measurements.map(({ problems }) => problems.map(({ reason, side }) => `${reason} ${side}`))).toEqual([
      ['partial old'],
      ['partial new'],
      [],
    ])
  })

  test('a query with a name and no samples is there, with empty sides', async () => {
    const { measurements } = await readRaw(row('display-name', 0, 'SELECT 1'))
    expect(measurements).toMatchObject([{ queryIndex: 0, queryName: 'SELECT 1', old: [], new: [], problems: [] }])
  })

  test('a skipped test is one measurement without samples and says why', async () => {
    const { measurements } = await readRaw(row('stage', 'connect') + row('skipped', 'no data\\tset'))
    expect(measurements).toMatchObject([
      { test: 'sum', queryIndex: null, old: [], new: [], problems: [{ reason: 'skipped', message: 'no data\tset' }] },
    ])
  })

  test('a run error is a problem of its query and a warning, each once', async () => {
    const error = row('run-error', 4, 1, 'Code: 241\\nMemory limit')
    const contents = await readRaw(sample(4, 0, 0, 1) + error + error)
    expect(contents.measurements[0]?.problems).toEqual([
      { reason: 'run-error', side: 'new', message: 'Code: 241\nMemory limit' },
    ])
    expect(codes(contents)).toEqual(['run-error sum-raw.tsv:2'])
  })

  test('NaN, infinite and negative times are kept for the status to name', async () => {
    const { measurements, warnings } = await readRaw(
      ['nan', '-nan', 'inf', '-Infinity', '-0.5'].map((value, run) => sample(0, run, 0, value)).join(''),
    )
    const { NaN: nan, POSITIVE_INFINITY: infinity, NEGATIVE_INFINITY: minus } = Number
    expect(measurements[0]?.old).toEqual([nan, nan, infinity, minus, -0.5])
    expect(warnings).toEqual([])
  })
})

describe('names', () => {
  test('escapes of TSV are undone, in UTF-8 as in bytes', async () => {
    const { measurements } = await readRaw(row('display-name', 0, String.raw`a\tb\nc\\t\'\xd0\x96\0 Ж`))
    expect(measurements[0]?.queryName).toBe("a\tb\nc\\t'Ж\0 Ж")
  })

  test('the index behind a name of more than 1,000 characters is stripped, behind a shorter one it is the name', async () => {
    const long = 'x'.repeat(1000)
    const { measurements } = await readRaw(
      row('display-name', 0, `${long}...(0)`) +
        row('display-name', 1, 'short...(1)') +
        row('display-name', 2, `${long}...(3)`),
    )
    expect(measurements.map(({ queryName }) => queryName)).toEqual([long, 'short...(1)', `${long}...(3)`])
  })

  test('equal texts of one test get an ordinal by index, so that their keys differ', async () => {
    const { measurements } = await readRaw(
      row('display-name', 7, 'SELECT 1') + row('display-name', 2, 'SELECT 1') + row('display-name', 3, 'SELECT 2'),
    )
    expect(measurements.map(({ queryIndex, ordinal }) => [queryIndex, ordinal])).toEqual([
      [2, undefined],
      [3, undefined],
      [7, 1],
    ])
    expect(new Set(measurements.map(queryKey)).size).toBe(3)
  })

  test('a second name of one index is passed over', async () => {
    const contents = await readRaw(row('display-name', 0, 'SELECT 1') + row('display-name', 0, 'SELECT 2'))
    expect(contents.measurements[0]?.queryName).toBe('SELECT 1')
    expect(codes(contents)).toEqual(['malformed-line sum-raw.tsv:2'])
  })
})

describe('what is wrong', () => {
  test.each([
    ['no fields', 'query\n', 'malformed-line'],
    ['an index that is none', row('query', 'x', 'sum.queryx.run0', 0, 1), 'malformed-line'],
    ['a third server', row('query', 0, 'sum.query0.run0', 2, 1), 'malformed-line'],
    ['no value', row('query', 0, 'sum.query0.run0', 0), 'malformed-line'],
    ['an empty value', row('query', 0, 'sum.query0.run0', 0, ''), 'invalid-value'],
    ['a value with garbage', row('query', 0, 'sum.query0.run0', 0, '0.1s'), 'invalid-value'],
    ['a hexadecimal value', row('query', 0, 'sum.query0.run0', 0, '0x10'), 'invalid-value'],
    ['servers that are no list', row('partial', 0, '1'), 'malformed-line'],
    ['a threshold that is none', row('report-threshold', 'None'), 'invalid-value'],
    ['a negative threshold', row('report-threshold', -1), 'invalid-value'],
    ['another record', 'Traceback (most recent call last):\n', 'malformed-line'],
  ])('%s: a warning, and the rest is read', async (_, line, code) => {
    const contents = await readRaw(sample(0, 0, 1, 1) + line + sample(0, 1, 1, 2))
    expect(contents.measurements[0]).toMatchObject({ old: [], new: [1, 2], reportThreshold: null })
    expect(codes(contents)).toEqual([`${code} sum-raw.tsv:2`])
  })

  test('the same repetition on the same server counts once, also with other ids and out of order', async () => {
    const other = row('query', 0, 'another-id', 0, 7)
    const contents = await readRaw(
      sample(0, 1, 0, 1) + sample(0, 0, 0, 2) + sample(0, 1, 0, 3) + sample(0, 1, 1, 4) + other + other,
    )
    expect(contents.measurements[0]).toMatchObject({ old: [1, 2, 7], new: [4] })
    expect(codes(contents)).toEqual(['duplicate-sample sum-raw.tsv:3', 'duplicate-sample sum-raw.tsv:6'])
  })

  test('a byte order mark, CR and invalid UTF-8 do no harm', async () => {
    const text = Buffer.concat([
      Buffer.from([0xef, 0xbb, 0xbf]),
      Buffer.from('query\t0\tsum.query0.run0\t0\t0.5\r\n'),
      Buffer.from('display-name\t0\ta'),
      Buffer.from([0xff, 0x0d, 0x0a]),
    ])
    const { measurements, warnings } = await readRaw(text)
    expect(measurements).toMatchObject([{ queryName: 'a\u{fffd}', old: [0.5] }])
    expect(warnings).toEqual([])
  })

  test('a million broken lines are a handful of warnings, and what comes after is not read', async () => {
    const limits = { faults: 1000 }
    const { measurements, warnings } = await readTexts(
      { 'sum-raw.tsv': sample(0, 0, 0, 1) + 'x\n'.repeat(1e6) + sample(0, 0, 1, 1) },
      { limits },
    )
    expect(measurements).toMatchObject([{ old: [1], new: [] }])
    expect(warnings.length).toBeLessThan(30)
    expect(warnings.at(-2)?.message).toMatch(/^more than 1,000 lines or values in one file that can’t be read/)
    expect(warnings.at(-1)?.message).toBe('981 more like this')
  })
})

test('anything at all is read without an exception', async () => {
  const field = fc.oneof(
    fc.constantFrom('query', 'display-name', 'partial', 'run-error', 'skipped', '0', '1', '[0]'),
    fc.string(),
  )
  const line = fc.array(field, { maxLength: 7 }).map((fields) => fields.join('\t'))
  await fc.assert(
    fc.asyncProperty(fc.array(line), async (lines) => {
      const { measurements } = await readRaw(`${lines.join('\n')}\n`)
      for (const { old, new: fresh } of measurements) {
        for (const value of [...old, ...fresh]) expect(typeof value).toBe('number')
      }
    }),
    { numRuns: 200 },
  )
})
