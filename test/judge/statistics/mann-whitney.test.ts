import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  countsTiesExactly,
  hasRankDistribution,
  mannWhitney,
  rankPValues,
  shiftInterval,
} from '../../../src/judge/statistics/mann-whitney.ts'
import { choose, ratio, relabelings } from './relabelings.ts'

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

function doubledU(old: readonly number[], fresh: readonly number[]): number {
  let doubled = 0
  for (const mine of old) for (const other of fresh) doubled += mine > other ? 2 : mine === other ? 1 : 0
  return doubled
}

/** All relabelings one by one, in integers. */
function byEnumeration(old: readonly number[], fresh: readonly number[]): number {
  const middle = old.length * fresh.length
  const measured = Math.abs(doubledU(old, fresh) - middle)
  let beyond = 0
  let total = 0
  for (const [a, b] of relabelings([...old, ...fresh], old.length)) {
    total += 1
    if (Math.abs(doubledU(a, b) - middle) >= measured) beyond += 1
  }
  return beyond / total
}

function sides(value: fc.Arbitrary<number>): fc.Arbitrary<readonly [number[], number[]]> {
  const side = fc.array(value, { minLength: 1, maxLength: 6 })
  return fc.tuple(side, side)
}

describe('is what enumerating all relabelings gives', () => {
  test.each([
    ['hardly a tie', fc.integer({ min: -1000, max: 1000 })],
    ['some ties', fc.integer({ min: -5, max: 5 })],
    ['ties everywhere', fc.integer({ min: 0, max: 2 })],
    ['two values', fc.integer({ min: 0, max: 1 })],
  ])('%s', (_, value) => {
    fc.assert(
      fc.property(sides(value), ([old, fresh]) => {
        const actual = mannWhitney(old, fresh)
        expect(actual.u).toBe(doubledU(old, fresh) / 2)
        expect(actual.method).toBe('exact')
        expect(Math.abs(actual.pValue - byEnumeration(old, fresh))).toBeLessThan(1e-12)
      }),
      { numRuns: 120 },
    )
  })

  test('uneven counts with ties, either way round', () => {
    const few = [3, 3]
    const many = [1, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6]
    expect(mannWhitney(few, many).pValue).toBeCloseTo(byEnumeration(few, many), 14)
    expect(mannWhitney(many, few).pValue).toBeCloseTo(byEnumeration(many, few), 14)
    expect(mannWhitney(many, few).u).toBe(22 - mannWhitney(few, many).u)
  })
})

test('7 + 7 separated samples have the smallest p there is', () => {
  expect(mannWhitney(range(1, 7), range(8, 14))).toEqual({ u: 0, pValue: 2 / 3432, method: 'exact' })
  expect(mannWhitney(range(8, 14), range(1, 7))).toEqual({ u: 49, pValue: 2 / 3432, method: 'exact' })
})

test('equal samples say nothing', () => {
  expect(mannWhitney([5, 5, 5], [5, 5])).toEqual({ u: 3, pValue: 1, method: 'exact' })
})

test('0 and -0 are equal', () => {
  expect(mannWhitney([0, 0], [-0, -0]).pValue).toBe(1)
})

test('one tie among many hardly moves the p-value', () => {
  const old = range(1, 30).map((value) => value * 10)
  const fresh = range(1, 30).map((value) => value * 10 + 73)
  const untied = mannWhitney(old, fresh)
  const tied = mannWhitney(old, [...fresh.slice(0, -1), fresh.at(-2)!])
  expect(untied.pValue).toBeGreaterThan(0.001)
  expect(tied.method).toBe('exact')
  expect(tied.pValue / untied.pValue).toBeGreaterThan(0.9)
  expect(tied.pValue / untied.pValue).toBeLessThan(1.1)
})

describe('with many samples', () => {
  const ticks = (count: number, step: number, values: number) => range(1, count).map((k) => (k * step) % values)

  test('45 + 45 with ties everywhere are counted exactly', () => {
    const test = mannWhitney(ticks(45, 7, 11), ticks(45, 5, 13))
    expect(test.method).toBe('exact')
    // The approximation, which is good here, is an independent check.
    const swollen = mannWhitney(
      range(1, 10).flatMap(() => ticks(45, 7, 11)),
      range(1, 10).flatMap(() => ticks(45, 5, 13)),
    )
    expect(swollen.method).toBe('normal-approximation')
    expect(test.pValue).toBeGreaterThan(swollen.pValue)
  })

  test('225 + 225 without ties are counted exactly', () => {
    const old = range(1, 225).map((value) => value * 2)
    const fresh = range(1, 225).map((value) => value * 2 + 27)
    const test = mannWhitney(old, fresh)
    expect(test.method).toBe('exact')
    // The same samples with a tie are beyond the exact count of ties, and one tie changes next to nothing.
    const tied = mannWhitney(old, [...fresh.slice(1), fresh[1]!])
    expect(tied.method).toBe('normal-approximation')
    expect(test.pValue).toBeGreaterThan(0.01)
    expect(test.pValue).toBeLessThan(0.1)
    expect(tied.pValue / test.pValue).toBeGreaterThan(0.9)
    expect(tied.pValue / test.pValue).toBeLessThan(1.1)
  })

  test('the approximation corrects for ties and continuity', () => {
    // Hand-computed: U = 5000 of 10,000, so the distance is 0 and stays 0 after the correction.
    const old = [...Array(50).fill(1), ...Array(50).fill(2)]
    expect(mannWhitney(old, old)).toEqual({ u: 5000, pValue: expect.closeTo(1, 6), method: 'normal-approximation' })
    // U = 4500; variance 10,000 / 12 * (201 - (110³ - 110 + 90³ - 90) / (200 * 199)) = 124,371.86; z = 499.5 / 352.66.
    const fresh = [...Array(40).fill(1), ...Array(60).fill(2)]
    const test = mannWhitney(old, fresh)
    expect(test.u).toBe(4500)
    expect(test.pValue).toBeCloseTo(0.1566694, 6)
  })

  test('all of them equal: no variance, and p is 1', () => {
    expect(mannWhitney(Array(100).fill(3), Array(100).fill(3))).toEqual({
      u: 5000,
      pValue: 1,
      method: 'normal-approximation',
    })
  })

  test('beyond the exact distribution without ties it says so', () => {
    const old = range(1, 500).map((value) => value * 2)
    const fresh = range(1, 500).map((value) => value * 2 + 71)
    expect(mannWhitney(old, fresh).method).toBe('normal-approximation')
  })

  test('ties are counted exactly up to 64 + 64 samples', () => {
    expect(countsTiesExactly(64, 64)).toBe(true)
    expect(countsTiesExactly(64, 65)).toBe(false)
    expect(mannWhitney(ticks(64, 7, 11), ticks(64, 5, 13)).method).toBe('exact')
    expect(mannWhitney(ticks(65, 7, 11), ticks(64, 5, 13)).method).toBe('normal-approximation')
  })
})

test('a side without samples is refused', () => {
  expect(() => mannWhitney([], [1])).toThrow(RangeError)
  expect(() => mannWhitney([1], [])).toThrow('a rank test needs samples on both sides')
})

describe('rank distribution', () => {
  /** How many relabelings give each U: all of them, one by one. */
  function byEnumeration(n: number, m: number): number[] {
    const counts = Array<number>(n * m + 1).fill(0)
    const ranks = Array.from({ length: n + m }, (_, rank) => rank)
    for (const [a, b] of relabelings(ranks, n)) {
      const wins = b.flatMap((mine) => a.filter((other) => mine > other)).length
      counts[wins]! += 1
    }
    return counts
  }

  test('are the p-values of every U over all relabelings', () => {
    for (let n = 1; n <= 5; n++) {
      for (let m = 1; m <= 6; m++) {
        const counts = byEnumeration(n, m)
        const total = counts.reduce((sum, count) => sum + count)
        const expected = Array.from({ length: Math.floor((n * m) / 2) + 1 }, (_, u) => {
          const beyond = counts.filter((_, other) => Math.abs(other - (n * m) / 2) >= Math.abs(u - (n * m) / 2))
          return beyond.reduce((sum, count) => sum + count, 0) / total
        })
        const actual = [...rankPValues(n, m)]
        expect(actual.length).toBe(expected.length)
        actual.forEach((pValue, u) => {
          expect(pValue, `${n} + ${m}, U = ${u}`).toBeCloseTo(expected[u]!, 14)
        })
      }
    }
  })

  /** The coefficients of the Gaussian binomial in exact integers, by the recurrence over the largest sample. */
  function exactCounts(n: number, m: number): bigint[] {
    let rows: bigint[][] = Array.from({ length: m + 1 }, () => [1n])
    for (let i = 1; i <= n; i++) {
      const next: bigint[][] = [[1n]]
      for (let j = 1; j <= m; j++) {
        const [shifted, same] = [rows[j]!, next[j - 1]!]
        next.push(Array.from({ length: i * j + 1 }, (_, u) => (shifted[u - j] ?? 0n) + (same[u] ?? 0n)))
      }
      rows = next
    }
    return rows[m]!
  }

  test.each([
    [13, 13],
    [28, 28],
    [12, 40],
    [45, 45],
  ])('%i + %i are right to 14 digits, far out as well', (n, m) => {
    const total = choose(n + m, n)
    const counts = exactCounts(n, m)
    let sum = 0n
    rankPValues(n, m).forEach((pValue, u) => {
      sum += counts[u]!
      expect(pValue / Math.min(1, ratio(2n * sum, total)), `U = ${u}`).toBeCloseTo(1, 13)
    })
  })

  test('225 + 225: the ends are known exactly', () => {
    const pValues = rankPValues(225, 225)
    const total = choose(450, 225)
    // 1, 1, 2, 3, 5, 7: the partitions of U.
    const partitions = [1n, 2n, 4n, 7n, 12n, 19n]
    partitions.forEach((sum, u) => {
      expect(pValues[u]! / ratio(2n * sum, total)).toBeCloseTo(1, 11)
    })
    expect(pValues.at(-1)).toBe(1)
    expect(pValues.every((pValue, u) => u === 0 || pValue >= pValues[u - 1]!)).toBe(true)
  })

  test('the sides are interchangeable and share one table', () => {
    expect(rankPValues(4, 9)).toBe(rankPValues(9, 4))
  })

  test('too many samples are refused', () => {
    expect(hasRankDistribution(400, 400)).toBe(true)
    expect(hasRankDistribution(2, 4_000_000)).toBe(true)
    expect(hasRankDistribution(256, 1024)).toBe(true)
    expect(hasRankDistribution(256, 1025)).toBe(false)
    expect(hasRankDistribution(1025, 256)).toBe(false)
    expect(hasRankDistribution(500, 500)).toBe(false)
    expect(hasRankDistribution(0, 5)).toBe(false)
    expect(hasRankDistribution(5, 0)).toBe(false)
    expect(hasRankDistribution(1, 1)).toBe(true)
    expect(() => rankPValues(1000, 1000)).toThrow('no rank distribution for 1000 and 1000 samples')
  })
})

test('a shift is in the interval exactly where the test does not reject it', () => {
  const value = fc.integer({ min: 0, max: 1000 })
  fc.assert(
    fc.property(
      fc.uniqueArray(value, { minLength: 2, maxLength: 9 }),
      fc.uniqueArray(value, { minLength: 2, maxLength: 9 }),
      fc.constantFrom(0.005, 0.025, 0.1),
      (old, fresh, tail) => {
        const interval = shiftInterval(old, fresh, tail)
        if (interval === null) {
          expect(rankPValues(old.length, fresh.length)[0]).toBeGreaterThan(2 * tail)
          return
        }
        const { low, middle, high } = interval
        expect(low <= middle && middle <= high).toBe(true)
        const back = shiftInterval(fresh, old, tail)!
        expect([back.low + 0, back.middle + 0, back.high + 0]).toEqual([-high + 0, -middle + 0, -low + 0])
        // Between whole numbers no two samples are equal.
        for (let shift = -1000.5; shift <= 1000; shift += 97) {
          const { pValue } = mannWhitney(
            old,
            fresh.map((one) => one - shift),
          )
          expect(pValue > 2 * tail, `${shift}`).toBe(shift > low && shift < high)
        }
      },
    ),
    { numRuns: 100 },
  )
})
