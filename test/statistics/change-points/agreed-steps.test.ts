import { expect, test } from 'vitest'
import { agreedSteps } from '../../../src/statistics/change-points/agreed-steps.ts'
import type { ChangePoint } from '../../../src/statistics/change-points/change-points.ts'
import type { PairedStep } from '../../../src/statistics/change-points/step-rule.ts'

const point = (index: number, step: number): ChangePoint => ({
  index,
  lastGood: index - 1,
  before: 10,
  after: 10 * (1 + step),
  step,
  pValue: 1e-6,
  earliest: index,
  latest: index,
})
const paired = (index: number, step: number): PairedStep => ({
  index,
  before: 10,
  after: 10 * (1 + step),
  height: 0.1,
  difference: step,
  historical: 0.02,
})
const places = (points: ChangePoint[], steps: PairedStep[]) =>
  agreedSteps(points, steps).map(({ changePoint, pairedStep }) => [changePoint?.index, pairedStep?.index])

test('both within one point of each other', () => {
  expect(places([point(40, 0.1)], [paired(40, 0.1)])).toEqual([[40, 40]])
  expect(places([point(40, 0.1)], [paired(41, 0.1)])).toEqual([[40, 41]])
  expect(places([point(40, 0.1)], [paired(42, 0.1)])).toEqual([])
  expect(places([point(40, 0.1)], [paired(40, -0.1)])).toEqual([])
  expect(places([point(40, 0.1)], [paired(39, 0.1), paired(40, 0.1)])).toEqual([[40, 40]])
})

test('one alone from 20 % on', () => {
  expect(places([point(40, 0.2)], [])).toEqual([[40, undefined]])
  expect(places([point(40, -0.25)], [])).toEqual([[40, undefined]])
  expect(places([point(40, 0.19)], [])).toEqual([])
  expect(places([], [paired(7, 0.3), paired(9, 0.15)])).toEqual([[undefined, 7]])
})

test('in the order of position, each step once', () => {
  const found = places([point(10, 0.3), point(50, 0.1)], [paired(5, 0.5), paired(49, 0.1), paired(90, -0.4)])
  expect(found).toEqual([
    [undefined, 5],
    [10, undefined],
    [50, 49],
    [undefined, 90],
  ])
})
