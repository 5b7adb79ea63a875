import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { benjaminiHochberg } from '../../../src/judge/statistics/benjamini-hochberg.ts'

test('the fifteen p-values of the original article', () => {
  // Benjamini and Hochberg (1995), section 3.2: at a rate of 0.05 the four smallest are discoveries.
  const pValues = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719, 0.6528, 0.759, 1,
  ]
  const qValues = benjaminiHochberg(pValues)
  expect(qValues.filter((q) => q <= 0.05)).toHaveLength(4)
  expect(qValues[0]).toBeCloseTo(0.0015, 12)
  expect(qValues[3]).toBeCloseTo(0.035625, 12)
  // 0.0298 * 15 / 7 is larger than 0.0344 * 15 / 8 is not: the smaller of what follows stands.
  expect(qValues[6]).toBeCloseTo(0.0638571, 6)
  expect(qValues[5]).toBeCloseTo(0.0638571, 6)
  expect(qValues[14]).toBe(1)
})

/** The definition: by the smallest rate at which the step-up procedure rejects it. */
function byDefinition(pValues: readonly number[]): number[] {
  const sorted = pValues.toSorted((a, b) => a - b)
  return pValues.map((pValue) => {
    const rates = sorted.map((other, index) => (other < pValue ? Infinity : (other * sorted.length) / (index + 1)))
    return Math.min(1, ...rates)
  })
}

test('is what the definition says, in the order given', () => {
  const pValue = fc.oneof(fc.constantFrom(0.01, 0.5, 1), fc.double({ min: 1e-12, max: 1, noNaN: true }))
  fc.assert(
    fc.property(fc.array(pValue, { maxLength: 40 }), (pValues) => {
      const expected = byDefinition(pValues)
      const actual = benjaminiHochberg(pValues)
      expect(actual).toHaveLength(pValues.length)
      actual.forEach((q, index) => {
        expect(q).toBeCloseTo(expected[index]!, 12)
      })
    }),
  )
})

test('one p-value is its own q', () => {
  expect(benjaminiHochberg([0.03])).toEqual([0.03])
  expect(benjaminiHochberg([])).toEqual([])
})
