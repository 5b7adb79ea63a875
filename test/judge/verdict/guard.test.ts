import { expect, test } from 'vitest'
import { isGuarded } from '../../../src/judge/verdict/guard.ts'
import { classifiedQuery } from './classified-query-builder.ts'

const measured = (old: number, fresh: number, separated: boolean, status: 'compared' | 'failed' = 'compared') =>
  classifiedQuery({
    status,
    separated,
    outcome: 'unstable',
    old: { median: old, repetitions: 7 },
    new: { median: fresh, repetitions: 7 },
  })

test('three times as slow is guarded, whatever the outcome', () => {
  expect(isGuarded(measured(0.02, 0.06, false))).toBe(true)
  expect(isGuarded(measured(0.02, 0.0599, false))).toBe(false)
})

test('without overlap one and a half times is enough', () => {
  expect(isGuarded(measured(0.02, 0.03, true))).toBe(true)
  expect(isGuarded(measured(0.02, 0.0299, true))).toBe(false)
  expect(isGuarded(measured(0.02, 0.031, false))).toBe(false)
})

test('a ratio that is 3 or 1.5 in decimal is, though it is less in binary', () => {
  expect([0.3 / 0.1 < 3, 0.3 / 0.2 < 1.5]).toEqual([true, true])
  expect(isGuarded(measured(0.1, 0.3, false))).toBe(true)
  expect(isGuarded(measured(0.2, 0.3, true))).toBe(true)
})

test('a speed-up or something that was not compared is not', () => {
  expect(isGuarded(measured(0.06, 0.01, true))).toBe(false)
  expect(isGuarded(measured(0.02, 0.2, true, 'failed'))).toBe(false)
  expect(isGuarded(classifiedQuery({ old: { median: 0, repetitions: 7 } }))).toBe(false)
})
