import { describe, expect, test } from 'vitest'
import { DEFAULT_CONFIG } from '../../src/config/repository-config.ts'
import type { Measurement } from '../../src/intake/measurement/run.ts'
import { findingsOf } from '../../src/judge/verdict/findings.ts'
import { DEFAULT_THRESHOLDS } from '../../src/judge/verdict/thresholds.ts'
import { conclusionOf } from '../../src/report/check-conclusion.ts'
import { decided, labelsOf } from '../../src/report/decisions.ts'
import type { TriageReport } from '../../src/report/report.ts'
import { type JudgedBy, judged, measured, OVERLAPPING, runOf, times } from './judge-setting.ts'

/** Seven repetitions of which nobody can say anything. */
const NOISY = [0.05, 0.3, 0.06, 0.4, 0.5, 0.07, 0.12]

/** Slower than all old ones but one. */
const LEANING = [0.12, 0.121, 0.122, 0.123, 0.124, 0.125, 0.126]

const ATTEMPTS = {
  slower: [measured('sum', times(1.4))],
  failed: [measured('sum', [])],
  same: [measured('sum', times(1))],
  faster: [measured('sum', times(0.7))],
  noisy: [measured('sum', NOISY)],
  leaning: [measured('sum', LEANING, { old: [...times(1).slice(0, 6), 0.1245] })],
  absent: [],
} as const satisfies Readonly<Record<string, readonly Measurement[]>>
type Attempt = keyof typeof ATTEMPTS
const KINDS = Object.keys(ATTEMPTS) as Attempt[]

/** Another query, so that no run is without a result. */
const calm = measured('calm', times(1))

function attempt(kind: Attempt, number: number, earlier: TriageReport | null, by: JudgedBy = {}): TriageReport {
  return judged([runOf([calm, ...ATTEMPTS[kind]], { attempt: number })], { earlier, ...by })
}

/** Each attempt judged when it came, and some once more, as a webhook that comes late makes it. */
function reportAfter(
  attempts: readonly Attempt[],
  isJudgedTwice: (index: number) => boolean = () => false,
): TriageReport {
  let report: TriageReport | null = null
  for (const [index, kind] of attempts.entries()) {
    report = attempt(kind, index + 1, report)
    if (isJudgedTwice(index)) report = attempt(kind, index + 1, report)
  }
  return report!
}

const standingIn = ({ notMeasuredAgain = [], notSeenAgain = [] }: TriageReport) =>
  [
    ...notMeasuredAgain.map(({ test: name }) => `${name} unmeasured`),
    ...notSeenAgain.map(({ test: name }) => `${name} unseen`),
  ].join()

/** The rule in other words: what came after the last attempt that shows it. */
function expectedAfter(attempts: readonly Attempt[]): string {
  const last = attempts.findLastIndex((kind) => kind === 'slower' || kind === 'failed')
  if (last === -1 || last === attempts.length - 1) return ''
  const clean = attempts.slice(last + 1).filter((kind) => kind === 'same' || kind === 'faster').length
  return clean === 0 ? 'sum unmeasured' : clean === 1 ? 'sum unseen' : ''
}

test('an attempt whose sides ran on two machines is no second look', () => {
  const spread = Array.from({ length: 13 }, (_, at) => 0.1 * (1 + (at - 6) / 60))
  const slower = measured(
    'sum',
    spread.map((value) => value * 1.08),
    { old: spread },
  )
  const run = (number: number) => ({ ...runOf([calm, slower], { attempt: number }), oldCommit: 'a'.repeat(40) })
  const outcomeOf = (earlierRun: ReturnType<typeof runOf>) =>
    judged([run(2)], { earlierRuns: [earlierRun] }).rows.find(({ test: name }) => name === 'sum')!.outcome
  expect(outcomeOf(run(1))).toBe('changed')
  const environments = [
    { architecture: null, old: { cpu: ['EPYC 9V74'] }, new: { cpu: ['EPYC 7763'] }, differing: ['cpu' as const] },
  ]
  expect(outcomeOf({ ...run(1), environments })).not.toBe('changed')
  expect(outcomeOf({ ...run(1), oldCommit: 'b'.repeat(40) })).not.toBe('changed')
})

test('a row that leans asks for another job and is no finding that stands', () => {
  const report = attempt('leaning', 1, null)
  const row = report.rows.find(({ test: name }) => name === 'sum')!
  expect(row).toMatchObject({ verdict: 'needs-rerun', outcome: 'not-significant' })
  expect(row.undecided).toBeUndefined()
  expect(conclusionOf({ ...report, mode: 'gating' })).toBe('neutral')
  expect(standingIn(attempt('same', 2, report))).toBe('')
  // what an attempt before it found is not taken back by it
  expect(standingIn(attempt('leaning', 2, attempt('slower', 1, null)))).toBe('sum unmeasured')
})

describe('a finding of an earlier attempt', () => {
  test('is withdrawn by two later ones that judge it and do not show it, in every order of four attempts', () => {
    const sequences = KINDS.flatMap((a) => KINDS.flatMap((b) => KINDS.flatMap((c) => KINDS.map((d) => [a, b, c, d]))))
    for (const [number, sequence] of sequences.entries()) {
      for (let length = 2; length <= 4; length += 1) {
        const attempts = sequence.slice(0, length)
        const shown = standingIn(reportAfter(attempts, (index) => ((number >> index) & 1) === 1))
        expect(shown, attempts.join()).toBe(expectedAfter(attempts))
      }
    }
  })

  test('stays known as taken back, until a run shows it again', () => {
    const back = (...attempts: Attempt[]) =>
      (reportAfter(attempts, () => true).withdrawn ?? []).map(({ test: name }) => name)
    expect(back('slower', 'same')).toEqual([])
    expect(back('slower', 'same', 'same')).toEqual(['sum'])
    expect(back('slower', 'same', 'noisy', 'same')).toEqual(['sum'])
    expect(back('slower', 'same', 'same', 'absent')).toEqual(['sum'])
    expect(back('slower', 'same', 'same', 'slower')).toEqual([])
    expect(back('slower', 'same', 'same', 'slower', 'same')).toEqual([])
    expect(back('slower', 'same', 'same', 'slower', 'same', 'same')).toEqual(['sum'])
  })

  test('keeps the check and the label until then, as a regression does and as a row to rerun does', () => {
    const settings = { enabled: true, slower: 'perf: slower', faster: 'perf: faster' }
    const once = { ...reportAfter(['slower', 'same']), mode: 'gating' as const }
    expect([conclusionOf(once), labelsOf(once, settings)]).toEqual(['failure', ['perf: slower']])
    expect(findingsOf(once).hasOpen).toBe(true)
    const twice = { ...reportAfter(['slower', 'same', 'same']), mode: 'gating' as const }
    expect([conclusionOf(twice), labelsOf(twice, settings)]).toEqual(['success', []])
    const failed = { ...reportAfter(['failed', 'same']), mode: 'gating' as const }
    expect(conclusionOf(failed)).toBe('failure')
    const doubted = {
      ...once,
      notSeenAgain: once.notSeenAgain!.map((row) => ({ ...row, verdict: 'needs-rerun' as const })),
    }
    expect([conclusionOf(doubted), labelsOf(doubted, settings)]).toEqual(['neutral', []])
  })

  test('goes with the run that showed it where that one is judged by other thresholds', () => {
    const slower = attempt('slower', 1, null)
    const thresholds = { ...DEFAULT_THRESHOLDS, configured: { changed: 0.9, unstable: null } }
    expect(standingIn(attempt('slower', 1, slower, { thresholds }))).toBe('')
    const noisy = attempt('noisy', 2, slower)
    expect(standingIn(attempt('same', 2, noisy))).toBe('sum unseen')
  })

  test('is not called resolved by a push while it stands', () => {
    const previous = { ...attempt('slower', 1, null), head: 'a'.repeat(40) }
    const standing = attempt('same', 2, attempt('slower', 1, null), { previous })
    expect(standing.sinceLastPush).toMatchObject({ resolved: [] })
    const gone = attempt('same', 3, standing, { previous })
    expect(gone.sinceLastPush).toMatchObject({ resolved: ['sum #0'] })
  })

  test('is a second witness of a later one: a doubtful row is a regression, and stays it when it is judged again', () => {
    const overlapping = (number: number, earlier: TriageReport | null, fresh = OVERLAPPING) =>
      judged([runOf([calm, measured('sum', fresh)], { attempt: number })], { earlier })
    const rowIn = ({ rows }: TriageReport) => {
      const { verdict, evidence } = rows.find(({ test: name }) => name === 'sum')!
      return [verdict, evidence.flatMap((item) => (item.kind === 'confirmed' ? [item.by] : []))]
    }
    const first = overlapping(1, null)
    expect(rowIn(first)).toEqual(['needs-rerun', []])
    expect(rowIn(overlapping(1, first))).toEqual(['needs-rerun', []])
    const second = overlapping(2, first)
    expect(rowIn(second)).toEqual(['regression', ['earlier-run']])
    expect(rowIn(overlapping(2, second))).toEqual(['regression', ['earlier-run']])
    // Less than half as far, and the other way.
    expect(rowIn(overlapping(2, first, [0.106, 0.12, 0.121, 0.122, 0.123, 0.124, 0.125]))).toEqual(['needs-rerun', []])
    expect(rowIn(overlapping(3, attempt('same', 2, first)))).toEqual(['regression', ['earlier-run']])
    expect(rowIn(overlapping(2, attempt('faster', 1, null)))).toEqual(['needs-rerun', []])
  })

  test('is counted with those before it, once however often it is judged', () => {
    const overlapping = (number: number, earlier: TriageReport | null) =>
      judged([runOf([calm, measured('sum', OVERLAPPING)], { attempt: number })], { earlier })
    const witnesses = ({ rows }: TriageReport) =>
      rows
        .find(({ test: name }) => name === 'sum')!
        .evidence.flatMap((item) => (item.kind === 'confirmed' ? [item.runs ?? 1] : []))
    const second = overlapping(2, overlapping(1, null))
    expect(witnesses(second)).toEqual([1])
    const third = overlapping(3, overlapping(2, second))
    expect(witnesses(third)).toEqual([2])
    expect(witnesses(overlapping(3, third))).toEqual([2])
  })

  test('of a report from before the runs were kept goes with the first later measurement, as it did', () => {
    const { runs: _runs, ...old } = attempt('slower', 1, null)
    expect(standingIn(attempt('same', 2, old))).toBe('')
  })
})

describe('a row that no run decides', () => {
  /** All repetitions but one slower, by a factor: it needs a rerun. Each is more than twice the one before, so that none confirms another. */
  const DOUBTFUL = [1.07, 1.16, 1.36].map((factor) => [...times(factor).slice(1), 0.104])
  const inDoubt = (fresh: readonly number[], number: number, earlier: TriageReport | null, by: JudgedBy = {}) =>
    judged([runOf([calm, measured('sum', fresh)], { attempt: number })], { earlier, mode: 'gating', ...by })
  const markOf = ({ rows }: TriageReport) => {
    const { verdict, undecided } = rows.find(({ test: name }) => name === 'sum')!
    return [verdict, undecided]
  }
  const reportOf = (...attempts: readonly (readonly number[])[]) =>
    attempts.reduce<TriageReport | null>((earlier, fresh, index) => inDoubt(fresh, index + 1, earlier), null)!
  const [first, second, third] = DOUBTFUL as [number[], number[], number[]]

  test('is marked where each attempt left it open, also while one that is too noisy decides nothing', () => {
    expect(markOf(reportOf(first))).toEqual(['needs-rerun', true])
    expect(markOf(reportOf(first, second, third))).toEqual(['needs-rerun', true])
    expect(markOf(reportOf(first, NOISY, third))).toEqual(['needs-rerun', true])
  })

  test('is not marked where one attempt did not show it, in whatever order', () => {
    expect(markOf(reportOf(times(1), first))).toEqual(['needs-rerun', undefined])
    expect(markOf(reportOf(first, times(1), third))).toEqual(['needs-rerun', undefined])
  })

  test('the same run judged again keeps what it had', () => {
    for (const attempts of [[first], [times(1), first]]) {
      const report = reportOf(...attempts)
      expect(markOf(inDoubt(first, attempts.length, report))).toEqual(markOf(report))
    }
  })

  test('below the floor of the repository, or faster, it is not marked', () => {
    const thresholds = { ...DEFAULT_THRESHOLDS, configured: { changed: 0.1, unstable: null } }
    expect(markOf(inDoubt(first, 1, null, { thresholds }))[1]).toBeUndefined()
    expect(markOf(inDoubt(second, 1, null, { thresholds }))).toEqual(['needs-rerun', true])
    expect(markOf(reportOf(times(0.8)))[1]).toBeUndefined()
  })

  test('blocks only where the file says so, and nothing runs again by itself', () => {
    const report = reportOf(first)
    const settings = { ...DEFAULT_CONFIG, undecided: 'block' } as const
    expect(decided(report, settings).decisions.conclusion).toBe('failure')
    expect(decided(report, settings, null, true).decisions.conclusion).toBe('neutral')
    expect(decided(report, DEFAULT_CONFIG).decisions.conclusion).toBe('neutral')
    expect(decided({ ...report, mode: 'advisory' }, settings).decisions.conclusion).toBe('neutral')
  })
})
