import { expect, test } from 'vitest'
import { chainAcross, type Stretch, stretchesOf } from '../../../src/judge/bisect/paired-chain.ts'
import { positionsInSeries } from '../../../src/judge/bisect/trunk-order.ts'
import { commitOf, point } from './series-builder.ts'

const stretch = (from: number, to: number, log = 0.1): Stretch => ({ from, to, log })
const across = (stretches: readonly Stretch[], from: number, to: number) =>
  chainAcross(stretches, { first: from, last: from }, { first: to, last: to })

test('runs that follow each other are multiplied, each stretch once', () => {
  expect(across([stretch(60, 61), stretch(61, 62)], 60, 62)).toBeCloseTo(0.2)
  expect(across([stretch(60, 61), stretch(60, 62, 0.15), stretch(61, 62)], 60, 62)).toBeCloseTo(0.15)
  expect(across([stretch(60, 61), stretch(60, 62, 0.15), stretch(62, 63)], 60, 63)).toBeCloseTo(0.25)
})

test('a gap, and a run that begins before or ends after, give nothing', () => {
  expect(across([stretch(60, 61), stretch(62, 63)], 60, 63)).toBeNull()
  expect(across([stretch(59, 62)], 60, 62)).toBeNull()
  expect(across([stretch(60, 63)], 60, 62)).toBeNull()
  expect(across([], 60, 62)).toBeNull()
})

test('where any of several places will do, the fewest links', () => {
  const stretches = [stretch(58, 63, 0.3), stretch(60, 61), stretch(61, 62)]
  expect(chainAcross(stretches, { first: 57, last: 60 }, { first: 62, last: 64 })).toBeCloseTo(0.3)
  expect(chainAcross(stretches, { first: 59, last: 60 }, { first: 62, last: 64 })).toBeCloseTo(0.2)
})

test('stretches are of known commits in order, of the same two the median', () => {
  const points = [
    point(1, 1, 1),
    point(2, 1, 1.1),
    point(2, 1, 1.2),
    point(2, 1, 9),
    point(3, 1, 1.1, { referenceCommit: 'unknown' }),
    point(4, 1, 1.1, { referenceCommit: commitOf(5) }),
    point(5, 0, 1.1),
  ]
  const found = stretchesOf(points, positionsInSeries(points))
  expect(found).toHaveLength(1)
  expect(found[0]).toMatchObject({ from: 0, to: 1 })
  expect(Math.exp(found[0]!.log)).toBeCloseTo(1.2)
})
