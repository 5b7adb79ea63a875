import { expect, test } from 'vitest'
import { changeSteps } from '../../src/profile/change-step.ts'
import { differenceOf } from './stacks.ts'

const step = (old: number, fresh: number, judged = false) =>
  changeSteps(differenceOf([['a', old]], [['a', fresh]]), false, judged)(1)

test.each([
  [1000, 1049, 0],
  [1000, 1050, 1],
  [1000, 1250, 2],
  [1000, 2000, 3],
  [0, 1000, 3],
  [1050, 1000, -1],
  [1250, 1000, -2],
  [1000, 500, -3],
  [1000, 0, -3],
  [1000, 1000, 0],
  [0, 0, 0],
])('%d → %d is step %d', (old, fresh, expected) => {
  expect(step(old, fresh)).toBe(expected)
})

test('what may be chance has no colour', () => {
  expect(step(3, 8)).toBe(3)
  expect(step(3, 8, true)).toBe(0)
  expect(step(0, 12, true)).toBe(3)
  expect(step(1000, 1050, true)).toBe(0)
  expect(step(10_000, 10_500, true)).toBe(1)
})

test('normalised, steps are of shares', () => {
  const difference = differenceOf(
    [
      ['a', 300],
      ['b', 700],
    ],
    [
      ['a', 600],
      ['b', 1400],
    ],
  )
  expect([1, 2].map(changeSteps(difference, true, true))).toEqual([0, 0])
  expect([1, 2].map(changeSteps(difference, false, true))).toEqual([3, 3])
})
