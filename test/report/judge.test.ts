import { describe, expect, test } from 'vitest'
import type { StoredAttempt } from '../../src/judge/verdict/evidence/shard-shift.ts'
import { findingsOf } from '../../src/judge/verdict/findings.ts'
import { conclusionOf, unknownsOf } from '../../src/report/check-conclusion.ts'
import { verdictLine } from '../../src/report/render/sections/headline.ts'
import { NO_LINKS, viewOf } from '../../src/report/render/view.ts'
import { shouldComment } from '../../src/report/should-comment.ts'
import { amd, arm, judged, measured, runOf, STEADY, shard, times } from './judge-setting.ts'

describe('several architectures', () => {
  test('of one query are one row, the worst decides, counts count rows', () => {
    const report = judged([arm(measured('sum', times(1.2))), amd(measured('sum', times(1)))])
    expect(report.architectures).toEqual(['amd', 'arm'])
    expect(report.rows).toHaveLength(1)
    expect(report.rows[0]).toMatchObject({
      decidedBy: 1,
      outcome: 'changed',
      direction: 'slower',
      verdict: 'regression',
    })
    expect(report.rows[0]!.results.map(({ architecture }) => architecture)).toEqual(['amd', 'arm'])
    expect(report.counts).toMatchObject({ slower: 1, faster: 0, notSignificant: 0 })
  })

  test('slower here and faster there is slower', () => {
    const report = judged([arm(measured('sum', times(1.2))), amd(measured('sum', times(0.7)))])
    expect(report.counts).toMatchObject({ slower: 1, faster: 0 })
    expect(report.rows[0]!.evidence.map(({ kind }) => kind)).not.toContain('replicated')
  })

  test('are matched by text, not by position', () => {
    const report = judged([
      arm(measured('sum', times(1.2), { queryIndex: 3 })),
      amd(measured('sum', times(1.2), { queryIndex: 4 })),
    ])
    expect(report.rows).toHaveLength(1)
    expect(report.rows[0]!.evidence.map(({ kind }) => kind)).toContain('replicated')
  })

  describe('with a guarded one', () => {
    // On arm 3.2 times as slow, but so noisy that it is unstable.
    const noisyOld = [0.02, 0.02, 0.02, 0.02, 0.5, 0.6, 0.7]
    const noisyNew = [0.02, 0.02, 0.064, 0.064, 0.064, 0.7, 0.8]
    const guarded = arm(measured('sum', noisyNew, { old: noisyOld }))

    test('stand at the top and are never below a rerun', () => {
      const [first] = judged([guarded, amd(measured('sum', times(1)), measured('uniq', times(1.2)))]).rows
      expect(first).toMatchObject({ test: 'sum', guarded: true, outcome: 'unstable', verdict: 'needs-rerun' })
      const [faster] = judged([guarded, amd(measured('sum', times(0.5)))]).rows
      expect(faster).toMatchObject({ guarded: true, outcome: 'unstable', verdict: 'needs-rerun' })
    })

    test('stay a regression where another one is', () => {
      const report = judged([guarded, amd(measured('sum', times(1.4)))])
      expect(report.rows).toMatchObject([{ guarded: true, direction: 'slower', verdict: 'regression' }])
      expect(report.counts).toMatchObject({ slower: 1, unstable: 0 })
    })
  })
})

describe('the measurement set', () => {
  test('a query that two checks measured is not pooled: the worse result stands and a warning says so', () => {
    const report = judged([
      runOf([measured('sum', times(1.2))], { check: 'perf b' }),
      runOf([measured('sum', times(1))], { check: 'perf a' }),
    ])
    expect(report.rows).toMatchObject([{ outcome: 'changed', results: [{ new: { repetitions: 7 } }] }])
    expect(report.warnings).toMatchObject([{ code: 'duplicate-sample', where: 'perf a' }])
  })

  test('a result of one side gives way to one that can be compared', () => {
    const report = judged([
      runOf([measured('sum', times(1.2), { old: [] })], { check: 'perf a' }),
      runOf([measured('sum', times(1.4))], { check: 'perf b' }),
    ])
    expect(report.rows).toMatchObject([{ outcome: 'changed' }])
  })

  test('a query without samples in one check gives way to the one that measured it', () => {
    const report = judged([
      runOf([measured('sum', [], { old: [] })], { check: 'perf a' }),
      runOf([measured('sum', times(1.2))], { check: 'perf b' }),
    ])
    expect(report.rows).toMatchObject([{ outcome: 'changed' }])
    expect(report.warnings).toEqual([])
  })

  test('equal texts in one test stay two rows', () => {
    const report = judged([
      runOf([measured('sum', times(1.2)), measured('sum', times(1), { queryIndex: 1, ordinal: 1 })]),
    ])
    expect(report.rows.map(({ queryIndex, outcome }) => [queryIndex, outcome])).toEqual([
      [0, 'changed'],
      [1, 'not-significant'],
    ])
  })

  test('only the primary metric makes rows', () => {
    const report = judged([
      runOf([measured('sum', times(1)), measured('uniq', times(2), { metric: 'memory_usage', unit: 'bytes' })]),
    ])
    expect(report.rows.map(({ test }) => test)).toEqual(['sum'])
    expect(report.counts).toMatchObject({ slower: 0, notSignificant: 1 })
  })

  test('warnings of the readers say which check they are from', () => {
    const warnings = [{ code: 'truncated-line', where: 'sum-raw.tsv:7', message: 'cut' }] as const
    const report = judged([runOf([measured('sum', times(1))], { check: 'perf arm', warnings })])
    expect(report.warnings).toEqual([{ code: 'truncated-line', where: 'perf arm: sum-raw.tsv:7', message: 'cut' }])
  })

  test('named architectures come in order, the unnamed one last, each with its own budget', () => {
    const report = judged([
      runOf([measured('sum', times(1)), measured('uniq', times(1))], { check: 'a' }),
      arm(measured('sum', times(1))),
      amd(measured('sum', times(1))),
    ])
    expect(report.architectures).toEqual(['amd', 'arm', null])
    expect(report.discoveries.map(({ architecture, tested }) => [architecture, tested])).toEqual([
      ['amd', 1],
      ['arm', 1],
      [null, 2],
    ])
  })

  test('says where the thresholds came from and the smallest p of the set', () => {
    const few = { old: STEADY.slice(0, 5) }
    const report = judged([
      runOf([
        measured('sum', times(1).slice(0, 5), few),
        measured('uniq', times(1), { reportThreshold: 0.2 }),
        measured('join', [], { old: [] }),
      ]),
    ])
    expect(report.thresholdSources).toEqual({
      floor: 1,
      configured: 0,
      test: 1,
      learned: 0,
      given: 0,
      entry: 0,
      history: 0,
    })
    expect(report.smallestPValue).toBeCloseTo(0.011655, 6)
  })

  test('is complete when every shard has ended, or when nobody waits any longer', () => {
    const waiting = [shard(), shard({ check: 'perf 2', state: 'missing' })]
    expect(judged([], { shards: waiting }).complete).toBe(false)
    expect(judged([], { shards: waiting, isFinal: true }).complete).toBe(true)
    expect(judged([], { shards: [shard(), shard({ state: 'failed' })] }).complete).toBe(true)
    expect(judged([], { shards: [] }).complete).toBe(false)
  })

  test('a query on one side only has a status and no verdict', () => {
    const report = judged([runOf([measured('sum', times(1), { old: [] })])])
    expect(report.counts).toMatchObject({ notCompared: 1, notSignificant: 0 })
    expect(report.rows).toMatchObject([{ outcome: null, verdict: null, results: [{ status: 'only-new' }] }])
  })
})

describe('since the last push', () => {
  const before = ['sum', 'uniq', 'join', 'gone'].map((test) => measured(test, times(1.2)))
  const previous = {
    ...judged([runOf([...before, measured('calm', times(1))])]),
    head: 'a'.repeat(40),
  }

  test('new, unchanged and resolved; what was not measured again is not resolved', () => {
    const now = [
      measured('sum', times(1.2)),
      measured('uniq', times(1)),
      measured('sort', times(1.2)),
      measured('calm', times(1)),
      measured('gone', [], { old: [] }),
    ]
    const report = judged([runOf(now)], { previous })
    expect(report.sinceLastPush).toEqual({ head: 'a'.repeat(40), new: 1, unchanged: 1, resolved: ['uniq #0'] })
    expect(Object.fromEntries(report.rows.map(({ test, sinceLastPush }) => [test, sinceLastPush]))).toEqual({
      sum: 'unchanged',
      sort: 'new',
      uniq: null,
      calm: null,
      gone: null,
    })
  })

  test('an architecture that is not in yet has resolved nothing', () => {
    const slower = {
      ...judged([arm(measured('sum', times(1.2))), amd(measured('sum', times(1)))]),
      head: 'a'.repeat(40),
    }
    const report = judged([amd(measured('sum', times(1)))], { previous: slower })
    expect(report.sinceLastPush).toMatchObject({ resolved: [] })
  })

  test('nothing is said without an earlier report', () => {
    expect(judged([runOf([measured('sum', times(1.2))])]).sinceLastPush).toBeNull()
  })
})

test('a shard whose machine shifted alone explains its small moves and not its large one', () => {
  const shifted = Array.from({ length: 30 }, (_, index) => measured(`a${index}`, times(1.06)))
  const still = Array.from({ length: 30 }, (_, index) => measured(`b${index}`, times(1)))
  const report = judged([
    runOf([...shifted, measured('large', times(1.4))], { check: 'perf (1/2)', shard: 1, shards: 2 }),
    runOf(still, { check: 'perf (2/2)', shard: 2, shards: 2 }),
  ])
  expect(report.shifts.map(({ shard, notable }) => [shard, notable])).toEqual([
    [1, true],
    [2, false],
  ])
  expect(report.rows[0]).toMatchObject({ test: 'large', verdict: 'regression' })
  expect(report.rows.filter(({ verdict }) => verdict === 'likely-noise')).toHaveLength(30)
})

describe('a run of which everything moved, with no other shard beside it', () => {
  const moved = (factor: number) => Array.from({ length: 30 }, (_, index) => measured(`a${index}`, times(factor)))
  const medians = (shift: number) => Array.from({ length: 30 }, () => [0.1, 0.1 * (1 + shift)] as const)
  const alone = { check: 'perf', architecture: null, shard: null }

  test('is said once, and its rows ask for a rerun, whether they overlap or not', () => {
    const report = judged([runOf([...moved(1.08), measured('large', times(1.4))])])
    expect(report.rows.filter(({ results: [result] }) => result!.separated)).toHaveLength(31)
    expect(report.rows[0]).toMatchObject({ test: 'large', verdict: 'regression' })
    expect(report.rows.filter(({ verdict }) => verdict === 'needs-rerun')).toHaveLength(30)
    expect(report.wholeRun).toMatchObject([{ architecture: null, shard: null, again: null, verdict: 'needs-rerun' }])
    expect(report.wholeRun![0]!.shift).toBeCloseTo(0.08, 10)
  })

  test('is one regression where an earlier attempt moved as far, and only an earlier one of this very check', () => {
    const run = runOf(moved(1.08), { attempt: 3 })
    const verdictWith = (attempt: Partial<StoredAttempt>) =>
      judged([run], { earlierAttempts: [{ ...alone, attempt: 2, medians: medians(0.07), ...attempt }] }).wholeRun![0]!
        .verdict
    expect(verdictWith({})).toBe('regression')
    expect(verdictWith({ attempt: 3 })).toBe('needs-rerun')
    expect(verdictWith({ attempt: 4 })).toBe('needs-rerun')
    expect(verdictWith({ check: 'other' })).toBe('needs-rerun')
    expect(verdictWith({ architecture: 'arm' })).toBe('needs-rerun')
    expect(verdictWith({ shard: 1 })).toBe('needs-rerun')
    expect(verdictWith({ medians: medians(0.02) })).toBe('needs-rerun')
    expect(verdictWith({ medians: medians(0.07).slice(0, 19) })).toBe('needs-rerun')
  })

  test('is none beside a shard that stood still, and one of each architecture otherwise', () => {
    const still = Array.from({ length: 30 }, (_, index) => measured(`b${index}`, times(1)))
    const shards = (of: ReturnType<typeof moved>, number: number) =>
      runOf(of, { check: `perf (${number}/2)`, shard: number, shards: 2 })
    expect(judged([shards(moved(1.08), 1), shards(still, 2)]).wholeRun).toEqual([])
    expect(judged([shards(moved(1.08), 1)]).wholeRun).toMatchObject([{ shard: 1 }])
    expect(judged([arm(...moved(1.08)), amd(...still)]).wholeRun).toMatchObject([{ architecture: 'arm' }])
  })

  test('praises nobody where it is faster', () => {
    const report = judged([runOf([...moved(0.94), measured('large', times(0.5))])])
    expect(report.rows.filter(({ verdict }) => verdict === 'likely-noise')).toHaveLength(30)
    expect(report.rows.filter(({ verdict }) => verdict === 'improvement').map((row) => row.test)).toEqual(['large'])
    expect(report.wholeRun).toMatchObject([{ verdict: null }])
    const calm = judged([runOf(moved(0.94))])
    expect(verdictLine(viewOf(calm, NO_LINKS)).replaceAll('\u00a0', ' ')).toBe(
      'The whole run is 6% faster, so what got faster may be the machine',
    )
    expect([findingsOf(calm).hasImprovement, shouldComment('on-change', calm), conclusionOf(calm)]).toEqual([
      false,
      'keep',
      'success',
    ])
  })

  test('replicates no row of another architecture, and is one regression where that moved as far', () => {
    const report = judged([arm(...moved(1.08)), amd(...moved(1.07))])
    expect(report.rows.flatMap(({ evidence }) => evidence).filter(({ kind }) => kind === 'replicated')).toEqual([])
    expect(new Set(report.rows.map(({ verdict }) => verdict))).toEqual(new Set(['needs-rerun']))
    expect(report.wholeRun!.map(({ verdict }) => verdict)).toEqual(['regression', 'regression'])
    const apart = judged([arm(...moved(1.08)), amd(...moved(1.15))])
    expect(apart.wholeRun!.map(({ verdict }) => verdict)).toEqual(['needs-rerun', 'needs-rerun'])
    const large = [measured('large', times(1.4))]
    const both = judged([arm(...moved(1.08), ...large), amd(...moved(1.07), ...large)])
    expect(both.rows[0]).toMatchObject({ test: 'large', verdict: 'regression' })
    expect(both.rows[0]!.evidence.map(({ kind }) => kind)).toContain('replicated')
  })

  test('is none while shards are awaited, and neither it nor its rows are a reason to write to anybody', () => {
    const awaited = Array.from({ length: 12 }, (_, index) =>
      shard({
        check: `perf (${index + 1}/12)`,
        shard: index + 1,
        shards: 12,
        state: index === 0 ? 'measured' : 'pending',
      }),
    )
    const first = (factor: number) => runOf(moved(factor), { check: 'perf (1/12)', shard: 1, shards: 12 })
    for (const factor of [1.04, 1.08]) {
      const report = judged([first(factor)], { shards: awaited })
      expect(report.shifts).toMatchObject([{ notable: true }])
      expect(report.wholeRun).toEqual([])
      expect(shouldComment('on-change', report)).toBe('keep')
      expect(verdictLine(viewOf(report, NO_LINKS))).toBe('No slowdown found so far')
    }
    // A row that is more than that does not wait, and where no other shard comes the shift is said.
    const large = runOf([...moved(1.08), measured('large', times(1.4))], { check: 'perf (1/12)', shard: 1, shards: 12 })
    expect(shouldComment('on-change', judged([large], { shards: awaited }))).toBe('post')
    expect(judged([first(1.08)], { shards: awaited, isFinal: true }).wholeRun).toMatchObject([{ shard: 1 }])
  })
})

test('what to look at first stands first', () => {
  const few = { old: STEADY.slice(0, 4) }
  const report = judged([
    runOf([
      measured('faster', times(0.5)),
      measured('calm', times(1)),
      measured('rerun', times(1.4).slice(0, 4), few),
      measured('slower', times(1.1)),
      measured('worse', times(1.3)),
      measured('guarded', times(1.6)),
      measured('absent', [], { old: [] }),
    ]),
  ])
  expect(report.rows.map(({ test, verdict }) => [test, verdict])).toEqual([
    ['guarded', 'regression'],
    ['worse', 'regression'],
    ['slower', 'regression'],
    ['rerun', 'needs-rerun'],
    ['absent', null],
    ['calm', null],
    ['faster', 'improvement'],
  ])
  expect(report.rows.filter(({ verdict }) => verdict === null).flatMap(({ evidence }) => evidence)).toEqual([])
})

test('the same input gives the same report, whatever the order of the runs', () => {
  const runs = [amd(measured('sum', times(1.2)), measured('uniq', times(1))), arm(measured('sum', times(1.1)))]
  expect(judged(runs.toReversed())).toEqual(judged(runs))
})

test('a new build may hold more than the change where it is neither the head nor its merge into the merge base', () => {
  const [mergeBase, head, other] = ['a', 'b', 'c'].map((digit) => digit.repeat(40)) as [string, string, string]
  const mayHoldMore = (newCommit: string | null, oldCommit: string | null, merges: readonly string[] = []) =>
    judged([runOf([measured('sum', times(1.2))], { oldCommit, newCommit })], { mergeBase, merges }).newMayHoldMore
  expect([mayHoldMore(head, mergeBase), mayHoldMore(head.slice(0, 12), mergeBase)]).toEqual([undefined, undefined])
  expect([mayHoldMore(other, mergeBase, [other]), mayHoldMore(other, mergeBase)]).toEqual([undefined, true])
  expect([mayHoldMore(null, mergeBase), mayHoldMore(null, null)]).toEqual([true, undefined])
})

test('new builds that nobody was asked about keep a gate closed, and one of them is named', () => {
  const builds = ['c', 'd', 'e'].map((digit) => digit.repeat(40))
  const runs = builds.map((newCommit) => runOf([measured('sum', STEADY)], { check: newCommit, newCommit }))
  const report = judged(runs, { unaskedHeads: builds.slice(1), mode: 'gating' })
  expect(report.wrongBuilds).toEqual([{ kind: 'new-is-unknown', commit: builds.at(-1) }])
  expect(unknownsOf(report)).toContain('wrong-builds')
})
