import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { linearAxis } from '../../../../src/web/kit/charts/linear-axis.ts'

test.each([
  [[0.282, 0.672], 's', ['300', '400', '500', '600'], 'ms'],
  [[0, 1], null, ['0.0', '0.2', '0.4', '0.6', '0.8', '1.0'], ''],
  [[1_000_000, 3_000_000], null, ['1,000,000', '1,500,000', '2,000,000', '2,500,000', '3,000,000'], ''],
  [[2 ** 20, 3 * 2 ** 20], 'bytes', ['1.0', '1.5', '2.0', '2.5', '3.0'], 'MiB'],
  [[1.0001, 1.0002], 's', ['1.00010', '1.00012', '1.00014', '1.00016', '1.00018', '1.00020'], 's'],
  [[0, 0], null, ['0'], ''],
])('%j in %s has ticks at round numbers', (values, unit, labels, name) => {
  const axis = linearAxis(values, unit)
  expect(axis.unit).toBe(name)
  expect(axis.ticks.map(({ label }) => label)).toEqual(labels)
})

test('values that differ by the smallest number there is', () => {
  const axis = linearAxis([5e-324, 1e-323], 's')
  for (const value of [5e-324, 1e-323]) expect(axis.position(value)).toBeGreaterThanOrEqual(0)
})

test('has no ticks where neighbouring ones are the same number', () => {
  expect(linearAxis([2 ** 53 - 4, 2 ** 53], null).ticks).toEqual([])
  expect(linearAxis([-(2 ** 53), 4 - 2 ** 53], null).ticks).toEqual([])
})

test('holds every value in order, and no tick is beyond it or written twice', () => {
  const value = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), fc.constant(0))
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 20 }),
      fc.constantFrom('s', 'bytes', 'x', null),
      (values, unit) => {
        const axis = linearAxis(values, unit)
        const sorted = values.toSorted((a, b) => a - b)
        const positions = sorted.map((one) => axis.position(one))
        for (const [index, position] of positions.entries()) {
          expect(position).toBeGreaterThanOrEqual(0)
          expect(position).toBeLessThanOrEqual(100)
          if (index > 0) expect(position).toBeGreaterThanOrEqual(positions[index - 1]!)
        }
        expect(axis.ticks.length).toBeLessThanOrEqual(12)
        for (const { at } of axis.ticks) expect(at >= 0 && at <= 100).toBe(true)
        expect(new Set(axis.ticks.map(({ label }) => label)).size).toBe(axis.ticks.length)
      },
    ),
    { numRuns: 1000 },
  )
})
