import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { inTrunkOrder, positionsOf } from '../../../src/judge/bisect/trunk-order.ts'
import type { TrunkPoint } from '../../../src/judge/history/trunk-series.ts'
import { commitOf, point } from './series-builder.ts'

const run = (commit: number, reference: number): TrunkPoint =>
  point(0, 1, 1, { commit: commitOf(commit), referenceCommit: commitOf(reference) })
const numbers = (points: readonly TrunkPoint[]) => points.map(({ commit }) => Number.parseInt(commit, 16))

test('a commit stands before those that were measured against it', () => {
  expect(numbers(inTrunkOrder([run(1, 0), run(3, 2), run(2, 1), run(4, 3)]))).toEqual([1, 2, 3, 4])
  expect(numbers(inTrunkOrder([run(4, 3), run(3, 2), run(2, 1), run(1, 0)]))).toEqual([1, 2, 3, 4])
  // Measured again later: the first time counts.
  expect(numbers(inTrunkOrder([run(1, 0), run(2, 1), run(1, 0), run(3, 2)]))).toEqual([1, 2, 1, 3])
})

test('those of the given order stand in it, the others where they were', () => {
  const order = new Map([5, 6, 7].map((commit, position) => [commitOf(commit), position]))
  const points = [run(1, 99), run(7, 98), run(2, 97), run(5, 96), run(6, 95)]
  expect(numbers(inTrunkOrder(points, order))).toEqual([1, 5, 2, 6, 7])
})

test('whatever is measured against what, each point is there once and nothing hangs', () => {
  const one = fc.tuple(fc.nat({ max: 12 }), fc.nat({ max: 12 })).map(([commit, reference]) => run(commit, reference))
  fc.assert(
    fc.property(fc.array(one, { maxLength: 40 }), (points) => {
      const sorted = inTrunkOrder(points)
      expect(new Set(sorted)).toEqual(new Set(points))
      expect(sorted).toHaveLength(points.length)
    }),
  )
})

test('a short id stands for the one commit that begins like it', () => {
  const long = (first: string) => first.padEnd(40, '0')
  const positionOf = positionsOf(
    new Map([
      [long('abcdef01'), 1],
      [long('abcdef02'), 2],
      // An old build whose id is short has its own key.
      ['abcdef01', 1],
    ]),
  )
  expect(positionOf(long('abcdef02'))).toBe(2)
  expect(positionOf('abcdef02')).toBe(2)
  expect(positionOf('abcdef010')).toBe(1)
  expect(positionOf('abcdef0')).toBeUndefined()
  expect(positionOf('abcdef')).toBeUndefined()
  expect(positionOf('fffffff')).toBeUndefined()
  expect(positionOf(long('abcdef03'))).toBeUndefined()
})
