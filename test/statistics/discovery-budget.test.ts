import { expect, test } from 'vitest'
import { discoveryBudget } from '../../src/statistics/discovery-budget.ts'

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
