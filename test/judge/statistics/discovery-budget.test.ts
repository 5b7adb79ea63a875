import { describe, expect, test } from 'vitest'
import { chanceToPass, discoveryBudget } from '../../../src/judge/statistics/discovery-budget.ts'

const query = (rankPValue: number | null, old = 7, fresh = old) => ({
  rankPValue,
  old: { repetitions: old },
  new: { repetitions: fresh },
})

test('counts what was tested and what passed, and adds up what chance alone would let pass', () => {
  const rows = [query(0.0005), query(0.01), query(0.0101), query(null), query(0.2, 3), query(0.8, 13, 13)]
  const budget = discoveryBudget(rows, 0.01)
  expect(budget).toMatchObject({ tested: 5, level: 0.01, passed: 2 })
  expect(budget.expectedByChance).toBeCloseTo((3 * 24) / 3432 + 0.00860104224756264, 12)
})

test('two thousand queries at 7 + 7 let 14 pass by chance', () => {
  const rows = Array.from({ length: 2000 }, () => query(0.5))
  expect(discoveryBudget(rows, 0.01)).toMatchObject({ tested: 2000, passed: 0 })
  expect(discoveryBudget(rows, 0.01).expectedByChance).toBeCloseTo(13.986, 3)
})

test('nothing tested, nothing expected', () => {
  expect(discoveryBudget([], 0.05)).toEqual({ tested: 0, level: 0.05, expectedByChance: 0, passed: 0 })
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
