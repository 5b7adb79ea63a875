import { type Arbitrary, array, assert, constantFrom, integer, property, record, tuple } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { againstTrunk } from '../../../src/judge/statistics/one-sided/against-trunk.ts'
import { judgeOneSided, type OneSidedBenchmark, type OneSidedResult } from '../../../src/judge/verdict/one-sided.ts'
import { judgedByDefinition } from './one-sided-oracle.ts'

const A = [100, 102, 99, 101, 98, 103, 100, 97, 101, 100, 102, 99, 100, 101, 98, 100, 103, 99, 101, 100, 99, 102]

function one(trunk: readonly number[], jobs: readonly number[], more: Partial<OneSidedBenchmark> = {}): OneSidedResult {
  return judgeOneSided([{ trunk, jobs, better: 'lower', isCount: false, ...more }]).results[0]!
}

describe('the table of the definition', () => {
  test.each<readonly [string, readonly number[], readonly number[], Partial<OneSidedResult>, number, number]>([
    [
      'nothing to see, too noisy',
      A,
      [101],
      { outcome: 'unstable', moreJobs: 2, asLarge: 14 },
      0.00995033085,
      0.206202718,
    ],
    ['one job off', A, [115], { outcome: 'rerun', reason: 'one-job', asLarge: 0 }, 0.139761942, 0.206202718],
    ['two jobs off', A, [115, 114], { outcome: 'slower', moreJobs: 0, asLarge: 0 }, 0.131028262, 0.103101359],
    ['the second job is not', A, [115, 101], { outcome: 'unstable', asLarge: 14 }, 0.00995033085, 0.103101359],
    ['one job far off', A, [140], { outcome: 'slower', moreJobs: 1, asLarge: 0 }, 0.336472237, 0.206202718],
    [
      'a short trunk',
      A.slice(0, 8),
      [120, 119, 121],
      { outcome: 'slower', asLarge: 0, residuals: 5 },
      0.173953307,
      0.13613954,
    ],
    [
      'a step on the main branch',
      [...A, 120, 122, 119, 121],
      [121, 120],
      { outcome: 'not-significant', asLarge: 20, residuals: 20 },
      0,
      0.071000919,
    ],
    [
      'perhaps a step',
      [...A, 120, 121],
      [121, 122],
      { outcome: 'rerun', reason: 'already-on-trunk', asLarge: 1, residuals: 21 },
      0.19062036,
      0.062627191,
    ],
  ])('%s', (_, trunk, jobs, expected, difference, threshold) => {
    const result = one(trunk, jobs)
    expect(result).toMatchObject(expected)
    expect(result.difference).toBeCloseTo(difference, 9)
    expect(result.threshold).toBeCloseTo(threshold, 9)
  })

  test('the level and what it is of', () => {
    expect(one(A, [101])).toMatchObject({ residuals: 19, window: 20, level: expect.closeTo(100, 9) as number })
    const { benchmarks } = againstTrunk([{ trunk: A.map(Math.log), jobs: [] }])
    expect(benchmarks[0]!.spread).toBeCloseTo(0.0263932958, 10)
  })
  test('more operations a second are the same as less time', () => {
    const rates = [115, 114].map((time) => 1e4 / time)
    const result = one(
      A.map((time) => 1e4 / time),
      rates,
      { better: 'higher' },
    )
    expect(result).toMatchObject({ outcome: 'slower', direction: 'slower', residuals: 19, asLarge: 0 })
    expect(result.difference).toBeCloseTo(0.131028262, 9)
    expect(result.threshold).toBeCloseTo(0.103101359, 9)
  })
  test('three times as slow is looked at whatever the history', () => {
    expect(one(A.slice(0, 4), [350])).toMatchObject({
      outcome: 'rerun',
      reason: 'guard',
      difference: null,
      threshold: null,
    })
  })
  test('a number that never changes', () => {
    const result = one(new Array(6).fill(52_133), [55_000])
    expect(result).toMatchObject({ outcome: 'slower', isExact: true })
    expect(result.difference).toBeCloseTo(0.0549939578, 10)
  })
})

describe('what does not vary', () => {
  const trunk = new Array(6).fill(52_133)
  test.each<
    readonly [string, readonly number[], readonly number[], Partial<OneSidedBenchmark>, Partial<OneSidedResult>]
  >([
    [
      'equal to the last value',
      [7, 9, 8],
      [8],
      { isCount: true },
      { outcome: 'not-significant', isExact: true, moreJobs: 0 },
    ],
    ['a time that equals the last one', [7, 9, 8], [8], {}, { outcome: 'no-reference', isExact: false }],
    ['one byte more', trunk, [52_134], {}, { outcome: 'too-small', direction: 'slower' }],
    ['fewer', trunk, [40_000, 40_000], {}, { outcome: 'faster', moreJobs: 0 }],
    ['fewer, where more are better', trunk, [40_000, 40_000], { better: 'higher' }, { outcome: 'slower' }],
    ['jobs that disagree', trunk, [55_000, 52_133], {}, { outcome: 'unstable', difference: 0, moreJobs: 1 }],
    [
      '12 allocations, then 19',
      new Array(5).fill(12),
      [19, 19],
      { isCount: true },
      { outcome: 'slower', isExact: true },
    ],
    ['a time of few digits', new Array(5).fill(12), [12.3, 12.3], {}, { isExact: false }],
    [
      'no allocation, then 3',
      new Array(5).fill(0),
      [3, 3],
      { isCount: true },
      { outcome: 'slower', difference: Infinity },
    ],
    ['still no allocation', [0, 0, 0], [0], { isCount: true }, { outcome: 'not-significant', difference: 0 }],
    ['4 equal values are too few', [1, 1, 1, 1], [2], { isCount: true }, { isExact: false }],
    ['three times as many in one of two jobs', trunk, [156_500, 52_133], {}, { outcome: 'rerun', reason: 'guard' }],
  ])('%s', (_, values, jobs, more, expected) => {
    expect(one(values, jobs, more)).toMatchObject(expected)
  })
})

describe('doubts', () => {
  test('too few runs of the trunk ask for more jobs before they blame', () => {
    expect(one(A.slice(0, 12), [140])).toMatchObject({ outcome: 'rerun', reason: 'short-history', residuals: 9 })
    expect(one(A.slice(0, 9), [140, 140])).toMatchObject({ outcome: 'rerun', reason: 'short-history', residuals: 6 })
    expect(one(A.slice(0, 10), [140, 140])).toMatchObject({ outcome: 'slower', residuals: 7 })
  })
  test('what the trunk does by itself is not blamed on one job', () => {
    const spiky = A.toSpliced(12, 1, 150)
    expect(one(spiky, [150])).toMatchObject({ outcome: 'rerun', reason: 'moves-on-trunk', asLarge: 1 })
    expect(one(spiky, [150, 150])).toMatchObject({ outcome: 'slower' })
  })
  test('a faster row asks for no rerun', () => {
    expect(one(A, [1e4 / 115])).toMatchObject({ outcome: 'unstable', direction: 'faster' })
    expect(one([...A, 83, 82], [82, 81])).toMatchObject({ outcome: 'not-significant', direction: 'faster' })
  })
  test('one of three jobs three times as slow is not guarded, two are', () => {
    expect(one(A, [350, 100, 100])).not.toMatchObject({ outcome: 'rerun' })
    expect(one(A, [350, 90, 350])).toMatchObject({ outcome: 'rerun', reason: 'guard' })
    expect(one(A, [350, 90])).toMatchObject({ outcome: 'rerun', reason: 'guard' })
  })
  test('of more jobs the last three count', () => {
    expect(one(A, [100, 130, 130, 130])).toMatchObject({ outcome: 'slower', jobs: 3 })
    expect(one(A, [130, 130, 100, 130])).not.toMatchObject({ outcome: 'slower' })
  })
})

describe('the whole suite', () => {
  const names = Array.from({ length: 20 }, (_, index) => index)
  const suiteOf = (...slower: readonly number[]): readonly OneSidedBenchmark[] =>
    names.map((index) => ({
      trunk: A.map((value, run) => value * (1 + ((index * 7 + run * 3) % 5) / 500)),
      jobs: slower.map((factor) => (index === 4 ? 140 : 100) * factor),
      better: 'lower',
      isCount: false,
    }))

  test('a machine that is 20% slower blames nobody and is said once', () => {
    const { results, shift } = judgeOneSided(suiteOf(1.2, 1.2))
    expect(Math.exp(shift)).toBeCloseTo(1.2, 1)
    expect(results.filter(({ outcome }) => outcome === 'slower')).toEqual([results[4]])
  })
  test('a shift that one of two jobs has is none', () => {
    expect(judgeOneSided(suiteOf(1.2, 1)).shift).toBe(0)
    expect(judgeOneSided(suiteOf(1.2, 0.8)).shift).toBe(0)
    expect(judgeOneSided(suiteOf(0.8, 0.8)).shift).toBeLessThan(0)
  })
  test('the change of one of seven benchmarks is not the suite’s', () => {
    expect(judgeOneSided(suiteOf(1.2, 1.2).slice(8, 15)).shift).toBe(0)
  })
})

/** Suites with noise, steps, spikes and gaps. */
const suites: Arbitrary<readonly OneSidedBenchmark[]> = tuple(
  integer({ min: 0, max: 40 }),
  integer({ min: 1, max: 3 }),
).chain(([runs, jobs]) =>
  array(
    record({
      noise: constantFrom(0.001, 0.03, 0.2),
      step: integer({ min: 0, max: 60 }),
      better: constantFrom('lower' as const, 'higher' as const),
      draws: array(integer({ min: 0, max: 999 }), { minLength: runs + jobs, maxLength: runs + jobs }),
      change: constantFrom(1, 1, 1.1, 1.4, 4),
    }),
    { minLength: 1, maxLength: 12 },
  ).map((drawn) =>
    drawn.map(({ noise, step, better, draws, change }) => {
      const values = draws.map((draw, run) => {
        const size = (run >= step ? 150 : 100) * Math.exp(noise * (draw / 500 - 1)) * (draw < 20 ? 2 : 1)
        return run < runs && draw % 13 === 5 ? Number.NaN : size * (run >= runs ? change : 1)
      })
      return { trunk: values.slice(0, runs), jobs: values.slice(runs), better, isCount: false }
    }),
  ),
)

describe('any suite', () => {
  test('is judged as the definition says, read run by run', () => {
    assert(
      property(suites, (suite) => {
        const expected = judgedByDefinition(suite)
        const found = judgeOneSided(suite)
        expect(found.shift).toBeCloseTo(expected.shift, 9)
        for (const [index, result] of found.results.entries()) {
          const wanted = expected.results[index]!
          if (wanted === null) {
            expect(['no-reference', 'rerun']).toContain(result.outcome)
            continue
          }
          expect(result.difference).toBeCloseTo(wanted.D, 9)
          expect(result.threshold).toBeCloseTo(wanted.T, 9)
          expect(result.reach).toBeCloseTo(wanted.reach, 9)
          expect([result.residuals, result.asLarge]).toEqual([wanted.N, wanted.k])
        }
      }),
    )
  })

  test('in which more is better is the same with one over each value', () => {
    assert(
      property(suites, (suite) => {
        const over = (value: number) => 1 / value
        const turned = suite.map(({ trunk, jobs, better, isCount }) => ({
          trunk: trunk.map(over),
          jobs: jobs.map(over),
          better: better === 'lower' ? ('higher' as const) : ('lower' as const),
          isCount,
        }))
        expectAlike(turned, suite)
      }),
    )
  })

  test('is judged alike in any unit', () => {
    assert(
      property(suites, constantFrom(2 ** -30, 2 ** -10, 1024), (suite, factor) => {
        const scaled = suite.map((one) => ({
          ...one,
          trunk: one.trunk.map((value) => value * factor),
          jobs: one.jobs.map((value) => value * factor),
        }))
        expectAlike(scaled, suite)
      }),
    )
  })

  test('is judged alike in whatever order its jobs ended', () => {
    assert(
      property(suites, (suite) => {
        expectAlike(
          suite.map((one) => ({ ...one, jobs: one.jobs.toReversed() })),
          suite,
        )
      }),
    )
  })

  test('stays guarded when its jobs get slower still', () => {
    assert(
      property(suites, integer({ min: 100, max: 400 }), ([first], percent) => {
        const { jobs, better } = first!
        const slower = jobs.map((value) => (better === 'lower' ? (value * percent) / 100 : (value * 100) / percent))
        const [before] = judgeOneSided([first!]).results
        const [slowed] = judgeOneSided([{ ...first!, jobs: slower }]).results
        if (before!.reason === 'guard') expect(['slower', 'rerun']).toContain(slowed!.outcome)
      }),
    )
  })
})

/** Rounding of logarithms aside. */
function expectAlike(found: readonly OneSidedBenchmark[], expected: readonly OneSidedBenchmark[]): void {
  const [actual, wanted] = [judgeOneSided(found), judgeOneSided(expected)]
  expect(actual.shift).toBeCloseTo(wanted.shift, 9)
  for (const [index, result] of actual.results.entries()) {
    const { outcome, reason, direction, asLarge, difference } = wanted.results[index]!
    expect(result).toMatchObject({ outcome, reason, direction, asLarge })
    if (difference !== null) expect(result.difference).toBeCloseTo(difference, 9)
  }
}
