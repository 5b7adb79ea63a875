import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Classification, FailingTests, JudgedFailure } from '../../../src/judge/ledger/failure.ts'
import { failingLine } from '../../../src/report/render/failing-line.ts'
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
const one = (classification: Classification, name = 'a') => judged(classification, failure(name, 'check'), [])

describe('the failing tests in a line', () => {
  test('one, two, many of a kind', () => {
    const known = (count: number) =>
      Array.from({ length: count }, (_, index) => chronic(`t${index}`, 'check', [3, 3, 0]))
    const more = { redChecks: [] }
    expect(line(known(1), more)).toBe('1 failing test is chronic')
    expect(line(known(2), more)).toBe('both failing tests are chronic')
    expect(line(known(1200), more)).toBe('all 1,200 failing tests are chronic')
    expect(line([suspect('a', 'check')])).toBe('1 failing test may be yours')
    expect(line([one('unknown')])).toBe('whether the failing test is yours is unknown')
    expect(line([one('unknown'), one('unknown', 'b')])).toBe('whether the 2 failing tests are yours is unknown')
    const lost = ['a', 'b', 'c'].map((name) => notLookedUp(name, 'check', 'unreachable'))
    expect(line(lost.slice(0, 1))).toBe('1 failing test could not be looked up')
    expect(line(lost.slice(0, 2))).toBe('neither of the 2 failing tests could be looked up')
    expect(line(lost)).toBe('none of the 3 failing tests could be looked up')
    expect(line([judged('infrastructure', failure('', 'check'), [])], more)).toBe('1 failure is down to infrastructure')
  })

  test('a mix names what may be yours first, and neither fallout with its cause nor rollups are counted', () => {
    const mix = [
      suspect('a', 'check'),
      chronic('b', 'check', [3, 3, 0]),
      chronic('c', 'check', [3, 3, 0]),
      chronic('d', 'other', [3, 3, 0]),
      fallout('e', 'check', 'b'),
      rollup('PR'),
    ]
    expect(line(mix)).toBe('of 4 failing tests 1 may be yours, 3 are chronic')
    expect(line([one('flaky'), one('broken-trunk', 'b'), one('mass-failure', 'c')], { redChecks: [] })).toBe(
      'of 3 failing tests 1 is part of a mass failure, 1 is broken on the trunk, 1 is flaky',
    )
  })

  test('the same failure in several checks is one', () => {
    expect(line([suspect('a', 'check 1'), suspect('a', 'check 2')])).toBe('1 failing test may be yours')
    // With other numbers it says something else.
    expect(line([suspect('a', 'check 1', 700), suspect('a', 'check 2', 800)])).toBe('both failing tests may be yours')
  })

  test('says when every red check is accounted for, and only then', () => {
    const known = [chronic('a', 'check', [3, 3, 0])]
    expect(line(known)).toBe('1 failing test is chronic; every red check is accounted for')
    const red = failingTests(known).redChecks
    for (const more of [
      { problem: 'too-slow' as const },
      { notJudged: 1 },
      { redChecks: [] },
      { redChecks: [...red, { name: 'x', url: null, state: 'not-known' as const }] },
      { redChecks: [...red, { name: 'x', url: null, state: 'may-be-yours' as const }] },
    ]) {
      expect(line(known, more)).not.toContain('accounted for')
    }
    for (const open of [suspect('b', 'running again'), one('unknown', 'b')]) {
      expect(line([open, ...known], { redChecks: red })).not.toContain('accounted for')
    }
  })

  test('a check that only sums up others says nothing of itself', () => {
    expect(line([rollup('PR')])).toBe('whether the red check is yours is unknown')
    expect(line([rollup('PR'), rollup('Mergeable Check')])).toBe('whether the 2 red checks are yours is unknown')
    expect(line([rollup('PR'), chronic('a', 'check', [3, 3, 0])])).toBe(
      '1 failing test is chronic; every red check is accounted for',
    )
    expect(line([rollup('PR')], {}, ['Fast test'])).toBe('of 1 red check nothing is known yet')
    expect(line([rollup('PR')], { isFinal: true }, ['Fast test'])).toBe('of 1 red check nothing is known')
  })

  test('without failing tests', () => {
    expect(failingView(null)).toBeNull()
    expect(line([])).toBeNull()
    expect(line([], { problem: 'unreachable' })).toBe('the failing tests could not be looked up')
    expect(line([], { redChecks: [{ name: 'x', url: null, state: 'not-known' }] })).toBe(
      'of 1 red check nothing is known yet',
    )
    expect(line([], { notJudged: 7 })).toBe('7 more were not judged')
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
        const mixed = /^of (\d+) failing tests (.*)$/.exec(text)
        expect(mixed !== null).toBe(new Set(rows).size > 1)
        if (mixed === null) return
        const parts = mixed[2]!.split(', ').map((part) => Number(part.split(' ')[0]))
        expect(Number(mixed[1])).toBe(rows.length)
        expect(parts.reduce((sum, number) => sum + number, 0)).toBe(rows.length)
      }),
    )
  })
})
