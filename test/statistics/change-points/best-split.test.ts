import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bestSplit } from '../../../src/statistics/change-points/best-split.ts'

/** The statistic as it is defined, with three loops. */
function statistic(x: readonly number[], y: readonly number[]): number {
  const [n, m] = [x.length, y.length]
  const between = x.flatMap((a) => y.map((b) => Math.abs(a - b))).reduce((sum, d) => sum + d, 0)
  const within = (z: readonly number[]) =>
    z.flatMap((a, i) => z.slice(i + 1).map((b) => Math.abs(a - b))).reduce((sum, d) => sum + d, 0)
  const left = n > 1 ? ((2 * m) / ((m + n) * (n - 1))) * within(x) : 0
  const right = m > 1 ? ((2 * n) / ((m + n) * (m - 1))) * within(y) : 0
  return (2 / (m + n)) * between - left - right
}

/** All splits tried: the largest statistic and every place that has it. */
function byBruteForce(values: readonly number[], from: number, to: number) {
  let largest = Number.NEGATIVE_INFINITY
  const places = new Map<number, number>()
  for (let t = from + 1; t < to; t += 1) {
    for (let k = t + 1; k <= to; k += 1) {
      const q = statistic(values.slice(from, t), values.slice(t, k))
      places.set(t, Math.max(places.get(t) ?? Number.NEGATIVE_INFINITY, q))
      largest = Math.max(largest, q)
    }
  }
  return { largest, places }
}

test('the largest statistic of all splits, by brute force', () => {
  const series = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 2, maxLength: 16 })
  fc.assert(
    fc.property(series, fc.nat(5), (values, before) => {
      const padded = [...Array<number>(before).fill(7), ...values, 1, 2]
      const [from, to] = [before, before + values.length]
      const split = bestSplit(padded, from, to)!
      const { largest, places } = byBruteForce(padded, from, to)
      expect(split.statistic).toBeCloseTo(largest, 8)
      expect(places.get(split.index)).toBeCloseTo(largest, 8)
    }),
    { numRuns: 300 },
  )
})

test('fractions too', () => {
  const series = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 12 })
  fc.assert(
    fc.property(series, (values) => {
      const { largest } = byBruteForce(values, 0, values.length)
      expect(bestSplit(values, 0, values.length)!.statistic).toBeCloseTo(largest, 10)
    }),
  )
})

describe('place', () => {
  test('of a step', () => {
    expect(bestSplit([1, 1, 1, 5, 5, 5], 0, 6)).toEqual({ index: 3, statistic: 12 })
    expect(bestSplit([9, 9, 1, 1, 1, 5, 5, 5, 0], 2, 8)!.index).toBe(5)
  })

  test('the right piece may end before the part', () => {
    expect(bestSplit([0, 0, 0, 0, 9, 9, 9, 0, 0], 0, 9)!.index).toBe(4)
  })

  test('of equal ones the first', () => {
    expect(bestSplit([3, 3, 3, 3], 0, 4)).toEqual({ index: 1, statistic: 0 })
    expect(bestSplit([0, 1, 0], 0, 3)!.index).toBe(1)
  })

  test('none in fewer than two points', () => {
    expect(bestSplit([], 0, 0)).toBeNull()
    expect(bestSplit([1, 2, 3], 1, 2)).toBeNull()
  })
})

test('a short part after a long one: nothing is left of the long one', () => {
  const long = Array.from({ length: 200 }, (_, i) => (i * 7919) % 101)
  const short = [1, 1, 1, 5, 5, 5]
  const alone = bestSplit(short, 0, 6)
  bestSplit(long, 0, long.length)
  expect(bestSplit(short, 0, 6)).toEqual(alone)
})
