import { describe, expect, test } from 'vitest'
import { randomizationTest } from '../../../src/judge/statistics/randomization-test.ts'
import {
  canRelabel,
  LARGEST_PAIR_COUNT,
  relabelingWeights,
  scaledFactorials,
} from '../../../src/judge/statistics/relabeling-weights.ts'
import { NEEDED_REPETITIONS } from '../../../src/judge/verdict/evidence/own-measurement.ts'
import { choose, ratio, relabelings, upperMedian } from './relabelings.ts'

function weightsByPair(n: number, m: number): Map<string, number> {
  const { lower, upper, weight } = relabelingWeights(n, m)
  return new Map(Array.from(weight, (value, pair) => [`${lower[pair]} ${upper[pair]}`, value]))
}

test('are the numbers of relabelings that put the medians at each pair of ranks', () => {
  for (let n = 1; n <= 7; n++) {
    for (let m = 1; m <= 11 - n; m++) {
      const ranks = Array.from({ length: n + m }, (_, rank) => rank)
      const counted = new Map<string, number>()
      for (const [a, b] of relabelings(ranks, n)) {
        const [x, y] = [upperMedian(a), upperMedian(b)]
        const key = `${Math.min(x, y)} ${Math.max(x, y)}`
        counted.set(key, (counted.get(key) ?? 0) + 1)
      }
      const weights = weightsByPair(n, m)
      expect(new Map([...weights].filter(([, weight]) => weight > 0)), `${n} + ${m}`).toEqual(counted)
    }
  }
})

test.each([
  [7, 7, 16],
  [13, 13, 49],
  [4, 12, 26],
  [12, 4, 26],
  [45, 45, 529],
  [1, 99, 99],
])('%i + %i has each pair once: %i pairs', (n, m, pairs) => {
  expect(weightsByPair(n, m).size).toBe(pairs)
  expect(relabelingWeights(n, m).weight).toHaveLength(pairs)
})

test.each([
  [28, 28],
  [20, 36],
  [1, 55],
])('%i + %i are counted in exact integers', (n, m) => {
  const { weight, total, tail } = relabelingWeights(n, m)
  expect(BigInt(total)).toBe(choose(n + m, n))
  expect(weight.every(Number.isInteger)).toBe(true)
  expect(BigInt(tail)).toBe(choose(n + m, n) / 100n)
})

/** The definition with the median of the group of `n` below that of the group of `m`, in exact integers. */
function lowerFirst(n: number, m: number, lower: number, upper: number): bigint {
  const [a, b] = [Math.floor(n / 2), Math.floor(m / 2)]
  const between = upper - lower - 1
  const others = b - (lower - a)
  return choose(lower, a) * choose(between, others) * choose(n + m - 1 - upper, m - 1 - b)
}

test.each([
  [28, 29],
  [45, 45],
  [31, 200],
  [200, 31],
  [225, 225],
])('%i + %i are right to twelve digits', (n, m) => {
  const { lower, upper, weight, total, tail } = relabelingWeights(n, m)
  const all = choose(n + m, n)
  expect(total).toBeCloseTo(1, 11)
  expect(tail).toBeCloseTo(0.01, 11)
  expect(tail).toBeGreaterThan(0.01)
  // A few hundred pairs spread over all of them.
  const step = Math.ceil(weight.length / 300)
  for (let pair = 0; pair < weight.length; pair += step) {
    const [low, high] = [lower[pair]!, upper[pair]!]
    const exact = ratio(lowerFirst(n, m, low, high) + lowerFirst(m, n, low, high), all)
    if (exact === 0) expect(weight[pair]).toBe(0)
    else expect(weight[pair]! / exact).toBeCloseTo(1, 12)
  }
})

test('500 + 500 sum to one, and the far ends are not lost', () => {
  const { weight, total, smallestPValue } = relabelingWeights(500, 500)
  expect(total).toBeCloseTo(1, 12)
  expect(weight).toHaveLength(62_750)
  expect(Math.min(...weight)).toBeGreaterThan(0)
  const outermost = 2n * choose(499, 249)
  expect(smallestPValue / ratio(outermost, choose(1000, 500))).toBeCloseTo(1, 12)
})

describe('what is too much', () => {
  test.each([
    [0, 5],
    [5, 0],
    [2100, 2100],
    [1_000_000, 1_000_000],
    [1, 2_000_000],
  ])('%i + %i is refused', (n, m) => {
    expect(canRelabel(n, m)).toBe(false)
    expect(() => relabelingWeights(n, m)).toThrow(`no randomization test for ${n} and ${m} samples`)
  })

  test.each([
    [1, 1],
    [2000, 2000],
    [1, 100_000],
  ])('%i + %i is not', (n, m) => {
    expect(canRelabel(n, m)).toBe(true)
  })

  test('the most pairs are allowed', () => {
    // 1 + m has m pairs for an odd m.
    expect(canRelabel(1, LARGEST_PAIR_COUNT)).toBe(true)
    expect(canRelabel(1, LARGEST_PAIR_COUNT + 1)).toBe(false)
  })
})

test('the same counts share one table', () => {
  expect(relabelingWeights(9, 9)).toBe(relabelingWeights(9, 9))
  expect(relabelingWeights(9, 10)).not.toBe(relabelingWeights(10, 9))
})

describe('scaled factorials', () => {
  test('gives small factorials exactly', () => {
    const { mantissa, exponent } = scaledFactorials(18)
    const values = Array.from(mantissa, (value, k) => value * 2 ** exponent[k]!)
    expect(values.slice(0, 8)).toEqual([1, 1, 2, 6, 24, 120, 720, 5040])
    expect(values[18]).toBe(6402373705728000)
  })

  test('keeps every mantissa in [1, 2) and the factorial of 1,000 to 13 digits', () => {
    const { mantissa, exponent } = scaledFactorials(1000)
    expect(mantissa).toHaveLength(1001)
    expect(Math.min(...mantissa)).toBe(1)
    expect(Math.max(...mantissa)).toBeLessThan(2)
    let factorial = 1n
    for (let k = 2n; k <= 1000n; k++) factorial *= k
    const power = BigInt(exponent[1000]!)
    expect(mantissa[1000]! / ratio(factorial, 2n ** power)).toBeCloseTo(1, 12)
  })
})

describe('the smallest p-value of the randomization test', () => {
  test.each([
    [3, 0.2],
    [4, 0.086],
    [5, 0.048],
    [6, 0.022],
    [7, 0.0117],
    [8, 0.0054],
  ])('%i a side', (repetitions, pValue) => {
    expect(relabelingWeights(repetitions, repetitions).smallestPValue).toBeCloseTo(pValue, 3)
  })

  test('is reached by samples made for it, and by no others, with uneven counts too', () => {
    for (const [n, m] of [
      [1, 2],
      [2, 3],
      [3, 5],
      [6, 7],
      [6, 8],
      [8, 6],
      [4, 9],
    ] as const) {
      // Nothing but the two outermost places of the medians is as far apart: all samples between and beyond are close.
      const [a, b] = [Math.floor(n / 2), Math.floor(m / 2)]
      const candidates = [
        [a, n + b],
        [b, m + a],
      ].map(([low, high]) => {
        const pooled = Array.from(
          { length: n + m },
          (_, rank) => (rank <= low! ? 1 : rank >= high! ? 9 : 5) + rank / 1e6,
        )
        return Math.min(
          randomizationTest(pooled.slice(0, n), pooled.slice(n)).pValue,
          randomizationTest(pooled.slice(m), pooled.slice(0, m)).pValue,
        )
      })
      expect(Math.min(...candidates), `${n} + ${m}`).toBeCloseTo(relabelingWeights(n, m).smallestPValue, 14)
    }
  })
})

/** The fewest repetitions a side at which the randomization test can reach a p-value of at most `level`. */
function repetitionsToReach(level: number): number {
  let repetitions = 1
  while (relabelingWeights(repetitions, repetitions).smallestPValue > level) repetitions += 1
  return repetitions
}

test('five repetitions a side are the fewest that can reach 0.05, eight for 0.01', () => {
  expect(repetitionsToReach(0.05)).toBe(5)
  expect(repetitionsToReach(0.05)).toBe(NEEDED_REPETITIONS)
  expect(repetitionsToReach(0.01)).toBe(8)
  expect(repetitionsToReach(0.2)).toBe(3)
  expect(repetitionsToReach(1)).toBe(1)
})
