import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { chanceOfFewRuns } from '../../../src/judge/statistics/runs-test.ts'

const runsOf = (signs: readonly boolean[]) =>
  signs.filter((sign, index) => index === 0 || sign !== signs[index - 1]).length

/** All orders of these signs, each once for each way to number them. */
function orders(signs: readonly boolean[]): readonly (readonly boolean[])[] {
  if (signs.length === 0) return [[]]
  return signs.flatMap((sign, index) => orders(signs.toSpliced(index, 1)).map((rest) => [sign, ...rest]))
}

test('is the share of all orders with as few runs', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 2, maxLength: 7 }), (signs) => {
      const all = orders(signs)
      const few = all.filter((order) => runsOf(order) <= runsOf(signs)).length
      expect(chanceOfFewRuns(signs)).toBeCloseTo(few / all.length, 12)
    }),
    { numRuns: 60 },
  )
})

test.each([
  ['five slower, then five faster', [true, 5, false, 5], 2 / 252],
  ['four and four', [true, 4, false, 4], 2 / 70],
] as const)('%s', (_, [first, n, second, m], expected) => {
  const signs = [...Array<boolean>(n).fill(first), ...Array<boolean>(m).fill(second)]
  expect(chanceOfFewRuns(signs)).toBeCloseTo(expected, 12)
})

test('of very many signs it is still a share', () => {
  const signs = Array.from({ length: 20_000 }, (_, index) => index % 2 === 0)
  expect(chanceOfFewRuns(signs)).toBeCloseTo(1, 6)
  expect(chanceOfFewRuns(signs.toSorted((a, b) => Number(a) - Number(b)))).toBe(0)
})
