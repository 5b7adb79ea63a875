import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { join, pieceOf, pieceTest, relativeStep } from '../../../../src/judge/statistics/change-points/piece.ts'

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
