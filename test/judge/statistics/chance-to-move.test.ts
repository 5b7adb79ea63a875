import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { chanceToMove } from '../../../src/judge/statistics/chance-to-move.ts'
import { randomizationTest } from '../../../src/judge/statistics/randomization-test.ts'
import { areSeparated, isSignificant } from '../../../src/judge/verdict/outcome.ts'
import { relabelings, upperMedian } from './relabelings.ts'

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

test.each([
  [3, 0.2],
  [5, 0.0476],
  [7, 0.0117],
])('%i a side without ties: %f', (count, chance) => {
  expect(
    chanceToMove(
      upTo(count),
      upTo(count).map((value) => value + count),
      false,
    ),
  ).toBeCloseTo(chance, 3)
})

test('what is the same in every repetition never moves', () => {
  expect(chanceToMove([5, 5, 5], [5, 5, 5], false)).toBe(0)
  expect(chanceToMove([0, 0, 0], [0, 0, 0], true)).toBe(0)
})

test('nothing exact of many samples, or of none', () => {
  expect(chanceToMove(upTo(29), upTo(28), false)).toBeNull()
  expect(chanceToMove([], [1], false)).toBeNull()
})

test('it is the share of relabelings that the rule calls moved', () => {
  const counts = fc.constantFrom<readonly [number, number]>(
    [1, 1],
    [1, 4],
    [2, 3],
    [3, 3],
    [4, 3],
    [3, 5],
    [5, 5],
    [6, 4],
  )
  const cases = counts.chain(([n, m]) =>
    fc.tuple(
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: n, maxLength: n }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: m, maxLength: m }),
      fc.boolean(),
    ),
  )
  fc.assert(
    fc.property(cases, ([old, fresh, zeroOld]) => {
      const { threshold, oldMedian } = randomizationTest(old, fresh)
      let [moved, all] = [0, 0]
      for (const [a, b] of relabelings([...old, ...fresh], old.length)) {
        // as fractions of one and the same median: T is of the pool
        const difference = (upperMedian(b) - upperMedian(a)) / oldMedian
        const separated = areSeparated(a, b)
        all += 1
        if (
          zeroOld
            ? separated
            : isSignificant({ difference: rounded(difference), threshold: rounded(threshold), separated })
        )
          moved += 1
      }
      expect(chanceToMove(old, fresh, zeroOld)).toBeCloseTo(moved / all, 12)
    }),
    { numRuns: 200 },
  )
})

/** Quotients of integers below 10 differ by more, if they differ. */
function rounded(value: number): number {
  return Math.round(value * 1e9)
}
