import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { median } from '../../../src/intake/measurement/median.ts'
import type { Measurement } from '../../../src/intake/measurement/run.ts'
import { classify } from '../../../src/judge/verdict/classify.ts'
import { byProcess, processCounts } from '../../../src/judge/verdict/processes.ts'
import { DEFAULT_THRESHOLDS } from '../../../src/judge/verdict/thresholds.ts'

/** A benchmark of these processes, one list of values each, on either side. */
function measured(old: readonly (readonly number[])[], fresh: readonly (readonly number[])[]): Measurement {
  const taken = (side: readonly (readonly number[])[]) => ({
    processes: side.flatMap((values, process) => values.map(() => process)),
    places: side.flat().map((_, place) => place),
  })
  return {
    test: 'a',
    queryIndex: null,
    queryName: 'b',
    metric: 'time',
    unit: 's',
    architecture: null,
    old: old.flat(),
    new: fresh.flat(),
    reportThreshold: null,
    rounded: false,
    problems: [],
    taken: { old: taken(old), new: taken(fresh) },
  }
}

const each = (old: readonly number[], fresh: readonly number[]) =>
  measured(
    old.map((value) => [value]),
    fresh.map((value) => [value]),
  )
const only = (one: Measurement) => classify([one], DEFAULT_THRESHOLDS)[0]!
const fork = (level: number) => [level, level * 1.001, level * 1.002, level * 0.999]

describe('five processes a side', () => {
  const old = [1, 1.05, 0.97, 1.02, 0.99].map(fork)
  const fresh = [1.01, 1.04, 1, 1.03, 0.98].map(fork)

  test('are tested as five values, however many each has', () => {
    const found = only(measured(old, fresh))
    const asMedians = only(each(old.map(median), fresh.map(median)))
    expect(found).toEqual({
      ...asMedians,
      old: { median: median(old.map(median)), repetitions: 5, values: 20 },
      new: { median: median(fresh.map(median)), repetitions: 5, values: 20 },
    })
    expect(found.notes).toEqual([])
  })

  test('keep the place of the first value of each', () => {
    expect(byProcess(measured(old, fresh)).taken?.old).toEqual({ places: [0, 4, 8, 12, 16] })
  })

  test('are the values themselves where each has one', () => {
    const ones = each(old.map(median), fresh.map(median))
    expect(processCounts(ones)).toBeNull()
    expect(byProcess(ones)).toBe(ones)
  })
})

test('fewer are tested by their values, and that is said', () => {
  const found = only(measured([1, 1.05, 0.97, 1.02].map(fork), [1.01, 1.04, 1, 1.03, 0.98].map(fork)))
  expect(found.old).toMatchObject({ repetitions: 16, processes: 4 })
  expect(found.new).toMatchObject({ repetitions: 20, processes: 5 })
  expect(found.notes).toEqual(['uneven-repetitions', 'one-process'])
})

test('more values of a few processes than can be tested are tested by a thousand of them', () => {
  const rounds = (level: number) => Array.from({ length: 999 }, (_, at) => level * (1 + (at % 10) / 100))
  const found = only(measured([1, 1.01, 1.02].map(rounds), [2, 2.02, 2.04].map(rounds)))
  expect(found).toMatchObject({ status: 'compared', outcome: 'changed', direction: 'slower' })
  expect(found.old).toMatchObject({ repetitions: 999, values: 2997, processes: 3 })
  expect(found.notes).toEqual(['one-process'])
})

test('three files with one value each are three repetitions, and nothing more is said of them', () => {
  const found = only(measured([[1], [1.01], [1.02]], [[1.2], [1.21], [1.22]]))
  expect(found.old).toEqual({ median: 1.01, repetitions: 3 })
  expect(found.notes).toEqual(['too-few-repetitions'])
})

test('what one process repeats adds nothing', () => {
  const level = fc.double({ min: 0.5, max: 2, noNaN: true })
  const side = fc.array(level, { minLength: 5, maxLength: 9 })
  fc.assert(
    fc.property(side, side, fc.integer({ min: 2, max: 20 }), (old, fresh, times) => {
      const repeated = (levels: readonly number[]) => levels.map((value) => Array<number>(times).fill(value))
      const { pValue, threshold, outcome } = only(measured(repeated(old), repeated(fresh)))
      const once = only(each(old, fresh))
      expect({ pValue, threshold, outcome }).toEqual({
        pValue: once.pValue,
        threshold: once.threshold,
        outcome: once.outcome,
      })
    }),
  )
})
