import { describe, expect, test } from 'vitest'
import { suitesOf } from '../../src/report/suites.ts'
import { changed, report, result, row } from '../render/report-builder.ts'
import { generator } from '../statistics/change-points/noise.ts'

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
