import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { type AskCommits, pullRequestWindowOfHead, windowsOfHead } from '../../../src/bot/triage/windows-of-head.ts'
import { resultKey } from '../../../src/intake/measurement/run.ts'
import { DEFAULT_INERT_PATHS, InertPaths } from '../../../src/judge/bisect/binary-paths.ts'
import type { WindowCommit } from '../../../src/judge/bisect/bisect-window.ts'
import type { HistoryFacts } from '../../../src/judge/history/history-facts.ts'
import type { TrunkSeries, TrunkStep } from '../../../src/judge/history/trunk-series.ts'
import { type ChangedFunctions, changedFunctions } from '../../../src/judge/profile/changed-functions.ts'
import { grownFunctions } from '../../../src/judge/profile/grown-functions.ts'
import { StackTree } from '../../../src/judge/profile/stack-tree.ts'
import { profileWords } from '../../../src/judge/profile/words.ts'
import type { HeadProfiles } from '../../../src/report/judge-rows.ts'
import { commitOf, point, seriesOf, step, windowCommit } from '../../judge/bisect/series-builder.ts'
import { judged, measured, runOf, STEADY, times } from '../../report/judge-setting.ts'

const log = pino({ level: 'silent' })
const INERT = new InertPaths(DEFAULT_INERT_PATHS)

/** Old build 10, merge base 60. */
const references = [{ commit: commitOf(10), architectures: [null], commitsBeforeMergeBase: 50 }]
const order = new Map(Array.from({ length: 51 }, (_, index) => [commitOf(10 + index), index]))

const stepAt = (good: number, more: Partial<TrunkStep> = {}) => {
  const [lastGood, firstBad] = [point(good - 1, 0.1, 0.1), point(good + 1, 0.1, 0.12)]
  return step({ lastGood, firstBad, earliest: firstBad, latest: firstBad, step: 0.2, ...more })
}

/** A report of queries that are 20% slower, each with the step that the trunk has of it. */
function headOf(steps: readonly (TrunkStep | null)[]) {
  const names = steps.map((_, index) => `t${String(index).padStart(3, '0')}`)
  const keyOf = (name: string) =>
    resultKey({ test: name, queryIndex: 0, queryName: `SELECT ${name}`, architecture: null })
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
  const windows = await windowsOfHead(report, history, askCommits, INERT, log)
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
  const windows = await windowsOfHead(report, history, askCommits, INERT, log)
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
  expect(await windowsOfHead(near.report, near.history, none, INERT, log)).toHaveLength(1)
  const small = headOf([stepAt(9, { step: 0.06 })])
  expect(await windowsOfHead(small.report, small.history, none, INERT, log)).toEqual([])
  const nothing = headOf([null])
  expect(await windowsOfHead(nothing.report, nothing.history, none, INERT, log)).toEqual([])
})

describe('inside the pull request', () => {
  const HEAD = 'b'.repeat(40)
  const MERGE_BASE = 'a'.repeat(40)

  const commitOf = (index: number, files: readonly string[] | null): WindowCommit => ({
    sha: String(index).repeat(40),
    title: `change ${index}`,
    files,
    pullRequestNumber: null,
  })
  const COMMITS = [
    commitOf(1, ['docs/a.md']),
    commitOf(2, ['src/A.cpp']),
    commitOf(3, ['src/B.cpp']),
    commitOf(4, ['src/A.cpp', 'src/C.cpp']),
  ]

  const asksFor = (commits: readonly WindowCommit[], total = commits.length): AskCommits => {
    return async (base, head) => {
      expect([base, head]).toEqual([MERGE_BASE, HEAD])
      return { total, listed: commits }
    }
  }
  const nobody: AskCommits = () => Promise.reject(new Error('nobody should ask'))

  /** A report of one query with a profile in which `A::f` of `file` grew. */
  function headOf(fresh: readonly number[], frame: string, changed: ChangedFunctions | null) {
    const tree = new StackTree()
    for (const [stack, old, now] of [
      [`main;${frame}`, 310, 440],
      ['main;B::g', 690, 560],
    ] as const) {
      tree.add(stack, 'old', old)
      tree.add(stack, 'new', now)
    }
    const difference = tree.finish()
    const words = profileWords(difference, 'samples')
    const grown = grownFunctions(difference, 'samples')
    const runs = [runOf([measured('slow', fresh)])]
    const [row] = judged(runs).rows
    const profiles: HeadProfiles = new Map([
      [
        resultKey(row!.results[0]!),
        { shown: { architecture: null, traceType: 'CPU', traceTypes: ['CPU'], words }, grown },
      ],
    ])
    return { report: judged(runs, { mergeBase: MERGE_BASE, profiles, changedFunctions: changed }), profiles }
  }

  const CHANGED = changedFunctions(
    [
      { path: 'src/A.cpp', patch: '@@ -1,2 +1,3 @@ void A::f()\n     x();\n+    y();' },
      { path: 'src/B.cpp', patch: '@@ -1,2 +1,3 @@ void C::h()\n     x();\n+    y();' },
    ],
    false,
    () => true,
  )

  test('the commits that can change the binary, and those that touch the file of a function on the path', async () => {
    const { report, profiles } = headOf(times(1.3), 'A::f()', CHANGED)
    const window = await pullRequestWindowOfHead(
      report,
      { profiles, changedFunctions: CHANGED },
      asksFor(COMMITS),
      INERT,
      log,
    )
    expect(window).toMatchObject({ setAside: 1, steps: 2, middle: '2'.repeat(40), filesUnknown: 0 })
    expect(window!.functional.map(({ sha }) => sha[0])).toEqual(['2', '3', '4'])
    expect(window!.onPath!.map(({ sha }) => sha[0])).toEqual(['2', '4'])
  })

  test('frames that name their files say it without names', async () => {
    const { report, profiles } = headOf(times(1.3), './build/./src/B.cpp:7#other', CHANGED)
    const window = await pullRequestWindowOfHead(
      report,
      { profiles, changedFunctions: CHANGED },
      asksFor(COMMITS),
      INERT,
      log,
    )
    expect(window!.onPath!.map(({ sha }) => sha[0])).toEqual(['3'])
  })

  test('without a word of files nothing is said of any commit', async () => {
    const { report, profiles } = headOf(times(1.3), 'X::y()', CHANGED)
    const window = await pullRequestWindowOfHead(
      report,
      { profiles, changedFunctions: CHANGED },
      asksFor(COMMITS),
      INERT,
      log,
    )
    expect([window!.functional.length, window!.onPath]).toEqual([3, null])
    const bare = await pullRequestWindowOfHead(
      report,
      { profiles: new Map(), changedFunctions: null },
      asksFor(COMMITS),
      INERT,
      log,
    )
    expect([bare!.functional.length, bare!.onPath]).toEqual([3, null])
  })

  test('no window, and nobody asked, where no row is a regression', async () => {
    for (const fresh of [STEADY, times(0.7)]) {
      const { report, profiles } = headOf(fresh, 'A::f()', CHANGED)
      expect(
        await pullRequestWindowOfHead(report, { profiles, changedFunctions: CHANGED }, nobody, INERT, log),
      ).toBeNull()
    }
    const { report, profiles } = headOf(times(1.3), 'A::f()', CHANGED)
    expect(
      await pullRequestWindowOfHead(
        { ...report, mergeBase: null },
        { profiles, changedFunctions: CHANGED },
        nobody,
        INERT,
        log,
      ),
    ).toBeNull()
  })

  test.each([
    ['one commit that can change the binary', asksFor(COMMITS.slice(0, 2))],
    ['more commits than are listed', asksFor(COMMITS, 2000)],
    ['commits that GitHub does not know', async () => null],
    ['a GitHub that fails', () => Promise.reject(new Error('502'))],
  ] as readonly (readonly [string, AskCommits])[])('no window: %s', async (_name, ask) => {
    const { report, profiles } = headOf(times(1.3), 'A::f()', CHANGED)
    expect(await pullRequestWindowOfHead(report, { profiles, changedFunctions: CHANGED }, ask, INERT, log)).toBeNull()
  })
})
