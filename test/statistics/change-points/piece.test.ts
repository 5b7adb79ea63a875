import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { join, pieceOf, pieceTest, relativeStep, studentTwoSided } from '../../../src/statistics/change-points/piece.ts'

const piece = (...values: number[]) => pieceOf(values, 0, values.length)
const series = fc.array(fc.integer({ min: -100, max: 100 }), { minLength: 1, maxLength: 30 })

test('two joined pieces are the piece of both', () => {
  fc.assert(
    fc.property(series, series, (a, b) => {
      const joined = join(piece(...a), piece(...b))
      const whole = piece(...a, ...b)
      expect(joined.count).toBe(whole.count)
      expect(joined.mean).toBeCloseTo(whole.mean, 9)
      expect(joined.squares).toBeCloseTo(whole.squares, 6)
    }),
  )
})

// scipy.stats.ttest_ind_from_stats with numpy's std, as Otava calls it
test.each([
  [[1.02, 0.95, 0.99, 1.0, 1.12, 0.9], [0.5, 0.51, 0.48, 0.48, 0.55], 9.470438654814028e-8],
  [[10, 11], [12], 0.24675171442884974],
])('the t-test of %j and %j', (left, right, p) => {
  expect(pieceTest(piece(...left), piece(...right)) / p).toBeCloseTo(1, 9)
})

test('constant pieces', () => {
  expect(pieceTest(piece(3, 3, 3), piece(3, 3))).toBe(1)
  expect(pieceTest(piece(3, 3, 3), piece(4, 4))).toBe(0)
  expect(pieceTest(piece(3), piece(4))).toBe(1)
})

test('a rise and the fall that undoes it are equally large', () => {
  expect(relativeStep(piece(100), piece(110))).toBeCloseTo(0.1, 12)
  expect(relativeStep(piece(110), piece(100))).toBeCloseTo(0.1, 12)
  expect(relativeStep(piece(0), piece(5))).toBe(1)
  expect(relativeStep(piece(0), piece(0))).toBe(0)
  expect(relativeStep(piece(-1), piece(1))).toBe(2)
})

describe('student t', () => {
  // 2 * scipy.stats.t.sf(t, degrees), scipy 1.16.3
  test.each([
    [2, 1, 0.2951672353008664],
    [2, 5, 0.10193947882985828],
    [10, 5, 0.00017094757574296357],
    [0.01, 3, 0.992649111412852],
    [5, 290, 9.940725991740146e-7],
    [3.3, 100_000, 0.0009671862623271419],
    [40, 10, 2.2808577430857475e-12],
    [1e-9, 7, 0.999999999230017],
  ])('t = %d with %d degrees', (t, degrees, expected) => {
    expect(Math.abs(studentTwoSided(t, degrees) / expected - 1)).toBeLessThan(1e-9)
    expect(studentTwoSided(-t, degrees)).toBe(studentTwoSided(t, degrees))
  })

  test('closed forms: Cauchy for one degree, and that for two', () => {
    for (const t of [0.001, 0.1, 0.5, 1, 3, 20, 1000]) {
      expect(studentTwoSided(t, 1)).toBeCloseTo(1 - (2 / Math.PI) * Math.atan(t), 12)
      expect(studentTwoSided(t, 2)).toBeCloseTo(1 - t / Math.sqrt(t * t + 2), 12)
    }
  })

  test('ends', () => {
    expect(studentTwoSided(0, 4)).toBe(1)
    expect(studentTwoSided(Number.POSITIVE_INFINITY, 4)).toBe(0)
    expect(studentTwoSided(Number.NEGATIVE_INFINITY, 4)).toBe(0)
    expect(studentTwoSided(1e200, 4)).toBe(0)
    expect(studentTwoSided(1e-200, 4)).toBe(1)
  })

  test('falls as t grows', () => {
    for (const degrees of [1, 3, 28, 500, 1e6]) {
      let last = 1
      for (let t = 0.25; t < 8; t += 0.25) {
        const p = studentTwoSided(t, degrees)
        expect(p).toBeLessThan(last)
        last = p
      }
    }
  })
})
