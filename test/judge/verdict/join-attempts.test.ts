import { describe, expect, test } from 'vitest'
import type { Measurement } from '../../../src/intake/measurement/run.ts'
import { testStrata } from '../../../src/judge/statistics/strata.ts'
import { classify } from '../../../src/judge/verdict/classify.ts'
import { attemptsByResult, joinAttempts } from '../../../src/judge/verdict/join-attempts.ts'
import { DEFAULT_THRESHOLDS } from '../../../src/judge/verdict/thresholds.ts'
import { verdictOf } from '../../../src/judge/verdict/verdict.ts'

/** 13 values about a level, from 10% below it to 10% above. */
const SPREAD = Array.from({ length: 13 }, (_, at) => 1 + (at - 6) / 60)
const around = (level: number) => SPREAD.map((factor) => level * factor)

function attempt(old: readonly number[], fresh: readonly number[], more: Partial<Measurement> = {}): Measurement {
  return {
    test: 'sum',
    queryIndex: 0,
    queryName: 'SELECT 1',
    metric: 'client_time',
    unit: 's',
    architecture: null,
    old,
    new: fresh,
    reportThreshold: null,
    rounded: false,
    problems: [],
    ...more,
  }
}

/** The newest attempt beside those before it. */
function joined(...attempts: readonly Measurement[]) {
  const newest = attempts.at(-1)!
  const [alone] = classify([newest], DEFAULT_THRESHOLDS)
  return { alone: alone!, together: joinAttempts(alone!, newest, attempts.slice(0, -1)) }
}

const SLOWER = attempt(around(1), around(1.08))

test('two attempts show what neither can show alone, by the test of attempts', () => {
  const { alone, together } = joined(SLOWER, attempt(around(2), around(2.16)))
  expect(alone.outcome).not.toBe('changed')
  const { test: expected } = testStrata([SLOWER, attempt(around(2), around(2.16))])
  expect(together).toMatchObject({
    outcome: 'changed',
    direction: 'slower',
    attempts: 2,
    old: alone.old,
    new: alone.new,
  })
  expect(expected).toMatchObject({ difference: together.difference, threshold: together.threshold })
  expect(expected).toMatchObject({ pValue: together.pValue, rankPValue: together.rankPValue })
  expect(verdictOf(together, false, [])).toBe('regression')
})

test('the direction is that of the metric', () => {
  const rate = { better: 'higher' } as const
  const { together } = joined(attempt(around(1), around(1.08), rate), attempt(around(1), around(1.08), rate))
  expect(together).toMatchObject({ outcome: 'changed', direction: 'faster' })
})

test('a noisy query that did not change is no longer too noisy to judge', () => {
  const noisy = attempt(
    SPREAD.map((factor) => factor ** 1.5),
    SPREAD.map((factor) => factor ** 1.5),
  )
  const { alone, together } = joined(noisy, noisy, noisy)
  expect([alone.outcome, together.outcome, together.attempts]).toEqual(['unstable', 'not-significant', 3])
})

test('a difference that is no change yet does not make its own query too noisy', () => {
  const quiet = SPREAD.map((factor) => 1 + (factor - 1) / 4)
  const apart = attempt(quiet, [...quiet.slice(0, 7), ...quiet.slice(7).map((value) => value * 1.3)])
  const { alone, together } = joined(apart, apart)
  expect(alone.outcome).not.toBe('changed')
  expect(together.threshold!).toBeGreaterThan(0.0)
  expect(together.outcome).toBe('not-significant')
})

test('each look costs: after k attempts p has to be 1% divided by k', () => {
  const weaker = attempt(around(1), around(1.07))
  const { test: two } = testStrata([weaker, weaker])
  expect(two).toMatchObject({ isSignificant: true })
  expect(joined(weaker, weaker).together.outcome).not.toBe('changed')
  expect(joined(weaker, weaker, weaker, weaker).together).toMatchObject({ outcome: 'changed', attempts: 4 })
})

test('what is too rare to settle and not rare enough to show asks for one more attempt', () => {
  const weaker = attempt(around(1), around(1.07))
  const asking = joined(weaker, weaker).together
  expect(asking).toMatchObject({ outcome: 'not-significant', leans: { reason: 'one-repetition-overlaps' } })
  expect(verdictOf(asking, false, [])).toBe('needs-rerun')
  const small = attempt(around(1), around(1.04))
  expect(joined(small, small).together).not.toHaveProperty('leans')
  expect(joined(attempt(around(1.07), around(1)), attempt(around(1.07), around(1))).together).not.toHaveProperty(
    'leans',
  )
})

describe('what stays as it is', () => {
  const clear = attempt([1, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06], [1.3, 1.31, 1.32, 1.33, 1.34, 1.35, 1.36])
  const same = attempt(around(1), around(1))

  test.each([
    ['the only attempt', [SLOWER]],
    ['changed in an earlier attempt and not in the newest', [clear, same]],
    ['changed beyond doubt in the newest', [same, clear]],
    ['of one process', [1, 2].map(() => ({ ...SLOWER, taken: { old: { processes: SPREAD.map(() => 0) } } }))],
    ['a summary', [SLOWER, { ...SLOWER, comparison: { difference: 0.08, threshold: 0.1 } }]],
    ['too few repetitions before', [attempt([1, 1.1], [1.2, 1.3]), SLOWER]],
  ] satisfies [string, Measurement[]][])('%s', (_, attempts) => {
    const { alone, together } = joined(...attempts)
    expect(together).toBe(alone)
  })

  test('a change that may be chance, which the others do not show', () => {
    const doubtful = attempt([1, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06], [1.3, 1.31, 1.32, 1.33, 1.34, 1.35, 1.04])
    const { alone, together } = joined(attempt(around(1), around(0.97)), doubtful)
    expect(alone.outcome).toBe('changed')
    expect(together).toBe(alone)
    const agreeing = joined(attempt(around(1), around(1.085)), doubtful)
    expect(agreeing.together).toMatchObject({ outcome: 'changed', attempts: 2 })
    expect(agreeing.together.pValue!).toBeLessThan(agreeing.alone.pValue!)
  })
})

test('attempts are found by query, metric and architecture', () => {
  const one = attempt(around(1), around(1))
  const found = attemptsByResult([[one, { ...one, queryName: 'SELECT 2' }], [{ ...one, metric: 'memory' }]], 'amd')
  const [result] = classify([{ ...one, architecture: 'amd' }], DEFAULT_THRESHOLDS)
  expect(found(result!)).toEqual([one])
  expect(found({ ...result!, architecture: 'arm' })).toEqual([])
})
