import { expect, test } from 'vitest'
import { readRun } from '../../../src/intake/archive/read-run.ts'
import { byMetricOf, type Measurement } from '../../../src/intake/measurement/run.ts'
import { classify } from '../../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../../src/judge/verdict/thresholds.ts'
import { type Judge, OTHERS_FROM, rowsOfOthers, rowsOfRun } from '../../../src/store/runs/run-rows.ts'
import { DEMO_RUN } from '../../web/measured-report.ts'

test('rows that are made and judged metric by metric while they are read are those that are made at once', async () => {
  const { measurements: times, ...contents } = await readRun(DEMO_RUN)
  const counters = times.map((one): Measurement => ({ ...one, metric: 'SelectedRows', new: one.old }))
  const measurements = times.flatMap((one, index) => [one, counters[index]!])
  const key = { repositoryId: 1, pullRequestNumber: 7, head: 'abc', check: 'c', shard: 1, shards: 2, attempt: 1 }
  const of = { architecture: null, source: 'a', finishedAt: '2026-11-21T10:00:00Z' }
  const run = { ...contents, ...key, ...of, measurements }
  const asked: number[] = []
  const judge: Judge = (some) => {
    asked.push(new Set(some.map(({ metric }) => metric)).size)
    return classify(some, DEFAULT_THRESHOLDS)
  }
  const expires = new Date('2027-02-21T00:00:00Z')
  const atOnce = rowsOfRun(run, judge(measurements), expires)
  asked.length = 0
  const byMetric = byMetricOf(measurements)
  const oneByOne = rowsOfOthers(run, byMetric, judge, expires, 'client_time', [])
  const inOrder = [...byMetric.values()].flatMap((ofMetric) => ofMetric())
  const placed = <Row extends { readonly position: number }>(rows: Iterable<Row>) =>
    [...rows].map((row) => ({ ...row, position: OTHERS_FROM + inOrder.indexOf(measurements[row.position]!) }))
  const byPosition = (a: { readonly position: number }, b: { readonly position: number }) => a.position - b.position
  const results = [...oneByOne.results]
  expect(results).toStrictEqual(placed(atOnce.results).toSorted(byPosition))
  expect(results.some(({ result }) => result?.outcome === 'changed')).toBe(true)
  expect([...oneByOne.samples]).toStrictEqual(placed(atOnce.samples).toSorted(byPosition))
  expect([oneByOne.resultCount, oneByOne.sampleCount]).toEqual([atOnce.resultCount, atOnce.sampleCount])
  expect(Math.max(...asked)).toBe(1)
})

test('what has its rows already is left out, and the positions of the rest stay', () => {
  const of = (name: string, metric: string, value: number): Measurement => ({
    test: name,
    queryIndex: 0,
    queryName: null,
    metric,
    unit: null,
    architecture: null,
    old: [value],
    new: [value],
    reportThreshold: null,
    rounded: false,
    problems: [],
  })
  const measurements = [of('a', 'x', 1), of('b', 'x', 2), of('a', 'y', 3), of('b', 'y', 4)]
  const key = { repositoryId: 1, pullRequestNumber: 7, head: 'abc', check: 'c', shard: 1, shards: 2, attempt: 1 }
  const about = { oldCommit: null, newCommit: null, warnings: [], architecture: null, source: 'a' }
  const run = { ...key, ...about, finishedAt: '2026-11-21T10:00:00Z', measurements: [] }
  const before = [measurements[0]!, measurements[3]!]
  const rows = rowsOfOthers(run, byMetricOf(measurements), () => [], new Date(0), 'x', before)
  expect([...rows.results].map(({ position, measurement }) => [position - OTHERS_FROM, measurement])).toEqual([
    [1, measurements[1]],
    [2, measurements[2]],
  ])
  expect([...rows.samples].map(({ position, value }) => [position - OTHERS_FROM, value])).toEqual([
    [1, 2],
    [1, 2],
    [2, 3],
    [2, 3],
  ])
  expect([rows.resultCount, rows.measurements, rows.sampleCount]).toEqual([2, 2, 4])
})
