import { describe, expect, test } from 'vitest'
import type { Confirmation, Measurement } from '../../../../src/intake/measurement/run.ts'
import {
  bimodal,
  confirmedOrNot,
  floorThreshold,
  tooFewRepetitions,
} from '../../../../src/judge/verdict/evidence/own-measurement.ts'
import { classifiedQuery } from '../classified-query-builder.ts'

const oneMode = [13.0, 13.1, 13.4, 13.2, 13.3, 13.1, 13.2]
const twoModes = [13.0, 13.1, 13.2, 13.1, 18.0, 18.1, 18.2]
const slowerModes = twoModes.map((value) => value * 2)

function measured(old: number[], fresh: number[]): Measurement {
  return {
    test: 'order_by_read',
    queryIndex: 1,
    queryName: null,
    metric: 'client_time',
    unit: 's',
    architecture: 'arm',
    old,
    new: fresh,
    reportThreshold: null,
    rounded: false,
    problems: [],
  }
}

test('the modes of the side that has them, and how many repetitions are in each', () => {
  expect(bimodal(measured(oneMode, twoModes))).toEqual({
    kind: 'bimodal',
    architecture: 'arm',
    side: 'new',
    modes: [
      { median: 13.1, samples: 4 },
      { median: 18.1, samples: 3 },
    ],
  })
  expect(bimodal(measured(twoModes, oneMode))?.side).toBe('old')
})

test('with two modes on both sides those of the new one are shown', () => {
  expect(bimodal(measured(twoModes, slowerModes))).toMatchObject({ side: 'both', modes: [{ median: 26.2 }, {}] })
})

test('one slow repetition is no mode', () => {
  expect(bimodal(measured(oneMode, [...oneMode.slice(1), 18]))).toBeNull()
})

describe('confirmation', () => {
  const slower = classifiedQuery({ difference: 0.3, architecture: 'arm' })
  const again = (changes: Partial<Confirmation>): Confirmation => ({
    test: 'sum',
    queryIndex: 8,
    result: 'confirmed',
    difference: 0.28,
    threshold: 0.06,
    ...changes,
  })

  test('what the rerun showed again is confirmed, what it did not is not reproduced', () => {
    expect(confirmedOrNot(slower, [again({ queryIndex: 7 }), again({})])).toEqual({
      kind: 'confirmed',
      architecture: 'arm',
      difference: 0.28,
    })
    expect(confirmedOrNot(slower, [again({ result: 'not-reproduced', difference: 0.03 })])).toEqual({
      kind: 'not-reproduced',
      architecture: 'arm',
      difference: 0.03,
      threshold: 0.06,
    })
  })

  test('a query that was not measured again, or confirmed the other way, has neither', () => {
    expect(confirmedOrNot(slower, [])).toBeNull()
    expect(confirmedOrNot(slower, [again({ test: 'uniq' }), again({ queryIndex: 9 })])).toBeNull()
    expect(confirmedOrNot(classifiedQuery({ queryIndex: null }), [again({})])).toBeNull()
    expect(confirmedOrNot(slower, [again({ difference: -0.28 })])).toBeNull()
  })
})

describe('floor threshold', () => {
  test('a change judged by the floor says so', () => {
    expect(floorThreshold(classifiedQuery())).toEqual({ kind: 'floor-threshold', threshold: 0.05 })
  })

  test.each(['configured', 'test', 'learned', 'given'] as const)('a threshold that is %s is no floor', (source) => {
    expect(floorThreshold(classifiedQuery({ changedThresholdSource: source }))).toBeNull()
  })

  test('a learned threshold below the floor is one all the same', () => {
    expect(floorThreshold(classifiedQuery(), { changed: 0.03, unstable: 0.06 })).toBeNull()
  })
})

describe('too few repetitions', () => {
  const repeated = (old: number, fresh: number) =>
    classifiedQuery({ old: { median: 1, repetitions: old }, new: { median: 2, repetitions: fresh } })

  test.each([
    [4, 7],
    [7, 4],
    [3, 3],
  ])('%i old and %i new are too few', (old, fresh) => {
    expect(tooFewRepetitions(repeated(old, fresh))).toEqual({
      kind: 'too-few-repetitions',
      architecture: null,
      old,
      new: fresh,
      needed: 5,
    })
  })

  test('5 and 5 are enough', () => {
    expect(tooFewRepetitions(repeated(5, 5))).toBeNull()
  })
})
