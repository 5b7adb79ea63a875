import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { upperQuantile } from '../../../src/judge/statistics/weighted-tail.ts'

/** As the definition says it: the smallest value with at most `tail` above it. */
function bySorting(pairs: readonly (readonly [value: number, weight: number])[], tail: number): number {
  const values = pairs.map(([value]) => value).toSorted((a, b) => a - b)
  return values.find((candidate) => {
    const above = pairs.filter(([value]) => value > candidate).reduce((sum, [, weight]) => sum + weight, 0)
    return above <= tail
  })!
}

function quantileOf(pairs: readonly (readonly [number, number])[], tail: number, tolerance = 0): number {
  const values = Float64Array.from(pairs, ([value]) => value)
  const weights = Float64Array.from(pairs, ([, weight]) => weight)
  return upperQuantile(values, weights, pairs.length, tail, tolerance)
}

test('is what sorting gives', () => {
  const pairs = fc.array(fc.tuple(fc.integer({ min: -30, max: 30 }), fc.integer({ min: 0, max: 9 })), {
    minLength: 1,
    maxLength: 80,
  })
  fc.assert(
    fc.property(pairs, fc.nat(60), (pairs, tail) => {
      const total = pairs.reduce((sum, [, weight]) => sum + weight, 0)
      fc.pre(tail < total)
      expect(quantileOf(pairs, tail)).toBe(bySorting(pairs, tail))
    }),
    { numRuns: 500 },
  )
})

test('a tail that is exactly as heavy as allowed is allowed', () => {
  const pairs = [1, 2, 3, 4].map((value) => [value, 5] as const)
  expect(quantileOf(pairs, 4)).toBe(4)
  expect(quantileOf(pairs, 5)).toBe(3)
  expect(quantileOf(pairs, 9)).toBe(3)
  expect(quantileOf(pairs, 10)).toBe(2)
})

test('looks at the given count only', () => {
  expect(upperQuantile(Float64Array.of(1, 2, 99), Float64Array.of(1, 1, 100), 2, 0, 0)).toBe(2)
})

test('values within the tolerance are one value', () => {
  const pairs = [
    [1, 90],
    [2, 5],
    [2 + 1e-13, 5],
  ] as const
  expect(quantileOf(pairs, 6)).toBe(2)
  expect(quantileOf(pairs, 6, 1e-12)).toBeCloseTo(2, 12)
  expect(quantileOf(pairs, 9, 1e-12)).toBeCloseTo(2, 12)
  expect(quantileOf(pairs, 10, 1e-12)).toBe(1)
})

test('gives the smallest value where the tail may hold all others', () => {
  const pairs = [5, 4, 3].map((value) => [value, 1] as const)
  expect(quantileOf(pairs, 2.5)).toBe(3)
  expect(quantileOf(pairs, 5)).toBe(3)
})
