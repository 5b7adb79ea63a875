import { describe, expect, test } from 'vitest'
import { randomizationTest } from '../../src/statistics/randomization-test.ts'
import { chanceToPass, repetitionsToReach, smallestPValue } from '../../src/statistics/reachable.ts'
import { NEEDED_REPETITIONS } from '../../src/verdict/evidence/too-few-repetitions.ts'

describe('the smallest p-value of the randomization test', () => {
  test.each([
    [3, 0.2],
    [4, 0.086],
    [5, 0.048],
    [6, 0.022],
    [7, 0.0117],
    [8, 0.0054],
  ])('%i a side', (repetitions, pValue) => {
    expect(smallestPValue(repetitions, repetitions)).toBeCloseTo(pValue, 3)
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
      expect(Math.min(...candidates), `${n} + ${m}`).toBeCloseTo(smallestPValue(n, m), 14)
    }
  })
})

test('five repetitions a side are the fewest that can reach 0.05, eight for 0.01', () => {
  expect(repetitionsToReach(0.05)).toBe(5)
  expect(repetitionsToReach(0.05)).toBe(NEEDED_REPETITIONS)
  expect(repetitionsToReach(0.01)).toBe(8)
  expect(repetitionsToReach(0.2)).toBe(3)
  expect(repetitionsToReach(1)).toBe(1)
})

describe('the chance to pass the rank test', () => {
  test('is the largest p-value up to the level that there is', () => {
    // 7 + 7: of 3,432 relabelings 24 have a p of at most 0.01.
    expect(chanceToPass(7, 7, 0.01)).toBe(24 / 3432)
    expect(chanceToPass(4, 4, 2 / 70)).toBe(2 / 70)
    expect(chanceToPass(7, 7, 1)).toBe(1)
  })

  test('is 0 where no p-value is that small', () => {
    expect(chanceToPass(3, 3, 0.01)).toBe(0)
    expect(chanceToPass(4, 4, 0.028)).toBe(0)
  })

  test('is the level where the distribution is too large to compute', () => {
    expect(chanceToPass(1000, 1000, 0.01)).toBe(0.01)
  })
})
