import { describe, expect, test } from 'vitest'
import { agreedSteps } from '../../../../src/judge/statistics/change-points/agreed-steps.ts'
import type { ChangePoint } from '../../../../src/judge/statistics/change-points/change-points.ts'
import type { EvidencedStep } from '../../../../src/judge/statistics/change-points/paired-evidence.ts'
import type { PairedStep } from '../../../../src/judge/statistics/change-points/step-rule.ts'

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
const evidenced = (index: number, step: number): EvidencedStep => ({
  index,
  lastBefore: index - 1,
  earliest: index,
  latest: index,
  before: 10,
  after: 10 * (1 + step),
  step,
  pValue: 1e-4,
  pLevel: 0.001,
  pPair: 0.02,
})
/** 100 rows that are at 10 and, from the paired step on, at its new level. */
const levelsOf = ([step]: readonly PairedStep[]) =>
  Array.from({ length: 100 }, (_, index) => (step !== undefined && index >= step.index ? step.after : 10))
const places = (points: ChangePoint[], steps: PairedStep[], levels: readonly number[] = levelsOf(steps)) =>
  agreedSteps(points, steps, [], levels).map(({ changePoint, pairedStep }) => [changePoint?.index, pairedStep?.index])

test('both within one point of each other', () => {
  expect(places([point(40, 0.1)], [paired(40, 0.1)])).toEqual([[40, 40]])
  expect(places([point(40, 0.1)], [paired(41, 0.1)])).toEqual([[40, 41]])
  expect(places([point(40, 0.1)], [paired(42, 0.1)])).toEqual([])
  expect(places([point(40, 0.1)], [paired(40, -0.1)])).toEqual([])
  expect(places([point(40, 0.1)], [paired(39, 0.1), paired(40, 0.1)])).toEqual([[40, 40]])
})

test('one alone from 20% on', () => {
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

describe('paired evidence', () => {
  const both = (points: ChangePoint[], steps: PairedStep[], evidence: EvidencedStep[]) =>
    agreedSteps(points, steps, evidence, levelsOf(steps)).map((one) => [
      one.changePoint?.index,
      one.pairedStep?.index,
      one.evidenced?.index,
    ])

  test('adds what is not within one point of a step', () => {
    expect(both([], [], [evidenced(30, 0.12)])).toEqual([[undefined, undefined, 30]])
    for (const at of [38, 42]) {
      const found = both([point(40, 0.1)], [paired(40, 0.1)], [evidenced(at, 0.1)])
      expect(found.toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0))).toEqual([
        [undefined, undefined, at],
        [40, 40, undefined],
      ])
    }
    for (const at of [39, 40, 41]) {
      expect(both([point(40, 0.1)], [paired(40, 0.1)], [evidenced(at, 0.1)])).toEqual([[40, 40, undefined]])
    }
    // The pair is its place, and 42 is beside it.
    expect(both([point(40, 0.1)], [paired(41, 0.1)], [evidenced(42, 0.1)])).toEqual([[40, 41, undefined]])
  })

  test('takes the place of a change point alone that may be the same step', () => {
    const wide = { ...point(40, 0.25), earliest: 36, latest: 44 }
    expect(both([wide], [], [evidenced(37, 0.2)])).toEqual([[40, undefined, 37]])
    expect(both([wide], [], [evidenced(45, 0.2)])).toEqual([
      [40, undefined, undefined],
      [undefined, undefined, 45],
    ])
    expect(both([wide], [], [evidenced(37, -0.2)])).toEqual([
      [undefined, undefined, 37],
      [40, undefined, undefined],
    ])
    // One that was too small to be believed is the same step as well.
    const small = { ...point(40, 0.1), earliest: 36, latest: 44 }
    expect(both([small], [], [evidenced(37, 0.1)])).toEqual([[40, undefined, 37]])
    // Two rows, one change point: it is one of them.
    expect(both([wide], [], [evidenced(37, 0.2), evidenced(42, 0.2)])).toEqual([
      [40, undefined, 37],
      [undefined, undefined, 42],
    ])
  })

  test('is another step than a larger change point whose interval it is in', () => {
    const large = { ...point(20, 0.39), earliest: 18, latest: 24 }
    expect(both([large], [], [evidenced(23, 0.12)])).toEqual([
      [20, undefined, undefined],
      [undefined, undefined, 23],
    ])
    expect(both([large], [], [evidenced(21, 0.12)])).toEqual([[20, undefined, undefined]])
  })
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
