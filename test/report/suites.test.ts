import { describe, expect, test } from 'vitest'
import type { TrunkSeries } from '../../src/judge/history/trunk-series.ts'
import { binomialTail } from '../../src/judge/statistics/binomial-tail.ts'
import { habitOf, isHabit } from '../../src/report/suite-habits.ts'
import { suitesOf } from '../../src/report/suites.ts'
import { generator } from '../judge/statistics/change-points/noise.ts'
import { classifiedQuery } from '../judge/verdict/classified-query-builder.ts'
import { changed, report, result, row } from './render/report-builder.ts'

/** A run of suites of queries; `slower` says which of them are, by suite and position. */
function run(sizes: readonly number[], slower: (suite: number, query: number) => boolean) {
  const rows = sizes.flatMap((size, suite) =>
    Array.from({ length: size }, (_, query) => {
      const isSlower = slower(suite, query)
      const measured = isSlower ? changed(0.1, 0.13) : result(0.1, 0.1)
      return row(`suite_${suite}`, query, [measured], { verdict: isSlower ? 'regression' : null })
    }),
  )
  return report(rows)
}

test('four of seven slower queries in one small suite have one cause, and the suite its geometric mean', () => {
  const sizes = [5, ...Array.from({ length: 10 }, () => 6)]
  const suites = suitesOf(run(sizes, (suite, query) => (suite === 0 ? query < 4 : suite < 4 && query === 0)))
  expect(suites.map(({ test, compared, slower }) => [test, compared, slower.length])).toEqual([['suite_0', 5, 4]])
  expect(suites[0]!.change).toBeCloseTo(1.3 ** (4 / 5) - 1, 12)
  expect(suites[0]!.cause).toMatchObject({ direction: 'slower', ofAll: 7 })
  expect(suites[0]!.cause!.chance).toBeLessThan(0.01)
})

test('three slower queries of a large suite among others are named without a cause', () => {
  const suites = suitesOf(run([30, 6, 6], (suite, query) => (suite === 0 ? query < 3 : query < 2)))
  expect(suites.map(({ test, cause }) => [test, cause])).toEqual([['suite_0', null]])
})

test('a run of one suite, and suites with two changed queries, have nothing to say', () => {
  expect(suitesOf(run([20], () => true))).toEqual([])
  expect(suitesOf(run([5, 5], (_, query) => query < 2))).toEqual([])
})

describe('queries that change by chance', () => {
  test.each([
    { share: 0.02, noisy: 0.02, most: 0.01 },
    { share: 0.1, noisy: 0.1, most: 0.01 },
    { share: 0.3, noisy: 0.3, most: 0.01 },
    { share: 0.02, noisy: 0.2, most: 0.04 },
  ])('$share of them, $noisy in a suite of 5, are given a cause in at most $most of runs', ({ share, noisy, most }) => {
    const random = generator(7)
    const sizes = [3, 4, 5, 6, 8, 8, 10, 12, 20]
    const runs = 1000
    let named = 0
    for (let i = 0; i < runs; i += 1) {
      if (suitesOf(run(sizes, (suite) => random() < (suite === 2 ? noisy : share))).some(({ cause }) => cause !== null))
        named += 1
    }
    expect(named / runs).toBeLessThanOrEqual(most)
  })
})

const RUNS = 400

describe('a suite that changes together by itself', () => {
  const query = (index: number, isSlower: boolean) =>
    classifiedQuery({
      test: 'noisy',
      queryIndex: index,
      queryName: null,
      architecture: 'arm',
      outcome: isSlower ? 'changed' : 'not-significant',
      direction: isSlower ? 'slower' : null,
      changedThreshold: 0.05,
    })
  /** The trunk's runs of five queries, of which so many moved by `difference` in each. */
  const trunk = (moved: readonly number[], difference = 0.1): TrunkSeries[] =>
    Array.from({ length: 5 }, (_, index) => ({
      test: 'noisy',
      queryIndex: index,
      queryName: null,
      architecture: 'arm',
      metric: 'client_time',
      source: 'own',
      points: moved.map((many, run) => ({
        time: run,
        commit: `c${run}`,
        referenceCommit: `c${run - 1}`,
        old: 1,
        new: 1 + difference,
        difference: index < many ? difference : 0,
        threshold: 0.04,
      })),
    }))
  const four = Array.from({ length: 5 }, (_, index) => query(index, index < 4))
  const slower = { test: 'noisy', direction: 'slower' } as const

  test('runs of the trunk with as many are counted, by the thresholds of the queries and in the direction', () => {
    expect(habitOf(slower, four, trunk([4, 5, 3, 0]))).toEqual({ ...slower, runs: 4, asMany: 2 })
    expect(habitOf(slower, four, trunk([4, 5, 3, 0], 0.045))).toMatchObject({ runs: 4, asMany: 0 })
    expect(habitOf(slower, four, trunk([4, 5, 3, 0], -0.1))).toMatchObject({ runs: 4, asMany: 0 })
    expect(habitOf(slower, four, trunk([4, 5, 3, 0]).slice(0, 3))).toMatchObject({ runs: 0, asMany: 0 })
  })

  test('a commit that was measured again is one run with the queries that it has', () => {
    const measuredAgain = trunk([4, 5, 3, 0]).map((one) => ({
      ...one,
      points: one.points.flatMap((point) => [point, { ...point, time: point.time + 0.5 }]),
    }))
    expect(habitOf(slower, four, measuredAgain)).toEqual({ ...slower, runs: 4, asMany: 2 })
  })

  test('is a habit where it does so in more than 1% of runs, beyond chance', () => {
    const of = (asMany: number, runs: number) => isHabit({ ...slower, asMany, runs })
    expect([of(0, 9), of(1, 23), of(2, 23), of(3, 100), of(4, 100), of(3, 3)]).toEqual([
      false,
      false,
      true,
      false,
      true,
      true,
    ])
    // as many runs as the test lets pass by chance are a habit in at most 2.5% of suites that do so in 1%
    for (const runs of [5, 23, 60, 100, 400]) {
      const least = Array.from({ length: runs + 1 }, (_, asMany) => asMany).find((asMany) => of(asMany, runs))!
      expect(binomialTail(least, runs, 0.01)).toBeLessThanOrEqual(0.025)
    }
  })

  test('has no cause when it does so again, and another one has', () => {
    const sizes = [5, ...Array.from({ length: 10 }, () => 6)]
    const found = run(sizes, (suite, position) => (suite === 0 ? position < 4 : suite < 4 && position === 0))
    const habit = { test: 'suite_0', direction: 'slower', runs: 100, asMany: 7 } as const
    expect(suitesOf({ ...found, suiteHabits: [habit] })[0]).toMatchObject({ cause: null, habit })
    expect(suitesOf({ ...found, suiteHabits: [{ ...habit, asMany: 1 }] })[0]!.cause).not.toBeNull()
    expect(suitesOf({ ...found, suiteHabits: [{ ...habit, direction: 'faster' }] })[0]!.cause).not.toBeNull()
  })

  // The queries of one suite change ten times as often as the others, or in one of ten runs most of them do.
  test.each([
    { kind: 'noisy each by itself', before: 0.08, now: 0.05, of: (random: () => number) => () => random() < 0.2 },
    {
      kind: 'bad as a whole at times',
      before: 0.08,
      now: 0.04,
      of: (random: () => number) => (random() < 0.1 ? () => random() < 0.6 : () => random() < 0.02),
    },
  ])(
    'unchanged runs in which one suite is $kind: causes before and with the habits of 100 runs',
    ({ before, now, of }) => {
      const random = generator(11)
      const sizes = [3, 4, 5, 6, 8, 8, 10, 12, 20]
      const draw = () => {
        const noisy = of(random)
        return sizes.map((size, suite) => Array.from({ length: size }, () => (suite === 8 ? noisy() : random() < 0.02)))
      }
      let trunkRuns: boolean[][][] = []
      let [causes, left] = [0, 0]
      for (let i = 0; i < RUNS; i += 1) {
        if (i % 50 === 0) trunkRuns = Array.from({ length: 100 }, draw)
        const drawn = draw()
        const unchanged = run(sizes, (suite, position) => drawn[suite]![position]!)
        const suites = suitesOf(unchanged).filter(({ cause }) => cause !== null)
        if (suites.length === 0) continue
        causes += 1
        const suiteHabits = suites.map(({ test: name, slower: here }) => {
          const at = Number(name.slice('suite_'.length))
          const asMany = trunkRuns.filter((one) => one[at]!.filter(Boolean).length >= here.length).length
          return { test: name, direction: 'slower' as const, runs: 100, asMany }
        })
        if (suitesOf({ ...unchanged, suiteHabits }).some(({ cause }) => cause !== null)) left += 1
      }
      expect(causes / RUNS).toBeGreaterThan(before / 2)
      expect(left / RUNS).toBeLessThanOrEqual(now)
    },
  )
})
