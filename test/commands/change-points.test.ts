import { Buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { main } from '../../src/cli.ts'
import { otavaCases } from '../statistics/change-points/otava-cases.ts'
import { perfTriage } from './capture.ts'

const DATA = fileURLToPath(new URL('../data/', import.meta.url))

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
    lastGood: { commit: 'c70', time: '1606048000', value: 24_730 },
    firstBad: { commit: 'c71', time: '1606134400', value: 28_346 },
    before: 24_509,
    after: 28_427,
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
      '   step   before → after   position  last good → first bad  time',
      '-11.4 %  26,700 → 23,700  15 (8…16)  c14 → c15              1601296000',
      '+16.0 %  24,500 → 28,400         71  c70 → c71              1606134400',
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
  expect((await perfTriage(['change-points', empty])).stdout).toBe('no steps in 0 points of 0 series\n')
  expect((await json(empty)).points).toEqual([])

  const times = Array.from({ length: 20 }, (_, i) => `2026-01-${String(20 - i).padStart(2, '0')},${i < 10 ? 7 : 5}\n`)
  const backwards = await file('backwards.csv', `time,value\n${times.join('')}`)
  expect((await json(backwards, '--higher-is-better')).points).toMatchObject([{ direction: 'faster', step: 0.4 }])
  expect((await perfTriage(['change-points', backwards])).stdout).toContain('1 series put in the order of time')

  const zeros = await file('zeros.csv', `value\n${'0\n'.repeat(10)}${'3\n'.repeat(10)}`)
  expect((await json(zeros)).points).toMatchObject([{ index: 10, before: 0, after: 3, step: null }])
  expect((await perfTriage(['change-points', zeros])).stdout).toContain('up from 0')
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
    [[join(DATA, 'history-measured/raw-runs.tsv.gz')], 'is compressed; unpack it'],
    [['x', '--window-length', '1'], 'a whole number of points from 2 to 500'],
    [['x', '--window-length', '1e2'], 'a whole number of points from 2 to 500'],
    [['x', '--max-p', '0'], 'a probability such as 0.001'],
    [['x', '--max-p', '5%'], 'a probability such as 0.001'],
    [['x', '--min-step', '5%'], 'It is a fraction: 0.05 for 5%'],
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
