import { expect, test } from 'vitest'
import { positionInterval } from '../../../../src/judge/statistics/change-points/position-interval.ts'
import { generator, noise } from './noise.ts'

test('a clear step has one place', () => {
  expect(positionInterval([1, 1.1, 0.9, 1, 5, 5.1, 4.9, 5], 0, 8, 4)).toEqual({ earliest: 4, latest: 4 })
  expect(positionInterval([1, 1, 1, 1, 5, 5, 5, 5], 0, 8, 4)).toEqual({ earliest: 4, latest: 4 })
  expect(positionInterval([9, 9, 1, 1, 1, 1, 5, 5, 5, 5, 0], 2, 10, 6)).toEqual({ earliest: 6, latest: 6 })
})

test('between the levels the place is open', () => {
  const { earliest, latest } = positionInterval([1, 1.2, 0.8, 1, 1.1, 3, 5, 5.1, 4.8, 5, 5.2], 0, 11, 6)
  expect([earliest, latest]).toEqual([5, 6])
})

test('few or equal points: every place is possible', () => {
  expect(positionInterval([1, 2, 3], 0, 3, 1)).toEqual({ earliest: 1, latest: 2 })
  expect(positionInterval([7, 7, 7, 7, 7, 7], 0, 6, 3)).toEqual({ earliest: 1, latest: 5 })
})

test('holds the index it is asked for', () => {
  expect(positionInterval([1, 1, 1, 1, 5, 5, 5, 5], 0, 8, 2)).toEqual({ earliest: 2, latest: 4 })
})

test('holds the true place in 99% of normal noise', () => {
  const random = generator(5)
  let held = 0
  for (let round = 0; round < 1000; round += 1) {
    const series = [...noise(random, 15, 10, 1), ...noise(random, 15, 11.5, 1)]
    const { earliest, latest } = positionInterval(series, 0, 30, 15)
    // Asked for the true place it would be held always: what counts is the rest of the interval.
    const { earliest: from, latest: to } = positionInterval(series, 0, 30, earliest === 15 ? latest : earliest)
    if (from <= 15 && 15 <= to) held += 1
  }
  expect(held).toBeGreaterThan(975)
})
