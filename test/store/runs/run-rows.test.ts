import { expect, test } from 'vitest'
import { readRun } from '../../../src/intake/archive/read-run.ts'
import type { Measurement } from '../../../src/intake/measurement/run.ts'
import { classify } from '../../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../../src/judge/verdict/thresholds.ts'
import { type Judge, rowsOfRun } from '../../../src/store/runs/run-rows.ts'
import { DEMO_RUN } from '../../web/measured-report.ts'

test('results that are judged metric by metric while the rows are read are those that are judged at once', async () => {
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
  const oneByOne = rowsOfRun(run, judge, expires)
  const sorted = [...oneByOne.results].toSorted((a, b) => a.position - b.position)
  expect(sorted).toStrictEqual([...atOnce.results])
  expect(sorted.some(({ result }) => result?.outcome === 'changed')).toBe(true)
  expect([oneByOne.resultCount, oneByOne.sampleCount]).toEqual([atOnce.resultCount, atOnce.sampleCount])
  expect(Math.max(...asked)).toBe(1)
})
