import { Buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { main } from '../../../src/cli.ts'
import { otavaCases } from '../../judge/statistics/change-points/otava-cases.ts'
import { perfTriage } from './capture.ts'

const DATA = fileURLToPath(new URL('../../data/', import.meta.url))

let folder = ''
let tigerBeetle = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perf-triage-test-'))
  const rows = otavaCases()[0]!.series.map((value, i) => `${1_600_000_000 + i * 86_400},c${i},${value}\n`)
  tigerBeetle = await file('tigerbeetle.csv', `time,commit,value\n${rows.join('')}`)
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

interface Document {
  readonly points: readonly Readonly<Record<string, unknown>>[]
  readonly series: readonly unknown[]
}

async function json(...argv: readonly string[]): Promise<Document> {
  const { code, stdout, stderr } = await perfTriage(['change-points', '--json', ...argv])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as Document
}

const indexes = ({ points }: Document) => points.map(({ index }) => index)

test('TigerBeetle at Otava’s window length and p', async () => {
  const document = await json(tigerBeetle, '--window-length', '30', '--max-p', '0.01')
  expect(document).toMatchObject({ schemaVersion: 1, windowLength: 30, maxP: 0.01, minStep: 0.05 })
  expect(document.series).toEqual([{ series: null, points: 365, notMeasured: 0, sorted: false }])
  expect(indexes(document)).toEqual([15, 71])
  expect(document.points[1]).toEqual({
    series: null,
    index: 71,
    lastGoodIndex: 70,
    lastGood: { commit: 'c70', time: '1606048000', value: 24_730 },
    firstBad: { commit: 'c71', time: '1606134400', value: 28_346 },
    before: 24_509,
    after: 28_427,
    // A step of 3.5% at 61 and one of 3.6% at 95 are below the smallest one: the levels end there.
    beforeFrom: 61,
    afterTo: 94,
    step: expect.closeTo(28_427 / 24_509 - 1, 12),
    direction: 'slower',
    pValue: expect.any(Number),
    earliest: 71,
    latest: 71,
  })
})

test.each(otavaCases().map((one) => [one.test, one] as const))('Otava: %s', async (name, one) => {
  const path = await file(`${name}.tsv`, `value\n${one.series.join('\n')}\n`)
  const settings = ['--window-length', one.windowLength, '--max-p', one.maxP, '--min-step', one.minStep]
  expect(indexes(await json(path, ...settings.map(String)))).toEqual(one.expected)
})

test.each(['sample.csv', 'sample-semicolons.csv'])('Otava’s %s', async (name) => {
  const { points } = await json(join(DATA, 'history-otava', name), '--value', 'metric1', '--value', 'metric2')
  expect(points).toMatchObject([
    {
      series: 'metric2',
      index: 6,
      lastGood: { commit: 'aaa5', value: 10.69 },
      firstBad: { commit: 'aaa6', value: 9.23 },
      direction: 'faster',
    },
  ])
})

test.each(['A', 'B', 'C', 'E'])('Conbench’s outliers: %s', async (name) => {
  const path = join(DATA, `history-conbench-outliers/outlier_${name}.csv`)
  expect((await json(path, '--value', 'svs')).points).toEqual([])
})

test('for a person', async () => {
  const { code, stdout, stderr } = await perfTriage(['change-points', tigerBeetle, '--higher-is-better'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toBe(
    [
      '2 steps in 365 points of 1 series',
      '',
      ' at point    step           before → after  medians of points  last good → first bad  time',
      '16 (9…17)  −11.4%  slower  26,700 → 23,700  1–15 → 16–61       c14 → c15              2020-09-28 12:26 UTC',
      '       72  +16.0%  faster  24,500 → 28,400  62–71 → 72–95      c70 → c71              2020-11-23 12:26 UTC',
      '',
    ].join('\n'),
  )
})

test('series of any names on a terminal: a table that they cannot break', async () => {
  const rows = [...Array<number>(10).fill(10), ...Array<number>(10).fill(20)].map(
    (value, i) => `\u001b[31mevil\u0007,"a\u202eb",${value + (i % 3)}\n`,
  )
  const path = await file('evil.csv', `series,commit,value\n${rows.join('')}`)
  const { stdout } = await perfTriage(['change-points', path], { columns: 100, env: { NO_COLOR: '1' } })
  expect(stdout).toContain('1 step in 20 points of 1 series')
  for (const control of ['\u001b', '\u0007', '\u202e']) expect(stdout).not.toContain(control)
  for (const line of stdout.trimEnd().split('\n')) expect(line.length).toBeLessThanOrEqual(100)
})

test('no rows, rows out of order, a rate, a step from 0', async () => {
  const empty = await file('empty.csv', 'time,commit,value\n')
  expect((await perfTriage(['change-points', empty])).stdout).toBe('no steps: there are no points\n')
  expect((await json(empty)).points).toEqual([])

  const times = Array.from({ length: 20 }, (_, i) => `2026-01-${String(20 - i).padStart(2, '0')},${i < 10 ? 7 : 5}\n`)
  const backwards = await file('backwards.csv', `time,value\n${times.join('')}`)
  expect((await json(backwards, '--higher-is-better')).points).toMatchObject([{ direction: 'faster', step: 0.4 }])
  expect((await perfTriage(['change-points', backwards])).stdout).toContain('1 series sorted by time')

  const zeros = await file('zeros.csv', `value\n${'0\n'.repeat(10)}${'3\n'.repeat(10)}`)
  expect((await json(zeros)).points).toMatchObject([{ index: 10, before: 0, after: 3, step: null }])
  expect((await perfTriage(['change-points', zeros])).stdout).toContain('up from 0')
})

test('the levels can be computed from what is shown', async () => {
  const values = otavaCases()[0]!.series
  const { points } = await json(tigerBeetle, '--min-step', '0.02')
  expect(points.length).toBeGreaterThan(3)
  const medianOf = (from: unknown, to: unknown) => {
    const level = values.slice(Number(from), Number(to) + 1).toSorted((a, b) => a - b)
    return level[Math.floor(level.length / 2)]
  }
  for (const { before, after, beforeFrom, lastGoodIndex, index, afterTo, step } of points) {
    expect([medianOf(beforeFrom, lastGoodIndex), medianOf(index, afterTo)]).toEqual([before, after])
    expect(step).toBe((Number(after) - Number(before)) / Number(before))
  }
})

test('too few points, points without a value, and medians that show less than the means', async () => {
  const said = async (name: string, text: string, ...more: readonly string[]) =>
    (await perfTriage(['change-points', await file(name, text), ...more])).stdout
  expect(await said('nan.csv', 'value\nNaN\n\\N\nnull\n-\n')).toBe(
    'no steps in 4 points of 1 series; 4 of them without a value; 1 series has fewer than the 5 values that a step needs at this --max-p\n',
  )
  expect(await said('one.csv', 'value\n1\n', '--max-p', '0.2')).toBe(
    'no steps in 1 point of 1 series; 1 series has fewer than the 3 values that a step needs at this --max-p\n',
  )
  const enough = 'value\n1\n1.01\n1\n2\n2.01\n2\n'
  expect(await said('six.csv', enough)).toMatch(/^1 step in 6 points of 1 series\n/)
  const lifted = Array.from({ length: 40 }, (_, i) => (i < 20 ? 100 + (i % 2) : i % 3 === 0 ? 114 : 104))
  const text = `value\n${lifted.join('\n')}\n`
  expect(await said('lifted.csv', text)).toMatch(/--min-step 5% applies to the means of the levels;/)
  expect(await said('six-again.csv', enough)).not.toContain('--min-step')
})

test('rows of query_metrics_v2: columns of other names, and a warning where all would be one series', async () => {
  const header = 'event_time\tnew_sha\ttest\tquery_index\tnew_value\n'
  const rows = Array.from({ length: 20 }, (_, i) =>
    [0, 1].map(
      (query) =>
        `2026-01-${String(i + 1).padStart(2, '0')}\tc${i}\tsum\t${query}\t${query * 3 + (i < 10 ? 1 : 1 + query)}\n`,
    ),
  ).flat()
  const path = await file('metrics.tsv', header + rows.join(''))
  const columns = ['--value', 'new_value', '--time', 'event_time', '--commit', 'new_sha']
  const { points } = await json(path, ...columns, '--series', 'test', '--series', 'query_index')
  expect(points).toMatchObject([{ series: 'sum 1', index: 10, firstBad: { commit: 'c10', time: '2026-01-11' } }])
  const { code, stderr } = await perfTriage(['change-points', path, ...columns])
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr:
      'warning: all rows count as one series, although there are columns test and query_index; separate them with --series test --series query_index\n',
  })
})

test('from stdin', async () => {
  const bytes = readFileSync(tigerBeetle)
  let stdout = ''
  const code = await main(['change-points', '-', '--json', '--window-length=30', '--max-p=0.01'], {
    stdin: (async function* () {
      yield Buffer.from(bytes)
    })(),
    stdout: {
      write: (text: string) => {
        stdout += text
      },
    },
    stderr: { write: () => undefined },
    env: {},
  })
  expect(code).toBe(0)
  expect(indexes(JSON.parse(stdout) as Document)).toEqual([15, 71])
})

describe('what cannot be used is one line and exit code 2', () => {
  test.each<[readonly string[], string]>([
    [[], "missing required argument 'file'"],
    [['none.csv'], 'none.csv: there is no such file'],
    [[DATA], 'a folder; give a CSV or TSV file in it'],
    [
      [join(DATA, 'history-otava/sample.csv')],
      'sample.csv:1: no column "value": the header has time, commit, metric1, metric2',
    ],
    [[join(DATA, 'history-otava/sample.csv'), '--value', 'metric3'], 'no column "metric3"'],
    [[join(DATA, 'history-measured/raw-runs.tsv.gz')], 'raw-runs.tsv.gz:1: no column "value"'],
    [['x', '--series', ' '], 'It must be the name of a column in the header'],
    [['x', '--window-length', '1'], 'a whole number of points from 2 to 500'],
    [['x', '--window-length', '1e2'], 'a whole number of points from 2 to 500'],
    [['x', '--max-p', '0'], 'a probability such as 0.001'],
    [['x', '--max-p', '5%'], 'a probability such as 0.001'],
    [['x', '--min-step', '5%'], 'It must be a fraction: 0.05 for 5%'],
  ])('%j', async (argv, message) => {
    const { code, stdout, stderr } = await perfTriage(['change-points', ...argv])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr.trimEnd()).not.toContain('\n')
  })

  test('help says how', async () => {
    const { code, stdout } = await perfTriage(['change-points', '--help'])
    expect(code).toBe(0)
    for (const word of ['--window-length', '--max-p', '--min-step', 'Examples:']) expect(stdout).toContain(word)
  })
})
