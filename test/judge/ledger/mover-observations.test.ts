import { expect, test } from 'vitest'
import { resultKey } from '../../../src/intake/measurement/run.ts'
import type { HistoryFacts, QueryHistory } from '../../../src/judge/history/history-facts.ts'
import { nextEntry } from '../../../src/judge/ledger/entry-life.ts'
import { moverObservations } from '../../../src/judge/ledger/mover-observations.ts'
import { arm, judged, measured, OVERLAPPING, shard, times } from '../../report/judge-setting.ts'

const DAY = 86_400_000
const NOW = Date.parse('2026-11-20T10:00:00.000Z')
const moves = { runs: 214, times: 14, lowest: -0.2, highest: 0.3 }
const flag = (pullRequestNumber: number, days: number) => ({
  pullRequestNumber,
  time: NOW - days * DAY,
  difference: 0.2,
  oldCommit: null,
  witness: { name: String(pullRequestNumber), isStranger: false },
})
const keyOf = (name: string) =>
  resultKey({ test: name, queryIndex: 0, queryName: `SELECT ${name}`, architecture: 'arm' })

function moversOf(known: Readonly<Record<string, Partial<QueryHistory>>>, movers: HistoryFacts['movers'] = []) {
  const history: HistoryFacts = {
    queries: new Map(
      Object.entries(known).map(([name, one]) => [
        keyOf(name),
        { moves: null, flaggedElsewhere: [], step: null, ...one },
      ]),
    ),
    learned: null,
    orderOnTrunk: null,
    problem: null,
    movers,
  }
  const runs = [arm(measured('sum', OVERLAPPING), measured('uniq', times(1.3)), measured('calm', times(1)))]
  const report = judged(runs, { history, shards: [shard({ check: 'perf arm', architecture: 'arm' })] })
  return moverObservations(report, history, NOW)
}

test('what moves on the trunk is chronic, with its hits here, elsewhere and there', () => {
  expect(
    moversOf({ sum: { moves, flaggedElsewhere: [flag(11, 0.5), flag(12, 3), flag(11, 20), flag(7, 1)] } }),
  ).toEqual([
    {
      kind: 'mover',
      testName: 'sum',
      checkName: 'perf arm',
      signature: keyOf('sum'),
      isChronic: true,
      firstSeen: NOW - 20 * DAY,
      lastSeen: NOW,
      hits1: 2,
      hits7: 3,
      hits30: 4,
      unrelatedPullRequests: 2,
      trunkHits: 14,
    },
  ])
})

test('flags of nobody whose word counts are no hits, and those of one witness are one pull request', () => {
  const one = { name: 'stack', isStranger: false }
  const flaggedElsewhere = [
    { ...flag(11, 0.5), witness: null },
    { ...flag(12, 1), witness: one },
    { ...flag(13, 1), witness: one },
  ]
  expect(moversOf({ sum: { moves, flaggedElsewhere } })).toMatchObject([{ hits7: 3, unrelatedPullRequests: 1 }])
})

test('what is flagged everywhere for two days is seen, and no habit', () => {
  const [seen] = moversOf({ uniq: { flaggedElsewhere: [flag(11, 0.5), flag(12, 1)] } })
  expect(seen).toMatchObject({ testName: 'uniq', isChronic: false, hits7: 3, trunkHits: 0 })
})

test('rows without such evidence, and rows that did not change, are none', () => {
  expect(moversOf({})).toEqual([])
  expect(moversOf({ calm: { moves }, uniq: { moves: { ...moves, times: 2 } } })).toEqual([])
})

test('what moves on the trunk by the floor is chronic though nobody flags it', () => {
  const calm = { test: 'calm', queryIndex: 0, queryName: 'SELECT calm', architecture: 'arm', atLeast: 0.05 }
  const lastTime = NOW - 2 * DAY
  const mover = { ...calm, moves: { ...moves, times: 20, lastTime }, flaggedElsewhere: [flag(11, 3), flag(7, 1)] }
  expect(moversOf({}, [mover])).toEqual([
    {
      kind: 'mover',
      testName: 'calm',
      checkName: 'perf arm',
      signature: keyOf('calm'),
      isChronic: true,
      firstSeen: NOW - 3 * DAY,
      lastSeen: lastTime,
      hits1: 0,
      hits7: 1,
      hits30: 1,
      unrelatedPullRequests: 1,
      trunkHits: 20,
    },
  ])
  const settings = { closeAfterDays: 14, expireAfterDays: 30 }
  const [seen] = moversOf({}, [mover])
  expect(nextEntry(null, seen!, NOW, settings)).toMatchObject({ kind: 'mover', state: 'open', trunkHits: 20 })
  // One that has become calm on the trunk opens none.
  const [quiet] = moversOf({}, [
    { ...mover, flaggedElsewhere: [], moves: { ...mover.moves, lastTime: NOW - 20 * DAY } },
  ])
  expect(nextEntry(null, quiet!, NOW, settings)).toBeNull()
})

test('flagged here and moving on the trunk is one observation', () => {
  const uniq = { test: 'uniq', queryIndex: 0, queryName: 'SELECT uniq', architecture: 'arm', atLeast: 0.05 }
  const both = moversOf({ uniq: { flaggedElsewhere: [flag(11, 0.5), flag(12, 1)] } }, [
    { ...uniq, moves: { ...moves, times: 20, lastTime: NOW - DAY }, flaggedElsewhere: [] },
  ])
  expect(both).toMatchObject([{ testName: 'uniq', isChronic: true, lastSeen: NOW, hits7: 3, trunkHits: 20 }])
})

test('a chronic mover opens an entry, one that is not does not', () => {
  const settings = { closeAfterDays: 14, expireAfterDays: 30 }
  const [chronic] = moversOf({ sum: { moves } })
  const [flagged] = moversOf({ sum: { flaggedElsewhere: [flag(11, 0.5), flag(12, 1)] } })
  expect(nextEntry(null, chronic!, NOW, settings)).toMatchObject({ kind: 'mover', state: 'open', trunkHits: 14 })
  expect(nextEntry(null, flagged!, NOW, settings)).toBeNull()
})
