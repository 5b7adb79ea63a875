import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { wilsonInterval } from '../../../src/judge/statistics/wilson.ts'

describe('published values', () => {
  // R: prop.test(x, n, correct = FALSE)$conf.int, with z = 1.959964.
  test.each([
    [81, 263, 0.25525, 0.36621],
    [15, 148, 0.06236, 0.1605],
    [0, 20, 0, 0.16113],
    [1, 29, 0.00611, 0.17176],
    [5, 10, 0.23659, 0.76341],
  ])('%i of %i', (failed, runs, low, high) => {
    const found = wilsonInterval(failed, runs, 1.959964)
    expect(found.low).toBeCloseTo(low, 4)
    expect(found.high).toBeCloseTo(high, 4)
  })
})

test('is 95% by default', () => {
  expect(wilsonInterval(8, 400)).toEqual(wilsonInterval(8, 400, 1.96))
  expect(wilsonInterval(8, 400).high - wilsonInterval(8, 400).low).toBeLessThan(
    wilsonInterval(8, 400, 2.576).high - wilsonInterval(8, 400, 2.576).low,
  )
})

const share = fc
  .integer({ min: 1, max: 100_000 })
  .chain((runs) => fc.tuple(fc.integer({ min: 0, max: runs }), fc.constant(runs)))

test('its limits are the shares that lie just z standard deviations away', () => {
  fc.assert(
    fc.property(share, ([failed, runs]) => {
      const { low, high } = wilsonInterval(failed, runs)
      const measured = failed / runs
      for (const limit of [low, high]) {
        if (limit === 0 || limit === 1) continue
        const deviations = Math.abs(measured - limit) / Math.sqrt((limit * (1 - limit)) / runs)
        expect(deviations).toBeCloseTo(1.96, 4)
      }
      expect(low).toBeGreaterThanOrEqual(0)
      expect(low).toBeLessThanOrEqual(measured)
      expect(high).toBeGreaterThanOrEqual(measured)
      expect(high).toBeLessThanOrEqual(1)
    }),
  )
})

test('failures and passes are each other in the mirror', () => {
  fc.assert(
    fc.property(share, ([failed, runs]) => {
      expect(wilsonInterval(failed, runs).low).toBeCloseTo(1 - wilsonInterval(runs - failed, runs).high, 10)
    }),
  )
})

test('never, always, and no runs at all', () => {
  expect(wilsonInterval(0, 59).low).toBe(0)
  expect(wilsonInterval(0, 59).high).toBeCloseTo(0.0611, 4)
  expect(wilsonInterval(59, 59).high).toBe(1)
  expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 })
})

test('what is no share is refused', () => {
  for (const [failed, runs] of [
    [5, 4],
    [-1, 4],
    [Number.NaN, 4],
    [0, -1],
  ] as const) {
    expect(() => wilsonInterval(failed, runs)).toThrow(RangeError)
  }
})
