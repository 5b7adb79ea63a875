import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mannWhitney } from '../../../src/judge/statistics/mann-whitney.ts'
import { randomizationTest } from '../../../src/judge/statistics/randomization-test.ts'
import { type StrataTest, type Stratum, testStrata } from '../../../src/judge/statistics/strata.ts'
import { computed } from '../../computing-time.ts'
import { generator, noise } from './change-points/noise.ts'
import { relabelings, upperMedian } from './relabelings.ts'

const S1 = { old: [1.0, 1.02, 1.01, 0.99, 1.03, 1.0, 1.05], new: [1.04, 1.06, 1.01, 1.03, 1.07, 1.02, 1.09] }
const S2 = { old: [1.01, 0.98, 1.03, 1.0, 1.02, 0.99, 1.04], new: [1.05, 1.03, 1.06, 1.0, 1.08, 1.04, 1.02] }
const S3 = { old: [2.0, 2.1, 1.9, 2.2, 2.05], new: [2.3, 2.15, 2.4, 2.25, 2.1] }

function tested(strata: readonly Stratum[]): StrataTest {
  const { test: found } = testStrata(strata)
  if (typeof found === 'string') throw new Error(`not tested: ${found}`)
  return found
}

describe('the table of the definition', () => {
  test.each<readonly [Stratum[], number[], number, number, number]>([
    [[S1], [1], 0.02970297, 0.03960396, 0.114219114],
    [[S2], [1], 0.02970297, 0.04, 0.149184149],
    [[S3], [1], 0.097560976, 0.097560976, 0.047619048],
    [[S1, S2], [0.501579, 0.498421], 0.02970297, 0.029721253, 0.01442885],
    [[S1, S3], [0.881966, 0.118034], 0.037488955, 0.037727067, 0.019369519],
    [[S1, S2, S3], [0.470027, 0.467069, 0.062904], 0.033845066, 0.029333069, 0.002769246],
  ])('%#', (strata, weights, difference, threshold, pValue) => {
    const found = tested(strata)
    expect(Math.abs(found.difference - difference)).toBeLessThan(1e-9)
    expect(Math.abs(found.threshold - threshold)).toBeLessThan(1e-9)
    expect(Math.abs(found.pValue - pValue)).toBeLessThan(1e-9)
    const { used } = testStrata(strata)
    for (const [index, { weight }] of used.entries()) expect(Math.abs(weight - weights[index]!)).toBeLessThan(1e-6)
  })
})

/** ln of the ratio of the medians, and what U is off its middle, of each relabeling of a stratum. */
function dealt({ old, new: fresh }: Stratum) {
  const u = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, x) => sum + b.reduce((wins, y) => wins + (x > y ? 1 : x === y ? 0.5 : 0), 0), 0)
  const of = (a: readonly number[], b: readonly number[]) => ({
    logRatio: Math.log(upperMedian(b) / upperMedian(a)),
    u: u(a, b) - (a.length * b.length) / 2,
  })
  return { measured: of(old, fresh), all: [...relabelings([...old, ...fresh], old.length)].map(([a, b]) => of(a, b)) }
}

function byEnumeration(strata: readonly Stratum[]) {
  const each = strata.map(dealt)
  const variances = each.map(({ all }) => {
    const mean = all.reduce((sum, { logRatio }) => sum + logRatio, 0) / all.length
    return Math.max(1e-8, all.reduce((sum, { logRatio }) => sum + (logRatio - mean) ** 2, 0) / all.length)
  })
  const precision = variances.reduce((sum, variance) => sum + 1 / variance, 0)
  const weights = variances.map((variance) => 1 / variance / precision)
  const joined = (of: 'logRatio' | 'u') => {
    const measured = each.reduce((sum, one, index) => sum + weights[index]! * one.measured[of], 0)
    let sums = [0]
    for (const [index, { all }] of each.entries()) {
      sums = sums.flatMap((sum) => all.map((one) => sum + weights[index]! * one[of]))
    }
    const sizes = sums.map(Math.abs).sort((a, b) => b - a)
    const beyond = sizes.filter((size) => size >= Math.abs(measured) - 1e-11).length
    const above = Math.floor(sizes.length / 100)
    return { measured, pValue: beyond / sizes.length, quantile: sizes[above]! }
  }
  return { medians: joined('logRatio'), ranks: joined('u') }
}

const counts = fc.constantFrom<readonly [number, number]>([3, 3], [3, 4], [4, 3], [5, 3], [3, 5], [4, 4])
const stratum = (value: fc.Arbitrary<number>) =>
  counts.chain(([n, m]) =>
    fc.record({
      old: fc.array(value, { minLength: n, maxLength: n }),
      new: fc.array(value, { minLength: m, maxLength: m }),
    }),
  )

test.each([
  ['few values', fc.integer({ min: 1, max: 6 })],
  ['times to the microsecond', fc.integer({ min: 1_000, max: 2_000_000 }).map((value) => value / 1e6)],
])('is what all relabelings give: %s', (_, value) => {
  fc.assert(
    fc.property(fc.array(stratum(value), { minLength: 1, maxLength: 2 }), (strata) => {
      const joined = testStrata(strata)
      fc.pre(joined.test !== 'disagree')
      const found = tested(strata)
      const { medians, ranks } = byEnumeration(strata)
      expect(Math.abs(found.difference - Math.expm1(medians.measured))).toBeLessThan(1e-9)
      expect(Math.abs(found.pValue - medians.pValue)).toBeLessThan(1e-9)
      expect(Math.abs(found.rankPValue - ranks.pValue)).toBeLessThan(1e-9)
      const side = medians.measured < -1e-12 ? -1 : 1
      expect(Math.abs(found.threshold - Math.abs(Math.expm1(side * medians.quantile)))).toBeLessThan(1e-9)
    }),
    { numRuns: 150 },
  )
})

test('one attempt is the randomization test of the logarithms', () => {
  const random = generator(3)
  for (const [n, m] of [
    [7, 7],
    [6, 9],
    [13, 13],
    [30, 29],
  ] as const) {
    const [old, fresh] = [noise(random, n, 1, 0.1), noise(random, m, 1.1, 0.1)]
    const logs = randomizationTest(old.map(Math.log), fresh.map(Math.log))
    const found = tested([{ old, new: fresh }])
    expect(found.pValue).toBeCloseTo(logs.pValue, 12)
    const quantile = logs.threshold * Math.abs(logs.oldMedian)
    expect(found.threshold).toBeCloseTo(Math.abs(Math.expm1(found.difference < 0 ? -quantile : quantile)), 12)
    expect(found.rankPValue).toBeCloseTo(mannWhitney(old, fresh).pValue, 12)
  }
})

/** The chance of a sum as far out as the measured one, of all values of each attempt. */
function exactPValue(strata: readonly Stratum[]): number {
  const { used } = testStrata(strata)
  const each = strata.map(({ old, new: fresh }, index) => {
    const byValue = new Map<number, number>()
    for (const { logRatio } of dealt({ old, new: fresh }).all) {
      const value = used[index]!.weight * logRatio
      byValue.set(value, (byValue.get(value) ?? 0) + 1)
    }
    return [...byValue]
  })
  const size = Math.abs(used.reduce((sum, { weight, logRatio }) => sum + weight * logRatio, 0)) - 1e-12
  let [beyond, total] = [0, 0]
  const walk = (depth: number, sum: number, count: number) => {
    if (depth === each.length) {
      total += count
      if (Math.abs(sum) >= size) beyond += count
      return
    }
    for (const [value, times] of each[depth]!) walk(depth + 1, sum + value, count * times)
  }
  walk(0, 0, 1)
  return beyond / total
}

test.each([0.001, 0.01, 0.1, 0.5])('in bins p is too large by less than 0.001, at a spread of %d', (spread) => {
  const random = generator(11)
  for (const level of [1, 1 + spread, 1 + 2 * spread]) {
    const strata = [7, 8, 7, 7].map((count) => ({
      old: noise(random, count, 1, spread).map(Math.exp),
      new: noise(random, count, level, spread).map(Math.exp),
    }))
    const excess = tested(strata).pValue - exactPValue(strata)
    expect(excess).toBeGreaterThanOrEqual(-1e-12)
    expect(excess).toBeLessThan(1e-3)
  }
})

test('what has no ratio or too few samples is left out, and said', () => {
  const { used, leftOut } = testStrata([
    S1,
    { old: [1, 2], new: [1, 2, 3] },
    { old: [0, 0, 0, 1], new: [1, 2, 3, 4] },
    S2,
  ])
  expect(used.map(({ index }) => index)).toEqual([0, 3])
  expect(leftOut).toEqual([
    { index: 1, reason: 'sample-count' },
    { index: 2, reason: 'no-ratio' },
  ])
  expect(testStrata([{ old: [1, 2], new: [1, 2] }]).test).toBe('none')
  expect(testStrata([]).test).toBe('none')
})

test('attempts that are significant in opposite directions disagree', () => {
  const [low, high] = [
    [1.0, 1.01, 1.02, 1.03, 1.04],
    [1.2, 1.21, 1.22, 1.23, 1.24],
  ]
  const [up, down] = [
    { old: low, new: high },
    { old: high, new: low },
  ]
  expect(testStrata([up, down, S1]).test).toBe('disagree')
  expect(tested([up, up]).separated).toBe(true)
  // one that shows nothing by itself contradicts nobody
  expect(tested([up, { old: S1.new, new: S1.old }]).separated).toBe(false)
})

test('an attempt of equal samples does not take all of the weight', () => {
  const { used } = testStrata([{ old: [1, 1, 1, 1, 1], new: [1, 1, 1, 1, 1] }, S1])
  expect(used[0]!.weight).toBeLessThan(1)
  const same = tested([{ old: [5, 5, 5], new: [5, 5, 5] }])
  expect(same).toMatchObject({ difference: 0, threshold: 0, isSignificant: false })
  expect(same.pValue).toBeCloseTo(1, 12)
})

// in bins, and of 13 + 13 with the sums in their order, whose distances from 0 are the worst that a quickselect can get
test.each([200, 13])('three attempts of %i repetitions are tested within a second', (count) => {
  const random = generator(5)
  const strata = [0, 1, 2].map(() => ({ old: noise(random, count, 1, 0.1), new: noise(random, count, 1.01, 0.1) }))
  const start = computed()
  const { pValue, rankPValue } = tested(strata)
  expect(computed() - start).toBeLessThan(5_000)
  expect(Math.abs(Math.log(pValue / rankPValue))).toBeLessThan(4)
})
