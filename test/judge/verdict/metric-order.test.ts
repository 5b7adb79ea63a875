import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareBySurprise, hasMoved, type MeasuredMetric } from '../../../src/judge/verdict/metric-order.ts'

const still: MeasuredMetric = {
  metric: 'still',
  oldMedian: 10,
  newMedian: 11,
  difference: 0.1,
  threshold: 0.2,
  pValue: 0.4,
  separated: false,
}
const of = (metric: string, change: Partial<MeasuredMetric>): MeasuredMetric => ({ ...still, metric, ...change })

const SORTED: readonly MeasuredMetric[] = [
  of('from nothing to something', { oldMedian: 0, difference: null, threshold: null, pValue: 1, separated: true }),
  of('no overlap, ninefold', { oldMedian: 1, newMedian: 9, difference: 8, pValue: 1, separated: true }),
  of('no overlap, a third', { oldMedian: 3, newMedian: 1, difference: -0.66, pValue: 0.01, separated: true }),
  of('moved, smallest p', { difference: 0.5, newMedian: 15, pValue: 0.001 }),
  of('moved, larger in thresholds', { difference: 0.6, newMedian: 16, pValue: 0.01 }),
  of('moved, larger ratio', { oldMedian: 1, newMedian: 9, difference: 0.4, pValue: 0.01 }),
  of('moved, a smaller ratio', { difference: 0.4, newMedian: 14, pValue: 0.01 }),
  of('moved, the same but by name', { difference: 0.4, newMedian: 14, pValue: 0.01 }),
  of('did not move, though p is small', { pValue: 0.002, threshold: 0.3 }),
  still,
  of('no p', { pValue: null, separated: null }),
  of('one side', { oldMedian: null, difference: null, threshold: null, pValue: null, separated: null }),
  of('equal', { newMedian: 10, difference: 0, threshold: 0, pValue: 1 }),
]

test('what does not overlap, what moved, then p, thresholds, ratio and name; equal ones last', () => {
  const names = SORTED.map(({ metric }) => metric)
  fc.assert(
    fc.property(fc.shuffledSubarray([...SORTED], { minLength: SORTED.length }), (shuffled) => {
      expect(shuffled.toSorted(compareBySurprise).map(({ metric }) => metric)).toEqual(names)
    }),
  )
})

test('is an order, whatever the numbers are', () => {
  const number = fc.option(fc.double({ noNaN: true, min: 0 }))
  const metric = fc.record({
    metric: fc.constantFrom('a', 'b'),
    oldMedian: number,
    newMedian: number,
    difference: fc.option(fc.double({ noNaN: true })),
    threshold: number,
    pValue: fc.option(fc.double({ noNaN: true, min: 0, max: 1 })),
    separated: fc.option(fc.boolean()),
  })
  fc.assert(
    fc.property(metric, metric, metric, (a, b, c) => {
      expect(Math.sign(compareBySurprise(a, b))).toBe(-Math.sign(compareBySurprise(b, a)) + 0)
      if (compareBySurprise(a, b) <= 0 && compareBySurprise(b, c) <= 0) {
        expect(compareBySurprise(a, c)).toBeLessThanOrEqual(0)
      }
    }),
  )
})

test('moved is what the outcomes call significant', () => {
  expect(hasMoved(still)).toBe(false)
  expect(hasMoved({ ...still, difference: 0.2 })).toBe(true)
  expect(hasMoved({ ...still, separated: true })).toBe(true)
  expect(hasMoved({ ...still, newMedian: 10, difference: 0, separated: true })).toBe(false)
  expect(hasMoved({ ...still, difference: null, threshold: null })).toBe(false)
})
