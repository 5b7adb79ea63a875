import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { withinSidesCorrelation } from '../../../src/judge/statistics/within-sides-correlation.ts'

/** All orders of a few values. */
function permutations(values: readonly number[]): number[][] {
  if (values.length < 2) return [[...values]]
  return values.flatMap((value, index) =>
    permutations([...values.slice(0, index), ...values.slice(index + 1)]).map((rest) => [value, ...rest]),
  )
}

describe('one side', () => {
  // Spearman's own example of the textbooks: IQ against hours of television, rho = -29/165.
  test('is Spearman’s coefficient', () => {
    const x = [106, 100, 86, 101, 99, 103, 97, 113, 112, 110]
    const y = [7, 27, 2, 50, 28, 29, 20, 12, 6, 17]
    const found = withinSidesCorrelation([{ x, y }])!
    expect(found.coefficient).toBeCloseTo(-29 / 165, 12)
    expect(found.chanceDeviation).toBeCloseTo(1 / 3, 12)
  })

  test('equal values share a rank', () => {
    // scipy.stats.spearmanr([1, 2, 2, 3], [1, 3, 2, 4]) = 0.9486832980505138
    expect(withinSidesCorrelation([{ x: [1, 2, 2, 3], y: [1, 3, 2, 4] }])!.coefficient).toBeCloseTo(
      0.9486832980505138,
      12,
    )
  })

  test('its deviation is that over all ways to pair the values', () => {
    const x = [1, 2, 2, 5, 9]
    const y = [3, 1, 4, 1, 5]
    const all = permutations(y).map((other) => withinSidesCorrelation([{ x, y: other }])!.coefficient)
    const mean = all.reduce((sum, value) => sum + value, 0) / all.length
    const variance = all.reduce((sum, value) => sum + (value - mean) ** 2, 0) / all.length
    expect(mean).toBeCloseTo(0, 12)
    expect(withinSidesCorrelation([{ x, y }])!.chanceDeviation).toBeCloseTo(Math.sqrt(variance), 12)
  })
})

describe('two sides', () => {
  test('that differ in both metrics are not correlated by that', () => {
    const old = { x: [1, 2, 3, 4, 5, 6, 7], y: [4, 2, 6, 1, 5, 7, 3] }
    const fresh = { x: old.x.map((value) => value + 1000), y: old.y.map((value) => value + 1000) }
    const alone = withinSidesCorrelation([old])!.coefficient
    expect(withinSidesCorrelation([old, fresh])!.coefficient).toBeCloseTo(alone, 12)
    // What Spearman's coefficient of all 14 would be: almost 1.
    const together = { x: [...old.x, ...fresh.x], y: [...old.y, ...fresh.y] }
    expect(withinSidesCorrelation([together])!.coefficient).toBeGreaterThan(0.75)
  })

  test('7 + 7 without ties have a deviation of 1 / sqrt(12)', () => {
    const side = { x: [1, 2, 3, 4, 5, 6, 7], y: [4, 2, 6, 1, 5, 7, 3] }
    expect(withinSidesCorrelation([side, side])!.chanceDeviation).toBeCloseTo(1 / Math.sqrt(12), 12)
  })

  test('of which one never varies leave the other one', () => {
    const old = { x: [5, 5, 5], y: [1, 2, 3] }
    expect(withinSidesCorrelation([old, { x: [1, 2, 3], y: [1, 2, 3] }])!.coefficient).toBeLessThan(1)
    expect(withinSidesCorrelation([old])).toBeNull()
    expect(withinSidesCorrelation([{ x: [1, 2], y: [1, 2] }])).toBeNull()
    expect(withinSidesCorrelation([])).toBeNull()
  })
})

test('is within -1 and 1, and the same for any rising function of the values of a side', () => {
  const side = fc
    .array(fc.tuple(fc.integer({ min: -20, max: 20 }), fc.integer({ min: -20, max: 20 })), { maxLength: 12 })
    .map((pairs) => ({ x: pairs.map(([x]) => x), y: pairs.map(([, y]) => y) }))
  fc.assert(
    fc.property(fc.array(side, { maxLength: 3 }), (sides) => {
      const found = withinSidesCorrelation(sides)
      const risen = withinSidesCorrelation(
        sides.map(({ x, y }, index) => ({ x: x.map((value) => Math.exp(value / 10) + index * 7), y })),
      )
      expect(risen).toEqual(found)
      if (found === null) return
      expect(Math.abs(found.coefficient)).toBeLessThanOrEqual(1)
      expect(found.chanceDeviation).toBeGreaterThan(0)
    }),
  )
})
