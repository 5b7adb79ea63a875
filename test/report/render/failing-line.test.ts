import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Classification, FailingTests, JudgedFailure } from '../../../src/judge/ledger/failure.ts'
import { failingLine, failingSentences } from '../../../src/report/render/failing-line.ts'
import { failingView } from '../../../src/report/render/failing-view.ts'
import {
  chronic,
  failingTests,
  failure,
  fallout,
  judged,
  notLookedUp,
  rollup,
  suspect,
} from './failing-tests-builder.ts'

const line = (
  failures: readonly JudgedFailure[],
  more: Partial<FailingTests> = {},
  alsoRed: readonly string[] = [],
) => {
  const view = failingView(failingTests(failures, more, alsoRed))
  return view === null ? null : failingLine(view)
}
const sentences = (...of: Parameters<typeof failingTests>) => failingSentences(failingView(failingTests(...of)))
/** Those that somebody has to look at. */
const OPEN: ReadonlySet<Classification> = new Set(['pr-suspect', 'unknown', 'infrastructure'])
const one = (classification: Classification, name = 'a') => judged(classification, failure(name, 'check'), [])

describe('the failing tests in a line', () => {
  test('one, two, many of a kind', () => {
    const known = (count: number) =>
      Array.from({ length: count }, (_, index) => chronic(`t${index}`, 'check', [3, 3, 0]))
    const more = { redChecks: [] }
    expect(line(known(1), more)).toBe('The failing test is a known failure')
    expect(line(known(2), more)).toBe('Both failing tests are known failures')
    expect(line(known(1200), more)).toBe('All 1,200 failing tests are known failures')
    expect(line([suspect('a', 'check')])).toBe('The failing test looks like yours')
    expect(line([one('unknown')])).toBe('Whether the failing test is yours is unknown')
    expect(line([one('unknown'), one('unknown', 'b')])).toBe('Whether the 2 failing tests are yours is unknown')
    const lost = ['a', 'b', 'c'].map((name) => notLookedUp(name, 'check', 'unreachable'))
    expect(line(lost.slice(0, 1))).toBe('The failing test could not be looked up')
    expect(line(lost.slice(0, 2))).toBe('The 2 failing tests could not be looked up')
    expect(line(lost)).toBe('The 3 failing tests could not be looked up')
    expect(line([judged('infrastructure', failure('', 'check'), [])], more)).toBe(
      'The failure is down to infrastructure',
    )
  })

  test('red checks of which nothing is known are said beside those that are known', () => {
    expect(line([chronic('a', 'check', [3, 3, 0])], {}, ['other'])).toBe(
      'The failing test is a known failure; nothing is known yet about 1 red check',
    )
  })

  test('those that were not judged are more only beside others', () => {
    expect(line([suspect('a', 'check')], { notJudged: 1 })).toBe(
      'The failing test looks like yours; 1 more was not judged',
    )
  })

  test('a mix names what looks like yours first, and neither fallout with its cause nor rollups are counted', () => {
    const mix = [
      suspect('a', 'check'),
      chronic('b', 'check', [3, 3, 0]),
      chronic('c', 'check', [3, 3, 0]),
      chronic('d', 'other', [3, 3, 0]),
      fallout('e', 'check', 'b'),
      rollup('PR'),
    ]
    expect(line(mix)).toBe('1 of 4 failing tests looks like yours; the other 3 are known failures')
    expect(line([one('flaky'), one('broken-trunk', 'b'), one('mass-failure', 'c')], { redChecks: [] })).toBe(
      'All 3 failing tests are known failures',
    )
  })

  test('its own new tests are said first, and are no guess', () => {
    const added = (name: string, isNew = true) =>
      judged('pr-suspect', failure(name, 'check'), [{ kind: 'test-changed', path: `${name}.sql`, added: isNew }])
    expect(line([added('a')])).toBe('Your new test fails')
    expect(line([added('a'), added('b'), one('unknown', 'c')])).toBe('Your 2 new tests fail, 1 more is unknown')
    expect(line([suspect('b', 'check'), added('a'), one('chronic', 'c')])).toBe(
      'Your new test fails, 1 more looks like yours; 1 is a known failure',
    )
    expect(line([added('a'), one('chronic', 'b'), one('flaky', 'c')])).toBe(
      'Your new test fails; the other 2 are known failures',
    )
    expect(line([added('a', false)])).toBe('The failing test looks like yours')
  })

  test('fallout of what is in no row has to be looked at', () => {
    expect(line([fallout('Check failed', 'check', 'gone')])).toBe('The failing test follows from another failure')
    expect(line([fallout('Check failed', 'check', 'gone'), one('chronic', 'b')])).toBe(
      '1 of 2 failing tests follows from another failure; the other one is a known failure',
    )
  })

  test('the same failure in several checks is one', () => {
    expect(line([suspect('a', 'check 1'), suspect('a', 'check 2')])).toBe('The failing test looks like yours')
    // With other numbers it says something else.
    expect(line([suspect('a', 'check 1', 700), suspect('a', 'check 2', 800)])).toBe(
      'Both failing tests look like yours',
    )
  })

  test('says when every red check is accounted for, and only then', () => {
    const known = [chronic('a', 'check', [3, 3, 0])]
    expect(sentences(known)).toBe('The failing test is a known failure. Every red check is accounted for.')
    const red = failingTests(known).redChecks
    for (const more of [
      { problem: 'too-slow' as const },
      { notJudged: 1 },
      { redChecks: [] },
      { redChecks: [...red, { name: 'x', url: null, state: 'not-known' as const }] },
      { redChecks: [...red, { name: 'x', url: null, state: 'may-be-yours' as const }] },
    ]) {
      expect(sentences(known, more)).not.toContain('accounted for')
    }
    for (const open of [suspect('b', 'running again'), one('unknown', 'b')]) {
      expect(sentences([open, ...known], { redChecks: red })).not.toContain('accounted for')
    }
  })

  test('a check that only sums up others says nothing of itself', () => {
    expect(line([rollup('PR')])).toBe('Whether the red check is yours is unknown')
    expect(line([rollup('PR'), rollup('Mergeable Check')])).toBe('Whether the 2 red checks are yours is unknown')
    expect(sentences([rollup('PR'), chronic('a', 'check', [3, 3, 0])])).toBe(
      'The failing test is a known failure. Every red check is accounted for.',
    )
    expect(line([rollup('PR')], {}, ['Fast test'])).toBe('Nothing is known yet about 1 red check')
    expect(line([rollup('PR')], { isFinal: true }, ['Fast test'])).toBe('Nothing is known about 1 red check')
  })

  test('without failing tests', () => {
    expect(failingView(null)).toBeNull()
    expect(line([])).toBeNull()
    expect(line([], { problem: 'unreachable' })).toBe('The failing tests could not be looked up')
    expect(line([], { redChecks: [{ name: 'x', url: null, state: 'not-known' }] })).toBe(
      'Nothing is known yet about 1 red check',
    )
    expect(line([], { notJudged: 7 })).toBe('7 failing tests were not judged')
  })

  test('the numbers add up to the rows, for any mix', () => {
    const classification = fc.constantFrom<Classification>(
      'pr-suspect',
      'unknown',
      'broken-trunk',
      'chronic',
      'flaky',
      'mass-failure',
      'infrastructure',
      'rollup',
    )
    fc.assert(
      fc.property(fc.array(classification, { minLength: 1, maxLength: 30 }), (all) => {
        const failures = all.map((each, index) => one(each, `t${index}`))
        const text = line(failures, { redChecks: [] })!
        const rows = all.filter((each) => each !== 'rollup')
        const kinds = new Set(rows.map((each) => (OPEN.has(each) ? each : 'known')))
        const mixed = /^\d+ of (\d+) failing tests? /.exec(text)
        expect(mixed !== null).toBe(kinds.size > 1)
        if (mixed === null) return
        const parts = text.split(/[,;] /).map((part) => Number(/\d+/.exec(part.replace('other one', '1'))![0]))
        expect(Number(mixed[1])).toBe(rows.length)
        expect(parts.reduce((sum, number) => sum + number, 0)).toBe(rows.length)
      }),
    )
  })
})
