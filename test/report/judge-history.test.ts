import { describe, expect, test } from 'vitest'
import { resultKey } from '../../src/intake/measurement/run.ts'
import { InertPaths } from '../../src/judge/bisect/binary-paths.ts'
import type { HistoryFacts, QueryHistory } from '../../src/judge/history/history-facts.ts'
import type { TrunkPoint, TrunkStep } from '../../src/judge/history/trunk-series.ts'
import { DEFAULT_THRESHOLDS } from '../../src/judge/verdict/thresholds.ts'
import { conclusionOf } from '../../src/report/check-conclusion.ts'
import type { ReportRow } from '../../src/report/report.ts'
import { amd, arm, judged, measured, OVERLAPPING, runOf, STEADY, times } from './judge-setting.ts'

const commit = (position: number) => String(position).padStart(40, 'c')
const MERGE_BASE = commit(20)
const ORDER = new Map(Array.from({ length: 11 }, (_, index) => [commit(10 + index), index]))
const stale = (architecture: string | null) => ({
  commit: commit(10),
  architectures: [architecture],
  commitsBeforeMergeBase: 10,
})

const NOTHING: QueryHistory = { moves: null, flaggedElsewhere: [], step: null }
const keyOf = (name: string, architecture: string | null = null) =>
  resultKey({ test: name, queryIndex: 0, queryName: `SELECT ${name}`, architecture })

function facts(
  queries: Readonly<Record<string, Partial<QueryHistory>>>,
  overrides: Partial<HistoryFacts> = {},
): HistoryFacts {
  return {
    queries: new Map(Object.entries(queries).map(([key, known]) => [key, { ...NOTHING, ...known }])),
    learned: null,
    orderOnTrunk: ORDER,
    problem: null,
    ...overrides,
  }
}

const point = (position: number): TrunkPoint => ({
  time: position * 1000,
  commit: commit(position),
  referenceCommit: commit(position - 1),
  old: 0.1,
  new: 0.12,
  difference: 0.2,
  threshold: 0.03,
})
const step = (size: number): TrunkStep => ({
  lastGood: point(13),
  firstBad: point(14),
  before: 0.1,
  after: 0.1 * (1 + size),
  step: size,
  earliest: point(14),
  latest: point(14),
  seenBy: 'both',
  recovered: null,
})

/** A run of each of 30 commits against the one before, with a step of that size in the 14th. */
const trunkOf = (size: number) => {
  const level = (position: number) => (position >= 14 ? 0.1 * (1 + size) : 0.1)
  const wobble = (index: number) => 1 + (((index * 7919) % 13) - 6) / 4000
  const points = Array.from({ length: 30 }, (_, position): TrunkPoint => {
    const old = level(position - 1) * wobble(2 * position)
    const fresh = level(position) * wobble(2 * position + 1)
    return { ...point(position), old, new: fresh, difference: fresh / old - 1 }
  })
  return { step: step(size), points }
}

const kinds = (row: ReportRow | undefined) => row?.evidence.map(({ kind }) => kind)

describe('without history', () => {
  test('everything is as it was, and the report says that nobody asked', () => {
    const report = judged([runOf([measured('sum', times(1.2))])])
    expect(report.history).toBeNull()
    expect(report.rows[0]).toMatchObject({ verdict: 'regression', evidence: [{ kind: 'floor-threshold' }] })
    expect(judged([runOf([measured('sum', times(1.2))])], { history: null, changedFiles: null })).toEqual(report)
  })

  test('that can be reached the report is complete, says why, and the verdicts are those of the floor', () => {
    const history = facts({}, { problem: 'unreachable' })
    const report = judged([runOf([measured('sum', times(1.2))])], { history })
    expect(report.history).toMatchObject({ provenance: null, problem: 'unreachable' })
    expect(report.degradations).toEqual(['history-not-available'])
    expect(report.rows[0]).toMatchObject({ verdict: 'regression', evidence: [{ kind: 'floor-threshold' }] })
  })
})

describe('a query that moves on the trunk', () => {
  const moves = { runs: 214, times: 14, lowest: -0.2, highest: 0.3 }

  test('is likely noise, also where the samples do not overlap: that says nothing of the noise between runs', () => {
    const history = facts({ [keyOf('sum')]: { moves }, [keyOf('uniq')]: { moves } })
    const report = judged([runOf([measured('sum', OVERLAPPING), measured('uniq', times(1.3))])], { history })
    const verdicts = new Map(report.rows.map((row) => [row.test, row.verdict]))
    expect(verdicts.get('sum')).toBe('likely-noise')
    expect(verdicts.get('uniq')).toBe('likely-noise')
    expect(kinds(report.rows[1])).toContain('moves-on-trunk')
  })

  test('is known by query and architecture', () => {
    const history = facts({ [keyOf('sum', 'arm')]: { moves } })
    expect(kinds(judged([amd(measured('sum', OVERLAPPING))], { history }).rows[0])).not.toContain('moves-on-trunk')
    expect(kinds(judged([arm(measured('sum', OVERLAPPING))], { history }).rows[0])).toContain('moves-on-trunk')
  })

  test('and was flagged in others stands beside it; one that stands still there speaks for the pull request', () => {
    const flaggedElsewhere = [11, 12].map((pullRequestNumber) => ({
      pullRequestNumber,
      time: Date.parse('2026-11-20T09:00:00.000Z'),
      difference: 0.1,
      oldCommit: null,
      witness: { name: String(pullRequestNumber), isStranger: false },
    }))
    const still = { runs: 214, times: 0, lowest: -0.02, highest: 0.03 }
    const of = (known: Partial<QueryHistory>) =>
      judged([runOf([measured('sum', OVERLAPPING)])], { history: facts({ [keyOf('sum')]: known }) }).rows[0]
    expect(of({ flaggedElsewhere })?.verdict).toBe('needs-rerun')
    expect(of({ flaggedElsewhere, moves: still })?.verdict).toBe('needs-rerun')
    expect(of({ moves: still })?.verdict).toBe('regression')
  })

  const flag = (pullRequestNumber: number, oldCommit: string | null) => ({
    pullRequestNumber,
    time: Date.parse('2026-11-20T09:00:00.000Z'),
    difference: 0.3,
    oldCommit,
    witness: { name: String(pullRequestNumber), isStranger: false },
  })

  test('flags elsewhere ask for a rerun and open no gate: the check is red as for a regression', () => {
    const of = (flags: readonly number[], mode: 'gating' | 'advisory', fresh = times(1.3)) => {
      const flaggedElsewhere = flags.map((number) => flag(number, null))
      const report = judged([runOf([measured('sum', fresh)])], {
        history: facts({ [keyOf('sum')]: { flaggedElsewhere } }),
        mode,
      })
      return [report.rows[0]?.verdict, conclusionOf(report)]
    }
    expect(of([], 'gating')).toEqual(['regression', 'failure'])
    expect(of([11, 12], 'gating')).toEqual(['needs-rerun', 'failure'])
    expect(of([11, 12], 'advisory')).toEqual(['needs-rerun', 'neutral'])
    expect(of([11, 12], 'gating', times(0.7))[0]).toBe('improvement')
  })

  test.each([
    ['the main branch has stepped since the old build of both', commit(10), 0.2, ORDER, false],
    ['the old build has the step', commit(14), 0.2, ORDER, true],
    ['the main branch has not stepped', commit(10), null, ORDER, true],
    ['nobody knows the order', commit(14), 0.2, null, false],
  ])('flags against the own old build where %s', (_name, oldCommit, size, orderOnTrunk, isSaid) => {
    const known = {
      flaggedElsewhere: [flag(11, oldCommit), flag(12, oldCommit)],
      step: size === null ? null : step(size),
    }
    const run = { ...runOf([measured('sum', times(1.3))]), oldCommit }
    const report = judged([run], { history: facts({ [keyOf('sum')]: known }, { orderOnTrunk }) })
    expect(kinds(report.rows[0])?.includes('flagged-elsewhere')).toBe(isSaid)
  })
})

describe('a step that the trunk made between the old build and the merge base', () => {
  const input = { mergeBase: MERGE_BASE, references: [stale(null)] }

  test('is not the pull request’s', () => {
    const history = facts({ [keyOf('sum')]: trunkOf(0.18) })
    const [row] = judged([runOf([measured('sum', times(1.2))])], { ...input, history }).rows
    expect(row).toMatchObject({
      verdict: 'already-on-trunk',
      evidence: [{ kind: 'already-on-trunk', firstBad: commit(14) }, { kind: 'stale-reference' }, {}],
    })
  })

  test('does not excuse what is slower than that, nor what is guarded', () => {
    const history = facts({ [keyOf('sum')]: trunkOf(0.18), [keyOf('uniq')]: trunkOf(0.6) })
    const report = judged([runOf([measured('sum', times(1.35)), measured('uniq', times(1.6))])], { ...input, history })
    expect(report.rows.map(({ test, verdict }) => [test, verdict])).toEqual([
      ['uniq', 'needs-rerun'],
      ['sum', 'regression'],
    ])
    expect(kinds(report.rows[1])).toContain('already-on-trunk')
  })

  test('excuses a row only where it explains each architecture that changed alike', () => {
    const runs = [arm(measured('sum', times(1.2))), amd(measured('sum', times(1.18)))]
    const known = { [keyOf('sum', 'arm')]: trunkOf(0.18), [keyOf('sum', 'amd')]: trunkOf(0.18) }
    const verdict = (references: readonly ReturnType<typeof stale>[]) =>
      judged(runs, { mergeBase: MERGE_BASE, references, history: facts(known) }).rows[0]?.verdict
    expect(verdict([stale('arm'), stale('amd')])).toBe('already-on-trunk')
    // On amd the old build is the merge base itself, and still slower: the change did that.
    const fresh = { commit: MERGE_BASE, architectures: ['amd'], commitsBeforeMergeBase: 0 }
    expect(verdict([stale('arm'), fresh])).toBe('regression')
  })
})

describe('shards of one architecture with different old builds', () => {
  const references = [
    { commit: commit(10), architectures: ['arm'], commitsBeforeMergeBase: 10 },
    { commit: MERGE_BASE, architectures: ['arm'], commitsBeforeMergeBase: 0 },
  ]
  const rowOf = (oldCommit: string | null) => {
    const other = { check: 'perf 1', architecture: 'arm', shard: 1, shards: 2, oldCommit: commit(10) }
    const own = { check: 'perf 2', architecture: 'arm', shard: 2, shards: 2, oldCommit }
    const runs = [runOf([measured('calm', STEADY)], other), runOf([measured('sum', times(1.2))], own)]
    const history = facts({ [keyOf('sum', 'arm')]: trunkOf(0.18) })
    return judged(runs, { mergeBase: MERGE_BASE, references, history }).rows.find(({ test: name }) => name === 'sum')
  }

  test('each row has that of its own run: measured against the merge base the trunk did nothing', () => {
    expect(rowOf(MERGE_BASE)).toMatchObject({ verdict: 'regression' })
    expect(kinds(rowOf(MERGE_BASE))).not.toContain('stale-reference')
    expect(rowOf(commit(10))).toMatchObject({ verdict: 'already-on-trunk' })
    expect(kinds(rowOf(commit(10)))).toContain('stale-reference')
  })

  test('where the run does not say, nobody can', () => {
    expect(rowOf(null)).toMatchObject({ verdict: 'regression' })
    expect(kinds(rowOf(null))).not.toContain('stale-reference')
  })
})

describe('what the run and the pull request say by themselves', () => {
  test('a confirmation rerun', () => {
    const confirmations = (result: 'confirmed' | 'not-reproduced') => [
      { test: 'sum', queryIndex: 0, result, difference: 0.05, threshold: 0.04 },
    ]
    const of = (result: 'confirmed' | 'not-reproduced') =>
      judged([runOf([measured('sum', OVERLAPPING)], { confirmations: confirmations(result) })]).rows[0]
    expect(of('confirmed')).toMatchObject({ verdict: 'regression' })
    expect(of('not-reproduced')).toMatchObject({ verdict: 'likely-noise' })
    expect(kinds(of('not-reproduced'))).toContain('not-reproduced')
  })

  test('different work, from the metrics of the same query, architecture and run', () => {
    const rows = (fresh: number, name = 'sum') =>
      measured(
        name,
        STEADY.map(() => fresh),
        { metric: 'read_rows', unit: null, old: STEADY.map(() => 100) },
      )
    const report = judged([
      arm(measured('sum', times(1.2)), rows(200), rows(900, 'other')),
      amd(measured('sum', times(1)), rows(300)),
    ])
    expect(report.rows[0]?.evidence).toContainEqual({
      kind: 'different-work',
      architecture: 'arm',
      metrics: [{ metric: 'read_rows', old: 100, new: 200, difference: 1 }],
    })
    expect(report.rows[0]?.verdict).toBe('regression')
  })

  test('files that do not reach the binary', () => {
    const of = (changedFiles: readonly string[], inertPaths?: readonly string[]) =>
      judged([runOf([measured('sum', OVERLAPPING)])], {
        changedFiles,
        ...(inertPaths === undefined ? {} : { inertPaths: new InertPaths(inertPaths) }),
      }).rows[0]?.verdict
    expect(of(['docs/index.md'])).toBe('likely-noise')
    expect(of(['docs/index.md', 'src/a.cpp'])).toBe('needs-rerun')
    expect(of(['site/index.html'], ['site/**'])).toBe('likely-noise')
  })

  test('other queries than on the previous head', () => {
    const names = Array.from({ length: 20 }, (_, index) => `t${String(index).padStart(2, '0')}`)
    const head = (from: number, metric?: string) =>
      runOf(
        names.map((name, index) =>
          measured(
            name,
            index >= from && index < from + 5 ? OVERLAPPING : STEADY,
            metric === undefined ? {} : { metric },
          ),
        ),
      )
    const previous = { ...judged([head(0)]), head: 'a'.repeat(40) }
    const report = judged([head(10)], { previous })
    expect(report.rows.filter(({ verdict }) => verdict === 'likely-noise')).toHaveLength(5)
    expect(judged([head(0)], { previous }).rows[0]?.verdict).toBe('needs-rerun')
    // What was judged by another metric was not judged by this one.
    const other = judged([head(10, 'cpu_time')], { previous, primaryMetric: 'cpu_time' })
    expect(other.rows[0]?.verdict).toBe('needs-rerun')
  })
})

test('the report counts whose thresholds were learned, also those below the floor, and floors are said only elsewhere', () => {
  const learned = (key: string) => (key.includes('sum') ? { changed: 0.03, unstable: 0.06 } : null)
  const report = judged([arm(measured('sum', times(1.2)), measured('uniq', times(1.2)), measured('gone', []))], {
    thresholds: { ...DEFAULT_THRESHOLDS, learned },
    history: facts({}, { learned: { source: 'ci-database', newest: 5 } }),
  })
  expect(report.history).toMatchObject({
    provenance: { source: 'ci-database', newest: 5, learned: 1, floor: 1 },
    problem: null,
  })
  const floors = report.rows.filter((row) => kinds(row)?.includes('floor-threshold')).map(({ test }) => test)
  expect(floors).toEqual(['uniq'])
})
