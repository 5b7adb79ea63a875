import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TrunkPoint, TrunkStep } from '../../../../src/judge/history/trunk-series.ts'
import { TAKEN_BACK_SHARE, takesBack } from '../../../../src/judge/verdict/evidence/takes-back.ts'
import { classifiedQuery } from '../classified-query-builder.ts'

const point = (name: string, time: number): TrunkPoint => ({
  time,
  commit: name,
  referenceCommit: '',
  old: 1,
  new: 1,
  difference: 0,
  threshold: null,
})
const stepOf = (step: number, recovered: TrunkPoint | null = null): TrunkStep => ({
  lastGood: point('good', 1000),
  firstBad: point('bad', 2000),
  before: 1,
  after: 1 + step,
  step,
  earliest: point('bad', 2000),
  latest: point('bad', 2000),
  seenBy: 'both',
  recovered,
})
const rowOf = (difference: number, threshold: number | null = 0.03) =>
  classifiedQuery({ difference, threshold, outcome: 'changed', architecture: 'arm' })
const isTakenBack = (difference: number, step: number, threshold: number | null = 0.03) =>
  takesBack(rowOf(difference, threshold), stepOf(step)) !== null

describe('a row that undoes a step of the trunk', () => {
  test('says which one, when and how large it was', () => {
    expect(takesBack(rowOf(-0.19), stepOf(0.24))).toEqual({
      kind: 'takes-back',
      architecture: 'arm',
      commit: 'bad',
      time: 2000,
      step: 0.24,
    })
  })

  test.each([
    ['all of it', -0.19, 0.24, true],
    ['three quarters', -0.15, 0.24, true],
    ['two fifths', -0.08, 0.24, false],
    ['more than it was by a third', -0.25, 0.24, false],
    ['a little of it', -0.05, 0.24, false],
    ['a half, doubled again', 1, -0.5, true],
    ['an optimisation that is gone', 0.25, -0.2, true],
    ['the same direction', 0.24, 0.24, false],
  ])('%s: %d here and %d there', (_name, difference, step, expected) => {
    expect(isTakenBack(difference, step)).toBe(expected)
  })

  test('where chance moves the row by more than a third of the step, that counts, up to half of the step', () => {
    // 0.6 of the step.
    expect(isTakenBack(-0.12, 0.24, 0.03)).toBe(false)
    expect(isTakenBack(-0.12, 0.24, 0.1)).toBe(true)
    expect(isTakenBack(-0.12, 0.24, null)).toBe(false)
    // Samples that do not overlap have the difference as their threshold.
    expect(isTakenBack(-0.3, 0.05, 0.3)).toBe(false)
    expect(isTakenBack(-0.09, 0.24, 5)).toBe(false)
  })

  test('nothing without a step, with one that the trunk has taken back, and of a row that has not changed', () => {
    expect(takesBack(rowOf(-0.19), null)).toBeNull()
    expect(takesBack(rowOf(-0.19), stepOf(0.24, point('back', 3000)))).toBeNull()
    expect(takesBack({ ...rowOf(-0.19), outcome: 'unstable' }, stepOf(0.24))).toBeNull()
    expect(takesBack({ ...rowOf(0), difference: null }, stepOf(0.24))).toBeNull()
    expect(takesBack(rowOf(0), stepOf(0.24))).toBeNull()
  })
})

describe('whatever the sizes are', () => {
  const log = fc.double({ min: 0.01, max: 3, noNaN: true })
  const sign = fc.constantFrom(-1, 1)
  const threshold = fc.option(fc.double({ min: 0, max: 10, noNaN: true }))

  test('only a step of the other sign is taken back, and not one that is gone', () => {
    fc.assert(
      fc.property(log, log, sign, sign, threshold, (here, there, a, b, t) => {
        const row = rowOf(Math.expm1(a * here), t)
        const found = takesBack(row, stepOf(Math.expm1(b * there)))
        if (found !== null) expect(a).toBe(-b)
        expect(takesBack(row, stepOf(Math.expm1(b * there), point('back', 3000)))).toBeNull()
      }),
    )
  })

  test('slower and faster are the same: a doubling that a half undoes is as large as a half that a doubling undoes', () => {
    fc.assert(
      fc.property(log, log, sign, threshold, (here, there, a, t) => {
        const limit = TAKEN_BACK_SHARE * there
        // At the very edge rounding decides.
        fc.pre([limit, there / 2, Math.log1p(t ?? 0)].every((edge) => Math.abs(Math.abs(here - there) - edge) > 1e-9))
        const one = isTakenBack(Math.expm1(a * here), Math.expm1(-a * there), t)
        expect(isTakenBack(Math.expm1(-a * here), Math.expm1(a * there), t)).toBe(one)
      }),
    )
  })

  test('about the same size: within a third of the step always, never beyond a half', () => {
    fc.assert(
      fc.property(log, sign, fc.double({ min: -1, max: 1, noNaN: true }), threshold, (there, a, miss, t) => {
        fc.pre(Math.abs(Math.abs(miss) - TAKEN_BACK_SHARE) > 1e-6 && Math.abs(Math.abs(miss) - 0.5) > 1e-6)
        const found = isTakenBack(Math.expm1(-a * there * (1 + miss)), Math.expm1(a * there), t)
        if (Math.abs(miss) < TAKEN_BACK_SHARE) expect(found).toBe(true)
        if (Math.abs(miss) > 0.5) expect(found).toBe(false)
      }),
    )
  })
})
