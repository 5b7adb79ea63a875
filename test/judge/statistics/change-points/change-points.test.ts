import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changePoints } from '../../../../src/judge/statistics/change-points/change-points.ts'
import { DIVISIVE_DEFAULTS } from '../../../../src/judge/statistics/change-points/e-divisive.ts'

const DATA = new URL('../../../data/', import.meta.url)
const step = [10, 11, 10, 9, 10, 11, 10, 9, 10, 10, 20, 21, 20, 19, 20, 21, 20, 19, 20, 20]

test('a step and what is around it', () => {
  expect(changePoints(step)).toEqual([
    {
      index: 10,
      lastGood: 9,
      before: 10,
      after: 20,
      beforeFrom: 0,
      afterTo: 19,
      step: 1,
      pValue: expect.closeTo(4.3697e-18, 21),
      earliest: 10,
      latest: 10,
    },
  ])
  const [down] = changePoints(step.toReversed())
  expect(down).toMatchObject({ index: 10, before: 20, after: 10, step: -0.5 })
})

test('points without a value keep their positions and widen the interval', () => {
  const gap = [Number.NaN, ...step.slice(0, 10), Number.NaN, Number.POSITIVE_INFINITY, ...step.slice(10), Number.NaN]
  expect(changePoints(gap)).toMatchObject([{ index: 13, lastGood: 10, earliest: 11, latest: 13 }])
  expect(changePoints([Number.NaN, Number.NaN])).toEqual([])
  expect(changePoints([])).toEqual([])
  expect(changePoints([4])).toEqual([])
})

test('negative values and zeros', () => {
  const [rise] = changePoints(step.map((value) => value - 30))
  expect(rise).toMatchObject({ index: 10, before: -20, after: -10, step: 0.5 })
  const zeros = Array<number>(10).fill(0)
  expect(changePoints([...zeros, ...step.slice(10)])).toMatchObject([
    { index: 10, before: 0, after: 20, step: Infinity },
  ])
  expect(changePoints([...step.slice(10), ...zeros])).toMatchObject([{ index: 10, before: 20, after: 0, step: -1 }])
})

test('values of any size', () => {
  const [plain] = changePoints(step)
  for (const size of [1e-320, 1e-300, 1e-160, 1e-9, 1e150, 1e300]) {
    const [found, ...more] = changePoints(step.map((value) => value * size))
    expect(more).toEqual([])
    expect(found).toMatchObject({ index: 10, earliest: 10, latest: 10 })
    expect(found!.step).toBeCloseTo(plain!.step, 2)
  }
  expect(changePoints([...step.map((value) => value * 1e-9), 1e308, -1e308])).toBeInstanceOf(Array)
})

test('any series: positions are in order, intervals hold them, medians are measured values', () => {
  const value = fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 20 }) },
    fc.double(),
    fc.constantFrom(Number.NaN, 0, -0, 1e308),
  )
  const options = { windowLength: 10, maxP: 0.2, minStep: 0.05 }
  fc.assert(
    fc.property(fc.array(value, { maxLength: 60 }), (series) => {
      let last = 0
      for (const { index, lastGood, before, after, beforeFrom, afterTo, pValue, earliest, latest } of changePoints(
        series,
        options,
      )) {
        expect(index).toBeGreaterThan(last)
        expect(lastGood).toBeGreaterThanOrEqual(last)
        expect(lastGood).toBeLessThan(index)
        expect(earliest).toBeGreaterThan(0)
        expect(earliest).toBeLessThanOrEqual(index)
        expect(latest).toBeGreaterThanOrEqual(index)
        expect(latest).toBeLessThan(series.length)
        expect(series).toContain(before)
        expect(beforeFrom).toBeLessThanOrEqual(lastGood)
        expect(afterTo).toBeGreaterThanOrEqual(index)
        expect(series).toContain(after)
        expect(pValue).toBeLessThan(options.maxP)
        last = index
      }
    }),
    { numRuns: 500 },
  )
})

describe('the outliers of the Conbench histories are no change points', () => {
  const outliers = JSON.parse(
    readFileSync(new URL('history-conbench-outliers/expected_outlier_values.json', DATA), 'utf8'),
  ) as Record<string, number[]>

  test.each(Object.entries(outliers))('%s', (name, values) => {
    const rows = readFileSync(new URL(`history-conbench-outliers/${name}`, DATA), 'utf8')
      .trim()
      .split('\n')
    const series = rows.filter((row) => /^\d/.test(row)).map((row) => Number.parseFloat(row.split(',')[1]!))
    const places = values.map((value) => series.indexOf(value))
    expect(places).not.toContain(-1)
    for (const windowLength of [20, 30, 50]) {
      for (const maxP of [0.001, 0.01]) {
        const found = changePoints(series, { ...DIVISIVE_DEFAULTS, windowLength, maxP }).map(({ index }) => index)
        for (const place of places) {
          expect(found).not.toContain(place)
          expect(found).not.toContain(place + 1)
        }
        // The last point of C is twice the others: one point, not a level.
        if (name === 'outlier_C.csv') expect(found).toEqual([])
      }
    }
  })
})

test('the spikes of MongoDB’s series are none either, and its steps are', () => {
  const series = (name: string) =>
    JSON.parse(readFileSync(new URL(`history-mongodb/${name}.json`, DATA), 'utf8')) as number[]
  expect(changePoints(series('real_series'))).toEqual([])
  const robust = series('robust_series')
  expect(changePoints(robust).map(({ index }) => index)).toEqual([25, 114])
  expect(changePoints(robust)[0]!.step).toBeCloseTo(0.069, 3)
  // It falls by 3% and by 3% more, six points later: each below the smallest step.
  expect(changePoints(robust, { ...DIVISIVE_DEFAULTS, minStep: 0.03 }).map(({ index }) => index)).toEqual([
    25, 64, 70, 114,
  ])
})
