import { expect, test } from 'vitest'
import { otherJudgesOf } from '../../src/report/other-judges.ts'
import { changed, ownVerdict, quiet, report, row, shard } from './render/report-builder.ts'

const SLOWER = row('hash', 0, [changed(0.1, 0.14)])

test('a red check with nothing open here is named with what it counted', () => {
  const judged = otherJudgesOf(
    report(quiet(5), {
      shards: [
        shard(1, 2, {
          conclusion: 'failure',
          said: '2 slower; 2 confirmed regression(s) on the performance dashboard',
        }),
        shard(2, 2, { said: '1 faster, 3 slower' }),
      ],
    }),
  )
  expect(judged?.checks).toBe(2)
  expect(judged?.red.map((one) => one.shard)).toEqual([1])
  expect(judged?.counts).toEqual([
    { number: 2, what: 'confirmed regression' },
    { number: 2, what: 'slower' },
  ])
})

test('green checks that counted something differ from a report with an open row', () => {
  const counted = report([SLOWER], { shards: [shard(1, 1, { said: '1 slower' })] })
  expect(otherJudgesOf(counted)).toMatchObject({ checks: 1, red: [] })
})

test.each([
  ['green checks that count nothing', { said: 'Successful in 12m' }, true],
  ['a workflow as a whole', { conclusion: 'failure' }, false],
  ['a check that agrees in red', { conclusion: 'failure', said: '' }, true],
  ['a check that agrees in green', { said: '0 slower' }, false],
  ['a check that ran out of time', { conclusion: 'timed_out', said: '' }, false],
  ['a check without results', { state: 'failed', conclusion: 'failure', said: '' }, false],
] as const)('nothing is said of %s', (_, more, isOpen) => {
  expect(otherJudgesOf(report(isOpen ? [SLOWER] : quiet(3), { shards: [shard(1, 1, more)] }))).toBeNull()
})

test('nothing is said before all shards are in', () => {
  const some = [shard(1, 2, { conclusion: 'failure', said: '' }), shard(2, 2, { state: 'pending', conclusion: null })]
  expect(otherJudgesOf(report(quiet(3), { shards: some }))).toBeNull()
})

const flag = (queryIndex: number, test = 'hash') => ({ test, queryIndex, flag: 'slower' }) as const

test('what the report of a run flags is set beside what is open here, row by row', () => {
  const rows = [SLOWER, row('hash', 1, [changed(0.1, 0.15)]), ...quiet(3)]
  const own = (flags: ReturnType<typeof flag>[], dashboard: { test: string; queryIndex: number }[] = []) =>
    otherJudgesOf(report(rows, { ownVerdicts: [{ ...ownVerdict('success', flags), dashboard }] }))?.own

  expect(own([flag(0), flag(1)])).toBeUndefined()
  const one = own([flag(1), flag(7)], [flag(0), flag(9)])
  expect(one).toMatchObject({ slower: 2, faster: 0, unstable: 4 })
  expect(one?.onlyThere.map(({ queryIndex, row: here }) => [queryIndex, here])).toEqual([[7, null]])
  expect(one?.onlyHere.map(({ queryIndex }) => queryIndex)).toEqual([0])
  expect(one?.dashboard.map(({ queryIndex }) => queryIndex)).toEqual([9])
})

test('a row is open here alone only where a report was there that could have flagged it', () => {
  const onArm = row('hash', 0, [changed(0.1, 0.14, { architecture: 'arm' })])
  const judged = (more: object) =>
    otherJudgesOf(report([onArm], { architectures: ['arm'], ownVerdicts: [{ ...ownVerdict('success', []), ...more }] }))
  expect(judged({ architecture: 'arm' })?.own?.onlyHere).toHaveLength(1)
  expect(judged({ architecture: 'amd' })).toBeNull()
  expect(judged({ architecture: 'arm', flagged: null })).toBeNull()
})
