import { expect, test } from 'vitest'
import { resultKey } from '../../../src/intake/measurement/run.ts'
import { classifyByHistory } from '../../../src/judge/verdict/classify-one-sided.ts'
import { notCompared } from './rows.ts'

const TRUNK = [100, 102, 99, 101, 98, 103, 100, 97, 101, 100, 102, 99, 100, 101, 98, 100, 103, 99, 101, 100, 99, 102]

function judged(better: 'lower' | null, jobs: readonly number[]) {
  const row = notCompared('only-new', { better, new: { median: jobs.at(-1)!, repetitions: 1 } })
  const queries = new Map([[resultKey(row), { trunk: TRUNK, jobs }]])
  return classifyByHistory([row], { trunkRuns: TRUNK.length, jobs: jobs.length, queries }).results[0]!
}

test.each([
  ['one job that is far off has not changed yet', [140], 'unstable', null],
  ['two that agree have', [140, 141], 'changed', null],
  ['nothing guards what nobody can call worse', [900], 'unstable', null],
] as const)('without a known direction %s', (_, jobs, outcome, direction) => {
  const row = judged(null, jobs)
  expect(row).toMatchObject({ outcome, direction, history: { asksAgain: false, isGuarded: false } })
  // the same of a time asks for another job, or is slower
  const time = judged('lower', jobs)
  expect(time.history!.asksAgain || time.direction === 'slower').toBe(true)
  expect(row.difference).toBe(time.difference)
})
