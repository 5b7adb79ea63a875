import { expect, test } from 'vitest'
import { median } from '../../../src/intake/measurement/median.ts'
import { randomizationTest } from '../../../src/judge/statistics/randomization-test.ts'
import {
  MOST_REPETITIONS,
  quantileOfScores,
  repetitionsToShow,
} from '../../../src/judge/statistics/repetitions-to-show.ts'
import { THRESHOLDS_IN_SPREADS } from '../../../src/judge/statistics/thresholds-in-spreads.ts'
import { measuredRuns } from '../../store/history/trunk-rows.ts'
import { generator, noise } from './change-points/noise.ts'

test('few repetitions for little noise, more for more, and none for too much', () => {
  const needed = [0, 0.02, 0.04, 0.1, 0.2, 0.3].map((threshold) => repetitionsToShow(threshold, 7, 0.05))
  expect(needed).toEqual([5, 5, 9, 73, 317, null])
  expect(repetitionsToShow(0.1, 7, 0.1)!).toBeLessThan(repetitionsToShow(0.1, 7, 0.05)!)
})

test('the same threshold after more repetitions is more noise', () => {
  const needed = [5, 7, 13, 30].map((repetitions) => repetitionsToShow(0.06, repetitions, 0.05)!)
  expect(needed).toEqual([25, 23, 45, 89])
  // counts beyond the largest are the largest
  expect(repetitionsToShow(0.04, 1e9, 0.05)).toBe(repetitionsToShow(0.04, 499, 0.05))
})

test('the thresholds that are kept are those that are computed', () => {
  const counts = THRESHOLDS_IN_SPREADS.map((_, index) => 5 + 2 * index)
  expect(counts.at(-1)).toBe(MOST_REPETITIONS)
  for (const count of [...counts.slice(0, 40), 127, 251, 499]) {
    expect(THRESHOLDS_IN_SPREADS[(count - 5) / 2]).toBeCloseTo(quantileOfScores(count), 12)
  }
})

test('what is no size is refused', () => {
  for (const [threshold, wanted] of [
    [-0.1, 0.05],
    [Number.NaN, 0.05],
    [0.1, 0],
  ] as const) {
    expect(() => repetitionsToShow(threshold, 7, wanted)).toThrow(RangeError)
  }
})

test.each([0.04, 0.06, 0.08])('of simulated repetitions with a spread of %d four of five runs show it', (deviation) => {
  const random = generator(1)
  const runOf = (repetitions: number, level: number) =>
    randomizationTest(noise(random, repetitions, 1, deviation), noise(random, repetitions, level, deviation))
  const thresholds = Array.from({ length: 301 }, () => runOf(7, 1).threshold)
  const needed = repetitionsToShow(median(thresholds), 7, 0.05)!
  const share = (repetitions: number) => {
    const runs = Array.from({ length: 400 }, () => runOf(repetitions, 1.05))
    return runs.filter(({ difference, threshold }) => difference >= threshold).length / runs.length
  }
  expect(share(needed)).toBeGreaterThan(0.7)
  expect(share(needed)).toBeLessThan(0.9)
  expect(share(Math.round(needed / 2))).toBeLessThan(0.6)
})

test('of repetitions of a measured history with a threshold of 10% and more four of five runs show it too', () => {
  const random = generator(1)
  const byQuery = Map.groupBy(measuredRuns(), ({ row: { test: name, queryIndex } }) => `${name} ${queryIndex}`)
  const shares = [...byQuery.values()].flatMap((runs) => {
    const threshold = median(runs.map(({ sides }) => randomizationTest(...sides).threshold))
    const needed = repetitionsToShow(threshold, 7, 0.05)
    if (threshold < 0.1 || needed === null) return []
    const spread = runs.flatMap(({ sides }) => sides.flatMap((side) => side.map((value) => value / median(side))))
    const draw = (level: number) =>
      Array.from({ length: needed }, () => level * spread[Math.floor(random() * spread.length)]!)
    const seen = Array.from({ length: 40 }, () => randomizationTest(draw(1), draw(1.05)))
    return [seen.filter(({ difference, threshold: reached }) => difference >= reached).length / seen.length]
  })
  expect(shares).toHaveLength(26)
  expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.8)
})
