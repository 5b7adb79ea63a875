import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { BAD, BINS, binOf, binWidth, lowerEdge } from '../../../src/intake/measurement/bins.ts'

test('numbers below 2,048 are themselves', () => {
  for (const value of [0, 1, 999, 2047]) expect([binOf(value), lowerEdge(binOf(value))]).toEqual([value, value])
})

test('a bin holds its value and is at most a 1,024th of it wide', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (value) => {
      const bin = binOf(value)
      expect(bin).toBeLessThan(BINS)
      expect(value).toBeGreaterThanOrEqual(lowerEdge(bin))
      expect(value).toBeLessThan(lowerEdge(bin) + binWidth(bin))
      expect(binWidth(bin)).toBeLessThanOrEqual(Math.max(1, lowerEdge(bin) / 1024))
    }),
  )
})

test('larger values are in no smaller bin', () => {
  fc.assert(fc.property(fc.maxSafeNat(), fc.maxSafeNat(), (a, b) => binOf(Math.min(a, b)) <= binOf(Math.max(a, b))))
})

test('the bins follow each other without a gap', () => {
  for (let bin = 0; bin + 1 < BINS; bin += 1) expect(lowerEdge(bin) + binWidth(bin)).toBe(lowerEdge(bin + 1))
  expect(binOf(2 ** 53)).toBe(BINS - 1)
})

test.each([Number.NaN, -1, 2 ** 53 + 2, Number.POSITIVE_INFINITY])('%f is no value', (value) => {
  expect(binOf(value)).toBe(BAD)
})
