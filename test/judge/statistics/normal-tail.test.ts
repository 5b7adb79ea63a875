import { expect, test } from 'vitest'
import { normalTwoSided } from '../../../src/judge/statistics/normal-tail.ts'

// Abramowitz and Stegun, Handbook of Mathematical Functions, table 26.1 and 26.2, doubled.
test.each([
  [0, 1],
  [0.5, 0.617075077],
  [1, 0.317310508],
  [1.959963985, 0.05],
  [2.575829304, 0.01],
  [3, 0.002699796],
  [4, 6.334248367e-5],
  [6, 1.97317529e-9],
])('z = %d', (z, pValue) => {
  expect(normalTwoSided(z) / pValue).toBeCloseTo(1, 6)
})
