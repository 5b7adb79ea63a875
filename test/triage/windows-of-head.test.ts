import { pino } from 'pino'
import { expect, test } from 'vitest'
import { DEFAULT_INERT_PATHS, InertPaths } from '../../src/bisect/binary-paths.ts'
import { type HistoryFacts, historyKey } from '../../src/history/history-facts.ts'
import type { TrunkSeries, TrunkStep } from '../../src/history/trunk-series.ts'
import { queryKey } from '../../src/measurement/run.ts'
import { type AskCommits, windowsOfHead } from '../../src/triage/windows-of-head.ts'
import { commitOf, point, seriesOf, step, windowCommit } from '../bisect/series-builder.ts'
import { judged, measured, runOf, times } from './judge-setting.ts'

const log = pino({ level: 'silent' })

/** Old build 10, merge base 60. */
const references = [{ commit: commitOf(10), architectures: [null], commitsBeforeMergeBase: 50 }]
const order = new Map(Array.from({ length: 51 }, (_, index) => [commitOf(10 + index), index]))

const stepAt = (good: number, more: Partial<TrunkStep> = {}) => {
  const [lastGood, firstBad] = [point(good - 1, 0.1, 0.1), point(good + 1, 0.1, 0.12)]
  return step({ lastGood, firstBad, earliest: firstBad, latest: firstBad, step: 0.2, ...more })
}

/** A report of queries that are 20 % slower, each with the step that the trunk has of it. */
function headOf(steps: readonly (TrunkStep | null)[]) {
  const names = steps.map((_, index) => `t${String(index).padStart(3, '0')}`)
  const keyOf = (name: string) => historyKey(queryKey({ test: name, queryIndex: 0, queryName: `SELECT ${name}` }), null)
  const facts: HistoryFacts = {
    queries: new Map(
      names.map((name, index) => [keyOf(name), { moves: null, flaggedElsewhere: [], step: steps[index]! }]),
    ),
    learned: null,
    orderOnTrunk: order,
    problem: null,
  }
  const series = new Map<string, TrunkSeries>(
    names.map((name) => [
      keyOf(name),
      seriesOf([0.1, 0.1], { test: name, queryIndex: 0, queryName: `SELECT ${name}`, architecture: null }),
    ]),
  )
  const report = judged([runOf(names.map((name) => measured(name, times(1.2))))], {
    history: facts,
    references,
    mergeBase: commitOf(60),
  })
  return { report, history: { facts, series } }
}

test('each pair of ends is asked for once, five at most, and the others stay without commits', async () => {
  const { report, history } = headOf(Array.from({ length: 14 }, (_, index) => stepAt(20 + 2 * Math.floor(index / 2))))
  const asked: string[] = []
  const askCommits: AskCommits = async (lastGood, firstBad) => {
    asked.push(`${lastGood} ${firstBad}`)
    return { total: 1, listed: [windowCommit(7, ['src/a.cpp'])] }
  }
  const windows = await windowsOfHead(report, history, askCommits, new InertPaths(DEFAULT_INERT_PATHS), log)
  expect(windows).toHaveLength(14)
  expect(windows.map(({ test: name }) => name)).toEqual(report.rows.map(({ test: name }) => name))
  expect([asked.length, new Set(asked).size]).toEqual([5, 5])
  expect(windows.filter(({ commits }) => commits !== null)).toHaveLength(10)
  expect(windows[0]).toMatchObject({ unit: 's', functional: [{ pullRequestNumber: 7 }], steps: 0 })
})

test('a call that fails leaves the window without commits, the others have theirs', async () => {
  const { report, history } = headOf([stepAt(20), stepAt(30)])
  const askCommits: AskCommits = async (lastGood) => {
    if (lastGood === commitOf(20)) throw new Error('502')
    return { total: 0, listed: [] }
  }
  const windows = await windowsOfHead(report, history, askCommits, new InertPaths(DEFAULT_INERT_PATHS), log)
  expect(windows.map(({ step: { lastGood }, commits }) => [lastGood.commit, commits?.total ?? null])).toEqual([
    [commitOf(20), null],
    [commitOf(30), 0],
  ])
})

test('an open row has the window of a step that may lie between, unless it is much smaller than the row’s', async () => {
  const none: AskCommits = async () => null
  // It begins before the old build.
  const near = headOf([stepAt(9)])
  expect(near.report.rows[0]).toMatchObject({ verdict: 'regression' })
  expect(near.report.rows[0]!.evidence.map(({ kind }) => kind)).not.toContain('already-on-trunk')
  expect(await windowsOfHead(near.report, near.history, none, new InertPaths(DEFAULT_INERT_PATHS), log)).toHaveLength(1)
  const small = headOf([stepAt(9, { step: 0.06 })])
  expect(await windowsOfHead(small.report, small.history, none, new InertPaths(DEFAULT_INERT_PATHS), log)).toEqual([])
  const nothing = headOf([null])
  expect(await windowsOfHead(nothing.report, nothing.history, none, new InertPaths(DEFAULT_INERT_PATHS), log)).toEqual(
    [],
  )
})
