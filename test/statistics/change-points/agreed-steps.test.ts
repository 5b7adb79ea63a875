import { describe, expect, test } from 'vitest'
import { agreedSteps } from '../../../src/statistics/change-points/agreed-steps.ts'
import type { ChangePoint } from '../../../src/statistics/change-points/change-points.ts'
import type { PairedStep } from '../../../src/statistics/change-points/step-rule.ts'

const point = (index: number, step: number): ChangePoint => ({
  index,
  lastGood: index - 1,
  before: 10,
  after: 10 * (1 + step),
  beforeFrom: 0,
  afterTo: index,
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
/** 100 rows that are at 10 and, from the paired step on, at its new level. */
const levelsOf = ([step]: readonly PairedStep[]) =>
  Array.from({ length: 100 }, (_, index) => (step !== undefined && index >= step.index ? step.after : 10))
const places = (points: ChangePoint[], steps: PairedStep[], levels: readonly number[] = levelsOf(steps)) =>
  agreedSteps(points, steps, levels).map(({ changePoint, pairedStep }) => [changePoint?.index, pairedStep?.index])

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
  const levels = Array.from({ length: 100 }, (_, index) => (index < 7 ? 10 : index < 90 ? 15 : 6))
  const found = places([point(10, 0.3), point(50, 0.1)], [paired(7, 0.5), paired(49, 0.1), paired(90, -0.4)], levels)
  expect(found).toEqual([
    [undefined, 7],
    [10, undefined],
    [50, 49],
    [undefined, 90],
  ])
})

describe('what the step rule alone sees must last', () => {
  const calm = Array.from({ length: 40 }, () => 10)
  const withEnd = (...end: number[]) => places([], [paired(40, 0.3)], [...calm, ...end])

  test('six measured rows, most of them at the new level', () => {
    expect(withEnd(13, 13, 13, 13, 13, 13)).toEqual([[undefined, 40]])
    expect(withEnd(13, 10, 13, 13, 10, 13)).toEqual([[undefined, 40]])
    expect(withEnd(13, Number.NaN, 13, 13, 13, 13, 13)).toEqual([[undefined, 40]])
  })

  test.each([
    ['the newest run', [13]],
    ['the next to newest run', [13, 10]],
    ['five rows', [13, 13, 13, 13, 13]],
    ['five measured rows', [13, 13, Number.NaN, 13, 13, 13]],
    ['rows that are back', [13, 10, 10, 10, 13, 13]],
  ])('%s is no step', (_name, end) => {
    expect(withEnd(...end)).toEqual([])
  })

  test('nor are rows enough before it', () => {
    const after = Array.from({ length: 12 }, () => 7)
    expect(places([], [paired(5, -0.3)], [...calm.slice(0, 5), ...after])).toEqual([])
    expect(places([], [paired(6, -0.3)], [...calm.slice(0, 6), ...after])).toEqual([[undefined, 6]])
  })
})
