import { array, assert, constantFrom, integer, property } from 'fast-check'
import { expect, test } from 'vitest'
import { averagedMedian } from '../../../../src/intake/measurement/median.ts'
import { SlidingMedian } from '../../../../src/judge/statistics/one-sided/sliding-median.ts'

test('is the median of the last values, equal ones among them', () => {
  assert(
    property(
      array(integer({ min: -4, max: 4 })),
      constantFrom(1, 2, 3, 20),
      integer({ min: 0, max: 30 }),
      (values, most, cleared) => {
        const sliding = new SlidingMedian(most)
        for (const [at, value] of values.entries()) {
          if (at === cleared) sliding.clear()
          sliding.push(value)
          const last = values.slice(at >= cleared ? cleared : 0, at + 1).slice(-most)
          expect([sliding.length, sliding.median()]).toEqual([last.length, averagedMedian(Float64Array.from(last))])
        }
      },
    ),
  )
})

test('of nothing is not a number', () => {
  expect(new SlidingMedian(3).median()).toBeNaN()
})
