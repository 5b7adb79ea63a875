import { describe, expect, test } from 'vitest'
import { DEFAULT_CONFIG } from '../../src/config/repository-config.ts'
import { type QueryId, queryKey } from '../../src/intake/measurement/run.ts'
import { findingsOf } from '../../src/judge/verdict/findings.ts'
import { TestEntries, type TestEntry } from '../../src/judge/verdict/test-entries.ts'
import { DEFAULT_THRESHOLDS } from '../../src/judge/verdict/thresholds.ts'
import { conclusionOf, unknownsOf } from '../../src/report/check-conclusion.ts'
import type { HeadInput } from '../../src/report/classify-head.ts'
import { labelsOf } from '../../src/report/decisions.ts'
import { rowsToAskAbout } from '../../src/report/judge-rows.ts'
import { renderComment } from '../../src/report/render/comment.ts'
import { NO_LINKS } from '../../src/report/render/view.ts'
import type { TriageReport } from '../../src/report/report.ts'
import { shouldComment } from '../../src/report/should-comment.ts'
import { readReport, writeReport } from '../../src/store/reports/stored-report.ts'
import { classified, judged, measured, runOf, times } from './judge-setting.ts'

/** What an entry of `tests` in the repository's file does to a report: nothing but to the rows that it names. */

const IGNORED = { test: 'sum', query: null, reason: 'waits for new disks', until: '2026-11-20' }
const IGNORE: TestEntry = { kind: 'ignore', ...IGNORED }
const EXPIRED: TestEntry = { ...IGNORE, until: '2026-11-19' }

/** As the triage hands them in, on 2026-11-20. */
function by(...entries: readonly TestEntry[]): Required<Pick<HeadInput, 'entries' | 'thresholds'>> {
  const of = new TestEntries(entries, '2026-11-20')
  return { entries: of, thresholds: { ...DEFAULT_THRESHOLDS, ofEntry: (query) => of.thresholdOf(query) } }
}

const slower = measured('sum', times(1.2))
const muchSlower = measured('sum', times(4))
const still = measured('uniq', times(1))
const WIDE = [0.1, 0.15, 0.2, 0.25, 0.3, 0.1, 0.2]
const noisy = measured('uniq', WIDE, { old: WIDE })

const rowOf = (report: TriageReport, name: string) => report.rows.find(({ test: of }) => of === name)!

test('a query that the file accepts at its size is no open row, and one that has grown beyond is', () => {
  const entry: TestEntry = {
    kind: 'accepted',
    test: 'sum',
    query: null,
    difference: 0.2,
    reason: '',
    until: '2026-11-20',
  }
  const accepted = judged([runOf([slower, still])], { ...by(entry), mode: 'gating' })
  expect(rowOf(accepted, 'sum')).toMatchObject({ verdict: 'acknowledged', accepted: { via: 'file', difference: 0.2 } })
  expect(conclusionOf(accepted)).toBe('success')
  expect(readReport(writeReport(accepted)).report).toEqual(accepted)
  const grown = judged([runOf([measured('sum', times(1.4)), still])], { ...by(entry), mode: 'gating' })
  expect(rowOf(grown, 'sum')).toMatchObject({ outgrown: { via: 'file' } })
  expect(conclusionOf(grown)).toBe('failure')
  const over = judged([runOf([slower, still])], { ...by({ ...entry, until: '2026-11-19' }), mode: 'gating' })
  expect(conclusionOf(over)).toBe('failure')
  expect(over.expired).toMatchObject([{ test: 'sum', until: '2026-11-19', rows: 1 }])
})

describe('an ignored query', () => {
  const report = judged([runOf([slower, still])], { ...by(IGNORE), mode: 'gating' })

  test('has its entry in its row, and its numbers', () => {
    expect(rowOf(report, 'sum')).toMatchObject({ verdict: 'ignored', ignored: IGNORED, outcome: 'changed' })
    expect(rowOf(report, 'uniq')).not.toHaveProperty('ignored')
    expect(readReport(writeReport(report)).report).toEqual(report)
  })

  test('counts nowhere: not for labels, the check, the comment or chance', () => {
    expect(findingsOf(report)).toMatchObject({ slower: [], open: [], hasOpen: false, hasRegression: false })
    expect(report.counts).toMatchObject({ slower: 0, notSignificant: 1 })
    expect(labelsOf(report, DEFAULT_CONFIG.labels)).toEqual([])
    expect(conclusionOf(report)).toBe('success')
    expect(shouldComment('on-change', report)).toBe('keep')
    expect(report.discoveries).toMatchObject([{ tested: 1, passed: 0 }])
    const without = judged([runOf([slower, still])], { mode: 'gating' })
    expect(conclusionOf(without)).toBe('failure')
    expect(without.discoveries).toMatchObject([{ tested: 2, passed: 1 }])
  })

  test('is not guarded and does not stand at the top, however much slower', () => {
    const guarded = judged([runOf([muchSlower, measured('uniq', times(1.2))])], { ...by(IGNORE), mode: 'gating' })
    expect(guarded.rows.map(({ test: of, verdict, guarded: is }) => [of, verdict, is])).toEqual([
      ['uniq', 'regression', false],
      ['sum', 'ignored', false],
    ])
  })

  test('is nobody’s to ask about, and praises nobody', () => {
    const faster = measured('sum', times(0.5))
    const praised = judged([runOf([faster, still])], by(IGNORE))
    expect(rowsToAskAbout(classified([runOf([faster, still])], by(IGNORE)))).toEqual([])
    expect(labelsOf(praised, DEFAULT_CONFIG.labels)).toEqual([])
    expect(findingsOf(praised).faster).toEqual([])
    expect(shouldComment('on-change', praised)).toBe('keep')
  })

  test('is not too noisy to judge; a head of which nothing else is judged does not pass', () => {
    const noise = judged([runOf([slower, noisy])], { ...by({ ...IGNORE, test: 'uniq' }), mode: 'gating' })
    expect(findingsOf(noise).tooNoisy).toEqual([])
    const nothing = judged([runOf([slower, noisy])], { ...by(IGNORE), mode: 'gating' })
    expect(unknownsOf(nothing)).toEqual(['only-ignored'])
    expect(conclusionOf(nothing)).toBe('failure')
    expect(conclusionOf({ ...nothing, mode: 'advisory' })).toBe('neutral')
  })

  test('is no part of a shift of everything', () => {
    const many = Array.from({ length: 40 }, (_, index) =>
      measured(index < 30 ? 'sum' : 'uniq', times(index < 30 ? 1.2 : 1), { queryName: `SELECT ${index}` }),
    )
    expect(judged([runOf(many)]).wholeRun).toHaveLength(1)
    const without = judged([runOf(many)], { ...by(IGNORE), mode: 'gating' })
    expect(without).toMatchObject({ wholeRun: [], shifts: [{ queries: 10, notable: false }] })
    expect(conclusionOf(without)).toBe('success')
  })

  test('makes no other row one of those that rotate', () => {
    const flaggedFrom = (first: number) =>
      Array.from({ length: 12 }, (_, index) =>
        measured('sum', times(index >= first && index < first + 6 ? 1.2 : 1), { queryName: `SELECT ${index}` }),
      )
    const previous = { ...judged([runOf([...flaggedFrom(0), still])]), head: 'a'.repeat(40) }
    const run = runOf([...flaggedFrom(6), measured('uniq', times(1.2))])
    const kinds = (overrides: Partial<HeadInput>) =>
      rowOf(judged([run], { ...overrides, previous }), 'uniq').evidence.map(({ kind }) => kind)
    expect(kinds({})).toContain('rotating')
    expect(kinds(by(IGNORE))).not.toContain('rotating')
  })

  test('that the new build does not run is said all the same', () => {
    const failing = judged([runOf([measured('sum', []), still])], { ...by(IGNORE), mode: 'gating' })
    expect(findingsOf(failing).failedInNew).toMatchObject([{ test: 'sum', verdict: null }])
    expect(conclusionOf(failing)).toBe('failure')
  })

  test('that stood open before is not resolved, and not missed either', () => {
    const previous = { ...judged([runOf([slower, still])]), head: 'a'.repeat(40) }
    const { sinceLastPush } = judged([runOf([measured('sum', times(1)), still])], { ...by(IGNORE), previous })
    expect(sinceLastPush).toMatchObject({ new: 0, resolved: [], unchanged: 0 })
    const earlier = judged([runOf([slower, still])])
    expect(judged([runOf([still])], { earlier })).toHaveProperty('notMeasuredAgain')
    expect(judged([runOf([still])], { ...by(IGNORE), earlier })).not.toHaveProperty('notMeasuredAgain')
    const failed = judged([runOf([measured('sum', []), still])])
    expect(judged([runOf([still])], { ...by(IGNORE), earlier: failed })).toHaveProperty('notMeasuredAgain')
  })
})

describe('an expired entry', () => {
  test('has no effect, and is in the report once, where it names a row', () => {
    const report = judged([runOf([slower, still, measured('sum', times(1), { queryName: 'SELECT b' })])], by(EXPIRED))
    expect(rowOf(report, 'sum')).toMatchObject({ verdict: 'regression' })
    expect(report.expired).toEqual([{ ...IGNORED, until: '2026-11-19', rows: 2 }])
    expect(judged([runOf([still])], by(EXPIRED))).not.toHaveProperty('expired')
    expect(judged([runOf([slower])], by(IGNORE))).not.toHaveProperty('expired')
  })
})

describe('a threshold of its own', () => {
  const own = (value: number): TestEntry => ({ kind: 'threshold', test: 'sum', query: null, threshold: value })

  test('makes a smaller difference too small, and the report says where it comes from', () => {
    const report = judged([runOf([slower, measured('uniq', times(1.2))])], by(own(0.25)))
    expect(rowOf(report, 'sum')).toMatchObject({
      outcome: 'too-small',
      verdict: null,
      results: [{ changedThreshold: 0.25, changedThresholdSource: 'entry', unstableThreshold: 0.35 }],
    })
    expect(rowOf(report, 'uniq')).toMatchObject({ outcome: 'changed', results: [{ changedThresholdSource: 'floor' }] })
    expect(report.thresholdSources).toMatchObject({ floor: 1, entry: 1 })
  })

  test('takes the place of a larger one of the repository', () => {
    const { thresholds, entries } = by(own(0.1))
    const strict = { ...thresholds, configured: { changed: 0.5, unstable: 0.5 } }
    expect(rowOf(judged([runOf([slower])], { entries, thresholds: strict }), 'sum').outcome).toBe('changed')
    expect(rowOf(judged([runOf([slower])], { thresholds: { ...strict, ofEntry: null } }), 'sum').outcome).toBe(
      'too-small',
    )
  })

  test('waves nothing through that the guard names', () => {
    const report = judged([runOf([muchSlower])], by(own(0.99)))
    expect(rowOf(report, 'sum')).toMatchObject({ verdict: 'regression', guarded: true })
    const separated = judged([runOf([measured('sum', times(1.6))])], by(own(0.9)))
    expect(rowOf(separated, 'sum')).toMatchObject({ outcome: 'too-small', verdict: 'needs-rerun', guarded: true })
  })
})

describe('a query that a person ignores', () => {
  const said = { reason: 'new disks', until: null, via: 'command', actor: 'maria', actorId: 1, saidAt: 1 } as const
  const person = { test: 'sum', query: 0, by: said }
  const ignoring = (...entries: readonly TestEntry[]) => {
    const of = new TestEntries(entries, '2026-11-20', new Map([[queryKey(slower), person]]))
    return { entries: of, thresholds: { ...DEFAULT_THRESHOLDS, ofEntry: (query: QueryId) => of.thresholdOf(query) } }
  }

  test('is ignored as by an entry of the file, at whatever size, and says by whom', () => {
    for (const measurement of [slower, muchSlower]) {
      const report = judged([runOf([measurement, still])], { ...ignoring(), mode: 'gating' })
      expect(rowOf(report, 'sum')).toMatchObject({ verdict: 'ignored', guarded: false, ignored: person })
      expect(conclusionOf(report)).toBe('success')
      expect(findingsOf(report).ignored).toHaveLength(1)
      expect(readReport(writeReport(report)).report).toEqual(report)
      const comment = renderComment({ report, links: NO_LINKS, botId: 'perf-triage', previous: null })
      expect(comment).toContain('<summary>1 ignored</summary>')
      expect(comment).toContain('`sum #0` by maria: `new disks`: ')
    }
  })

  test('comes before an entry of the file, keeps its threshold, and is not ignored where it fails', () => {
    const both = judged([runOf([slower, still])], ignoring(IGNORE))
    expect(rowOf(both, 'sum').ignored).toEqual(person)
    const threshold: TestEntry = { kind: 'threshold', test: 'sum', query: null, threshold: 0.15 }
    expect(rowOf(judged([runOf([slower, still])], ignoring(threshold)), 'sum').results[0]!.changedThreshold).toBe(0.15)
    const failed = judged([runOf([measured('sum', []), still])], { ...ignoring(), mode: 'gating' })
    expect(findingsOf(failed).failedInNew).toHaveLength(1)
    expect(conclusionOf(failed)).toBe('failure')
  })
})
