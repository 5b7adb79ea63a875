import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { UnstoredRuns } from '../../../src/bot/triage/unstored-runs.ts'
import type { Run } from '../../../src/intake/measurement/run.ts'
import { measured, runOf } from '../../report/judge-setting.ts'

const METRIC = 'client_time'
const sum = measured('sum', [1, 2, 3])

function taker() {
  const unstored = new UnstoredRuns()
  const stored: string[] = []
  const take = (run: Run) => unstored.take(run, METRIC, async () => void stored.push(run.check))
  return { unstored, stored, take }
}

test('a run is judged as it would be read back, and stored when the time has come', async () => {
  const { unstored, stored, take } = taker()
  expect(take(runOf([sum], { check: 'perf 1' }))).toBe(true)
  expect(take(runOf([sum], { check: 'perf 2', othersUnread: true }))).toBe(true)
  expect(unstored.runs).toEqual([
    runOf([sum], { check: 'perf 1' }),
    runOf([sum], { check: 'perf 2', othersUnread: true }),
  ])
  expect(stored).toEqual([])
  await unstored.store()
  await unstored.store()
  expect(stored).toEqual(['perf 1', 'perf 2'])
})

test('what the store alone can say of a run is no reason to guess: it is stored first', () => {
  const { unstored, take } = taker()
  const profile = { test: 'sum', queryIndex: 0, queryName: null, traceType: 'CPU' as const, old: [], new: [] }
  const labels = { kind: 'program', old: ['a'], new: ['b'] } as const
  const once = measured('sum', [1], { old: [1] })
  const beside = measured('join', [1, 2], { metric: 'server_time' })
  expect(take(runOf([sum], { profiles: [profile] }))).toBe(false)
  expect(take(runOf([sum], { labels }))).toBe(false)
  expect(take(runOf([once]))).toBe(false)
  expect(take(runOf([sum, beside]))).toBe(false)
  expect(unstored.runs).toEqual([])
})

test('runs take a million numbers together; what is beyond is stored at once', () => {
  const { unstored, take } = taker()
  const large = (check: string, queries: number) =>
    runOf(
      Array.from({ length: queries }, (_, index) => measured(`${index}`, Array(7).fill(1))),
      { check },
    )
  expect(take(large('perf 1', 30_000))).toBe(true)
  expect(take(large('perf 2', 30_000))).toBe(false)
  expect(take(large('perf 3', 1000))).toBe(true)
  expect(unstored.runs.map(({ check }) => check)).toEqual(['perf 1', 'perf 3'])
})

test('a metric that no report reads is not among what is judged', () => {
  const { unstored, take } = taker()
  const work = measured('sum', [10], { old: [9], metric: 'SelectedRows' })
  const other = measured('sum', [10], { old: [9], metric: 'OpenedFiles' })
  expect(take(runOf([sum, work, other]))).toBe(true)
  expect(unstored.runs).toEqual([runOf([sum, work])])
})

test('three runs are written at once; after a failure no other is begun, and what is left is stored by the next call', async () => {
  const unstored = new UnstoredRuns()
  const begun: string[] = []
  let [atOnce, most, isDown] = [0, 0, true]
  for (let place = 1; place <= 8; place += 1)
    unstored.take(runOf([sum], { check: `perf ${place}` }), METRIC, async () => {
      begun.push(`perf ${place}`)
      atOnce += 1
      most = Math.max(most, atOnce)
      await setTimeout(1)
      atOnce -= 1
      if (isDown && place === 2) throw new Error('not now')
    })
  await expect(unstored.store()).rejects.toThrow('not now')
  expect(atOnce).toBe(0)
  expect(begun).not.toContain('perf 8')
  isDown = false
  await unstored.store()
  await unstored.store()
  expect(most).toBe(3)
  expect(begun.toSorted()).toEqual([
    'perf 1',
    'perf 2',
    'perf 2',
    ...[3, 4, 5, 6, 7, 8].map((place) => `perf ${place}`),
  ])
  expect(unstored.runs).toEqual([])
})
