import { describe, expect, test } from 'vitest'
import type { TrunkPoint, TrunkStep } from '../../../src/history/trunk-series.ts'
import { alreadyOnTrunk, stepExplains } from '../../../src/verdict/evidence/already-on-trunk.ts'
import { classifiedQuery } from '../classified-query-builder.ts'

const point = (position: number): TrunkPoint => ({
  time: position * 1000,
  commit: `c${position}`,
  referenceCommit: `c${position - 1}`,
  old: 1,
  new: 1,
  difference: 0,
  threshold: 0.05,
})

const stepAt = (good: number, bad: number, changes: Partial<TrunkStep> = {}): TrunkStep => ({
  lastGood: point(good),
  firstBad: point(bad),
  before: 1,
  after: 1.15,
  step: 0.15,
  earliest: point(bad),
  latest: point(bad),
  seenBy: 'both',
  recovered: null,
  ...changes,
})

// The old build is of c10, the merge base is c20.
const ORDER = new Map(Array.from({ length: 11 }, (_, index) => [`c${10 + index}`, index]))
const row = classifiedQuery({ difference: 0.2, architecture: 'arm' })
const found = (step: TrunkStep | null) => alreadyOnTrunk(row, step, 'c10', 'c20', ORDER)

describe('a step of the trunk', () => {
  test('after the old build and not after the merge base is there already', () => {
    expect(found(stepAt(12, 14))).toEqual({
      kind: 'already-on-trunk',
      architecture: 'arm',
      lastGood: 'c12',
      firstBad: 'c14',
      time: 14_000,
      step: 0.15,
      recovered: null,
    })
    expect(found(stepAt(10, 11))).not.toBeNull()
    expect(found(stepAt(19, 20))).not.toBeNull()
    // Its own run has measured it, which says where it is.
    expect(found(stepAt(18, 19, { latest: point(21), seenBy: 'step-rule' }))).not.toBeNull()
    expect(found(stepAt(18, 19, { latest: point(20), seenBy: 'change-point' }))).not.toBeNull()
  })

  test('that was taken back later is said, one taken back before the merge base is none', () => {
    expect(found(stepAt(12, 14, { recovered: point(23) }))?.recovered).toBe('c23')
    expect(found(stepAt(12, 14, { recovered: point(17) }))).toBeNull()
    expect(found(stepAt(12, 14, { recovered: point(20) }))).toBeNull()
  })

  test.each([
    ['that may have come before the old build', stepAt(8, 14)],
    ['before the old build', stepAt(5, 6)],
    ['that may have come after the merge base', stepAt(18, 22)],
    ['after the merge base', stepAt(21, 22)],
    ['whose interval reaches beyond the merge base', stepAt(18, 19, { latest: point(21), seenBy: 'change-point' })],
    ['the other way', stepAt(12, 14, { step: -0.15 })],
    ['that is much smaller', stepAt(12, 14, { step: 0.06 })],
    ['that is not there', null],
  ])('%s says nothing', (_name, step) => {
    expect(found(step)).toBeNull()
  })

  test('says nothing where the order of the commits, the old build or the merge base is not known', () => {
    expect(alreadyOnTrunk(row, stepAt(12, 14), 'c10', 'c20', null)).toBeNull()
    expect(alreadyOnTrunk(row, stepAt(12, 14), null, 'c20', ORDER)).toBeNull()
    expect(alreadyOnTrunk(row, stepAt(12, 14), 'c9', 'c20', ORDER)).toBeNull()
    expect(alreadyOnTrunk(row, stepAt(12, 14), 'c10', null, ORDER)).toBeNull()
    expect(alreadyOnTrunk(row, stepAt(12, 14), 'c10', 'c21', ORDER)).toBeNull()
    // Nothing lies between a build and itself.
    expect(alreadyOnTrunk(row, stepAt(19, 20), 'c20', 'c20', ORDER)).toBeNull()
  })
})

test.each([
  [0.2, 0.15, true],
  [0.4, 0.25, false],
  [0.1, 0.3, true],
  [-0.3, -0.28, true],
  [-0.5, -0.3, false],
])('%d here and %d there: explained %s', (difference, step, explained) => {
  const result = classifiedQuery({ difference, changedThreshold: 0.05 })
  expect(stepExplains({ ...found(stepAt(12, 14))!, step }, result)).toBe(explained)
})
