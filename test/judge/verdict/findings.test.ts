import { describe, expect, test } from 'vitest'
import type { WholeRunShift } from '../../../src/judge/verdict/evidence/shard-shift.ts'
import { findingsOf } from '../../../src/judge/verdict/findings.ts'
import type { Verdict } from '../../../src/judge/verdict/verdict.ts'
import { conclusionOf } from '../../../src/report/check-conclusion.ts'
import { labelsOf } from '../../../src/report/decisions.ts'
import { renderCheckRun } from '../../../src/report/render/check-run.ts'
import { verdictLine } from '../../../src/report/render/sections/headline.ts'
import { NO_LINKS, viewOf } from '../../../src/report/render/view.ts'
import type { ReportRow, TriageReport } from '../../../src/report/report.ts'
import { shouldComment } from '../../../src/report/should-comment.ts'
import { changed, decidedReport, quiet, report, row, unstable } from '../../report/render/report-builder.ts'

/** What a report says in the four places that a person sees first. */
function said(of: TriageReport) {
  return {
    line: verdictLine(viewOf(of, NO_LINKS)).replaceAll('\u00a0', ' '),
    labels: labelsOf(of, { enabled: true, slower: 'slower', faster: 'faster' }),
    check: conclusionOf(of),
    comment: shouldComment('on-change', of),
  }
}

const VERDICTS = ['regression', 'needs-rerun', 'likely-noise', 'already-on-trunk', 'acknowledged'] as const
const faster = (verdict: Verdict) => row('a', 1, [changed(0.7, 0.6)], { verdict })
const slower = (verdict: Verdict, more: Partial<ReportRow> = {}) =>
  row('a', 2, [changed(0.6, 0.7)], { verdict, ...more })

describe('labels, headline and check say the same', () => {
  test.each(VERDICTS)('of something slower that is %s', (verdict) => {
    const { line, labels, check } = said(report([slower(verdict), ...quiet(4)]))
    const isNew = verdict !== 'likely-noise' && verdict !== 'already-on-trunk'
    expect(line).toMatch(isNew ? /^1 of 5 queries (?:got|may be) slower/ : /^No new slowdown: 1 of 5 queries is slower/)
    expect(labels).toEqual(verdict === 'regression' ? ['slower'] : [])
    expect(check).toBe(verdict === 'regression' || verdict === 'needs-rerun' ? 'neutral' : 'success')
  })

  test('of something faster that is praised', () => {
    const { line, labels, check } = said(report([faster('improvement'), ...quiet(4)]))
    expect(line).toBe('1 of 5 queries got faster, none slower')
    expect(labels).toEqual(['faster'])
    expect(check).toBe('success')
  })

  test('of something faster by chance: nothing', () => {
    const noise = report([faster('likely-noise'), ...quiet(4)], { mode: 'gating' })
    expect(said(noise)).toEqual({ ...said(report(quiet(5), { mode: 'gating' })) })
    const { title, summary } = renderCheckRun(decidedReport(noise), NO_LINKS)
    expect(title).toBe('No slowdown found in 5 queries')
    expect(summary).not.toContain('faster')
    // It is not hidden either.
    expect(renderCheckRun(decidedReport(noise), NO_LINKS).text).toContain('1 likely noise')
  })
})

describe('how many could not be judged', () => {
  const noisy = Array.from({ length: 41 }, (_, index) => row('json', index, [unstable(1, 1.05)]))

  test('is said in the headline and in the check, whatever else there is', () => {
    const calm = report([...noisy, ...quiet(27)])
    expect(said(calm).line).toBe('No slowdown found; 41 of 68 queries are too noisy to judge')
    expect(renderCheckRun(decidedReport(calm), NO_LINKS).title).toBe(
      'No slowdown found; 41 of 68 queries are too noisy to judge',
    )
    const one = report([faster('improvement'), ...noisy, ...quiet(26)])
    expect(said(one).line).toBe('1 of 68 queries got faster, none slower; 41 are too noisy to judge')
    expect(renderCheckRun(decidedReport(one), NO_LINKS).title).toBe(
      '1 of 68 queries got faster, none slower; 41 are too noisy to judge',
    )
    expect(renderCheckRun(decidedReport(report(noisy)), NO_LINKS).title).toBe(
      'No slowdown found; 41 of 41 queries are too noisy to judge',
    )
  })

  test('counts none that the guard names', () => {
    const guarded = row('json', 50, [unstable(1, 4)], { verdict: 'needs-rerun', guarded: true })
    expect(said(report([guarded, ...noisy, ...quiet(26)])).line).toBe(
      '1 query may be much slower; 41 are too noisy to judge',
    )
  })
})

describe('a shift of everything', () => {
  const shift: WholeRunShift = {
    architecture: null,
    shard: null,
    shift: 0.06,
    queries: 74,
    again: null,
    verdict: 'needs-rerun',
  }
  const evidence = [
    { kind: 'shard-shift', architecture: null, shard: null, shift: 0.06, elsewhere: null, queries: 74 },
  ] as const
  const held = Array.from({ length: 20 }, (_, index) =>
    row('b', index, [changed(0.05, 0.053)], { verdict: 'needs-rerun', evidence }),
  )
  const of = (rows: readonly ReportRow[], more: Partial<WholeRunShift> = {}, mode: TriageReport['mode'] = 'advisory') =>
    report([...rows, ...quiet(50)], { wholeRun: [{ ...shift, ...more }], mode })

  test('is said once, with how many rows are more than that', () => {
    expect(said(of([slower('regression'), slower('regression'), ...held])).line).toBe(
      'The whole run is 6% slower, so part of this may be the machine; 2 of 74 queries are slower than that can explain',
    )
    expect(said(of([faster('improvement'), ...held])).line).toBe(
      'The whole run is 6% slower, so part of this may be the machine; no query is slower than that can explain; 1 got faster',
    )
  })

  test('keeps a row apart that is slower by more than twice as much, however wide its threshold is', () => {
    const small = { ...evidence[0], shift: 0.031 }
    const wide = (fresh: number) =>
      row('c', 1, [changed(0.1, fresh, { changedThreshold: 0.3, threshold: 0.3, changedThresholdSource: 'learned' })], {
        verdict: 'needs-rerun',
        evidence: [small],
      })
    const shown = of([wide(0.133)], { shift: 0.031 })
    expect(findingsOf(shown)).toMatchObject({ withWholeRun: [], open: [shown.rows[0]], slower: [shown.rows[0]] })
    expect(said(shown).line).toBe(
      'The whole run is 3.1% slower, so part of this may be the machine; 1 of 74 queries is slower than that can explain; 1 of them needs a rerun',
    )
    const why = 'below its threshold once the +3.1% of the whole run'
    expect(renderCheckRun(decidedReport(shown), NO_LINKS).text.replaceAll('\u00a0', ' ')).toContain(why)
    const within = of([wide(0.106)], { shift: 0.031 })
    expect(findingsOf(within).withWholeRun).toHaveLength(1)
    expect(renderCheckRun(decidedReport(within), NO_LINKS).text.replaceAll('\u00a0', ' ')).not.toContain(why)
  })

  test('counts as more what another check of that machine measured only where it is', () => {
    const other = (fresh: number) => said(of([row('c', 1, [changed(0.1, fresh)], { verdict: 'regression' })])).line
    expect(other(0.108)).toBe(
      'The whole run is 6% slower, so part of this may be the machine; no query is slower than that can explain; 1 other got slower',
    )
    expect(other(0.113)).toBe(
      'The whole run is 6% slower, so part of this may be the machine; 1 of 74 queries is slower than that can explain',
    )
  })

  test('waits for other shards with the rows that it may explain', () => {
    const waiting = { ...report([...held, ...quiet(50)]), complete: false }
    expect(findingsOf(waiting)).toMatchObject({ open: [], slower: [], withWholeRun: held, hasOpen: false })
    expect(findingsOf({ ...waiting, complete: true }).open).toEqual(held)
  })

  test('says a row within it that has a witness apart from those that are more', () => {
    const witnessed = row('b', 30, [changed(0.05, 0.053)], {
      verdict: 'regression',
      evidence: [...evidence, { kind: 'replicated', architectures: ['amd'] }],
    })
    expect(said(of([slower('regression'), witnessed, ...held])).line).toBe(
      'The whole run is 6% slower, so part of this may be the machine; 1 of 74 queries is slower than that can explain; 1 other got slower',
    )
  })

  test('is open where no row is, and does not pass where the repository gates', () => {
    expect(said(of([]))).toMatchObject({ labels: [], check: 'neutral', comment: 'post' })
    expect(said(of([], {}, 'gating'))).toMatchObject({ labels: [], check: 'failure' })
    expect(said(of(held))).toMatchObject({ labels: [], check: 'neutral', comment: 'post' })
    expect(said(of([], { shift: -0.06, verdict: null }, 'gating'))).toMatchObject({
      line: 'The whole run is 6% faster, so what got faster may be the machine',
      labels: [],
      check: 'success',
      comment: 'keep',
    })
  })

  test('that is faster is said with what else there is', () => {
    const faster6 = { shift: -0.06, verdict: null }
    expect(said(of([faster('improvement')], faster6)).line).toBe('1 of 51 queries got faster, none slower')
    expect(said(of([slower('regression'), faster('improvement')], faster6)).line).toBe(
      '1 of 52 queries got slower, 1 got faster',
    )
    expect(renderCheckRun(decidedReport(of([], faster6)), NO_LINKS).title).toBe(
      'The whole run is 6% faster, so what got faster may be the machine',
    )
  })

  test('seen again is one regression', () => {
    const again = of(held, { again: 0.055, verdict: 'regression' })
    expect(said(again)).toMatchObject({
      line: 'The whole run is 6% slower in two runs of this commit; no query is slower than that can explain',
      labels: ['slower'],
      check: 'neutral',
    })
    expect(said({ ...again, mode: 'gating' }).check).toBe('failure')
  })

  test('takes no row that it is not the shift of, and none that the guard names', () => {
    const guarded = row('c', 1, [changed(0.05, 0.2)], { verdict: 'needs-rerun', guarded: true, evidence })
    const shown = of([guarded, ...held])
    const { open, withWholeRun, slower: counted } = findingsOf(shown)
    expect([open, counted]).toEqual([[guarded], [guarded]])
    expect(said(shown).line).toBe(
      'The whole run is 6% slower, so part of this may be the machine; 1 of 74 queries is slower than that can explain; 1 of them needs a rerun',
    )
    expect(renderCheckRun(decidedReport(shown), NO_LINKS).title).toBe(
      'The whole run is 6% slower, so part of this may be the machine; 1 of 74 queries is slower than that can explain; 1 of them needs a rerun',
    )
    expect(withWholeRun).toEqual(held)
    expect(findingsOf(of(held, { architecture: 'arm' })).withWholeRun).toEqual([])
    expect(findingsOf(of(held, { verdict: null })).open).toEqual(held)
    expect(findingsOf(report(held)).open).toEqual(held)
    const witnessed = { ...held[0]!, evidence: [...evidence, { kind: 'replicated' as const, architectures: ['amd'] }] }
    expect(findingsOf(of([witnessed])).withWholeRun).toEqual([])
  })
})
