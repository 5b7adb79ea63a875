import { describe, expect, test } from 'vitest'
import { DEFAULT_THRESHOLDS, type ThresholdSettings, thresholdsOf } from '../../../src/judge/verdict/thresholds.ts'

const settings = (changes: Partial<ThresholdSettings>): ThresholdSettings => ({ ...DEFAULT_THRESHOLDS, ...changes })

const flat = (
  reportThreshold: number | null,
  learned: { changed: number; unstable: number } | null,
  with_: ThresholdSettings = DEFAULT_THRESHOLDS,
) => {
  const { changed, unstable } = thresholdsOf(reportThreshold, learned, with_)
  return [changed.value, changed.source, unstable.value, unstable.source]
}

test('the floors stand where nothing else is known', () => {
  expect(flat(null, null)).toEqual([0.05, 'floor', 0.1, 'floor'])
})

describe('what replaces the floor', () => {
  const configured = { changed: 0.02, unstable: 0.2 }

  test('the configuration, even with a smaller one', () => {
    expect(flat(null, null, settings({ configured }))).toEqual([0.02, 'configured', 0.2, 'configured'])
  })

  test('each for itself', () => {
    expect(flat(null, null, settings({ configured: { changed: null, unstable: 0.3 } }))).toEqual([
      0.05,
      'floor',
      0.3,
      'configured',
    ])
  })

  test('the command line before the configuration', () => {
    const given = { changed: 0.01, unstable: null }
    expect(flat(null, null, settings({ configured, given }))).toEqual([0.01, 'given', 0.2, 'configured'])
    expect(flat(null, null, settings({ given: { changed: 0, unstable: 0 } }))).toEqual([0, 'given', 0, 'given'])
  })
})

describe('an entry of the repository’s file', () => {
  const ofEntry = (value: number, reportThreshold: number | null = null, with_ = DEFAULT_THRESHOLDS) => {
    const { changed, unstable } = thresholdsOf(reportThreshold, null, with_, value)
    return [changed.value, changed.source, unstable.value, unstable.source]
  }
  const configured = { changed: 0.2, unstable: 0.4 }

  test('takes the place of what is configured for all, larger or smaller', () => {
    expect(ofEntry(0.25)).toEqual([0.25, 'entry', 0.35, 'entry'])
    expect(ofEntry(0.01, null, settings({ configured }))).toEqual([0.01, 'entry', 0.4, 'configured'])
    expect(ofEntry(0)).toEqual([0, 'entry', 0.1, 'floor'])
  })

  test('stands back behind a larger one of the test, and behind the command line', () => {
    expect(ofEntry(0.25, 0.3)).toEqual([0.3, 'test', 0.4, 'test'])
    const given = { changed: 0.01, unstable: 0.9 }
    expect(ofEntry(0.25, null, settings({ given }))).toEqual([0.01, 'given', 0.9, 'given'])
  })
})

describe("the test's own", () => {
  test('counts if it is larger, plus 0.1 for unstable', () => {
    expect(flat(0.2, null)).toEqual([0.2, 'test', expect.closeTo(0.3, 12), 'test'])
    expect(flat(0.02, null)).toEqual([0.05, 'floor', expect.closeTo(0.12, 12), 'test'])
    expect(flat(0.2, null, settings({ given: { changed: 0.3, unstable: 0.6 } }))).toEqual([0.3, 'given', 0.6, 'given'])
    expect(flat(0.4, null, settings({ given: { changed: 0.3, unstable: 0.6 } }))).toEqual([0.4, 'test', 0.6, 'given'])
  })

  test('of equal ones the first named stands', () => {
    expect(flat(0.05, null)[1]).toBe('floor')
    expect(flat(0.3, { changed: 0.3, unstable: 0.1 })[1]).toBe('test')
  })

  test('counts only as a finite number', () => {
    for (const hostile of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1]) {
      expect(flat(hostile, null)).toEqual([0.05, 'floor', 0.1, 'floor'])
    }
  })
})

describe('what history has taught', () => {
  test('counts if it is larger', () => {
    expect(flat(null, { changed: 0.12, unstable: 0.34 })).toEqual([0.12, 'learned', 0.34, 'learned'])
    expect(flat(null, { changed: 0.03, unstable: 0.09 })).toEqual([0.05, 'floor', 0.1, 'floor'])
    expect(flat(0.2, { changed: 0.12, unstable: 0.34 })).toEqual([0.2, 'test', 0.34, 'learned'])
  })

  test('is capped', () => {
    expect(flat(null, { changed: 0.77, unstable: 1.4 })).toEqual([0.5, 'learned', 0.5, 'learned'])
    expect(flat(null, { changed: 0.77, unstable: 1.4 }, settings({ learnedCap: 0.25 }))).toEqual([
      0.25,
      'learned',
      0.25,
      'learned',
    ])
  })

  test('the cap takes nothing from what a person set', () => {
    expect(flat(0.9, { changed: 0.77, unstable: 1.4 })).toEqual([0.9, 'test', 1, 'test'])
  })

  test('counts only as a finite number', () => {
    expect(flat(null, { changed: Number.NaN, unstable: Number.NaN })).toEqual([0.05, 'floor', 0.1, 'floor'])
  })
})
