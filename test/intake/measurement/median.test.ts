import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { median } from '../../../src/intake/measurement/median.ts'
import { upperMedian } from '../../judge/statistics/relabelings.ts'

test('takes the middle one of an odd count and the upper middle one of an even count', () => {
  expect(median([3])).toBe(3)
  expect(median([9, 1, 5])).toBe(5)
  expect(median([4, 1, 3, 2])).toBe(3)
  expect(median([10, 9])).toBe(10)
})

test('orders by value, not by text, and leaves the samples as they are', () => {
  const samples = [100, 20, 3]
  expect(median(samples)).toBe(20)
  expect(samples).toEqual([100, 20, 3])
})

test('is what sorting gives', () => {
  const samples = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 })
  fc.assert(
    fc.property(samples, (values) => {
      // 0 and -0 sort together, in either order.
      expect(median(values) === upperMedian(values)).toBe(true)
    }),
  )
})

test('of nothing there is none', () => {
  expect(() => median([])).toThrow(new RangeError('the median of no values is not defined'))
})
