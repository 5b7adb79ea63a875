import { expect, test } from 'vitest'
import { randomizationTest } from '../../../src/judge/statistics/randomization-test.ts'
import { couldHide } from '../../../src/judge/verdict/could-hide.ts'
import { areSeparated, isSignificant } from '../../../src/judge/verdict/outcome.ts'
import { generator, noise } from '../statistics/change-points/noise.ts'

const NOISY = [100, 110, 90, 140, 95, 105, 100]

function isHidden(old: readonly number[], fresh: readonly number[], slowdown: number): boolean {
  const without = fresh.map((value) => value / (1 + slowdown))
  return !isSignificant({ ...randomizationTest(old, without), separated: areSeparated(old, without) })
}

test('the largest slowdown that is not ruled out is found by looking at each', () => {
  const random = generator(41)
  for (let run = 0; run < 20; run++) {
    const [old, fresh] = [noise(random, 7, 1, 0.1), noise(random, run % 2 === 0 ? 7 : 9, 1.05, 0.1)]
    const { slowdown } = couldHide({ old, new: fresh }, 0.2, 0.05)!
    expect(isHidden(old, fresh, slowdown! - 1e-5)).toBe(true)
    expect(isHidden(old, fresh, slowdown! + 1e-5)).toBe(false)
  }
})

test('of a rate it is the slowdown of what it counts', () => {
  const rate = (samples: readonly number[]) => samples.map((value) => 1 / value)
  const fresh = NOISY.map((value) => value * 1.05)
  const ofTime = couldHide({ old: NOISY, new: fresh }, 0.3, 0.05)!
  const ofRate = couldHide({ old: rate(NOISY), new: rate(fresh), better: 'higher' }, 0.3, 0.05)!
  expect(ofRate.ruledOut).toBe(ofTime.ruledOut)
  // medians of seven are the same samples; their differences are not the same fractions
  expect(Math.abs(ofRate.slowdown! - ofTime.slowdown!)).toBeLessThan(0.1)
  expect(ofRate.slowdown).toBeGreaterThan(0.1)
})

test('a side that varies tenfold cannot show any', () => {
  const wild = [1, 100, 2, 80, 3, 60, 50]
  expect(couldHide({ old: wild, new: wild }, 10, 0.05)).toMatchObject({
    slowdown: null,
    ruledOut: null,
    repetitions: null,
  })
})

test('a steady fast part rules 10% out, and two modes say nothing of it', () => {
  const fast = [100, 101, 100, 102, 101, 103, 190]
  const again = [100, 101, 101, 102, 100, 103, 210]
  expect(couldHide({ old: fast, new: again }, 0.4, 0.05)).toMatchObject({ ruledOut: 0.1 })
  const many = [100, 101, 100, 102, 101, 103, 100, 101, 102, 100, 101, 100, 102, 101]
  const spread = [...many.slice(0, 10), 115, 130, 160, 190]
  const modes = [...many.slice(0, 10), 150, 151, 151, 152]
  expect(couldHide({ old: many, new: spread }, 0.4, 0.05)).toMatchObject({ ruledOut: 0.1 })
  expect(couldHide({ old: many, new: modes }, 0.4, 0.05)).toMatchObject({ ruledOut: null })
})

test('nothing is said of too few or too many samples, of none above 0, or without a direction', () => {
  expect(couldHide({ old: [1, 2], new: [1, 2] }, 0.5, 0.05)).toBeNull()
  const many = Array.from({ length: 500 }, (_, index) => 1 + (index % 7))
  expect(couldHide({ old: many, new: many }, 0.5, 0.05)).toBeNull()
  expect(couldHide({ old: [0, 1, 2], new: [1, 2, 3] }, 0.5, 0.05)).toBeNull()
  expect(couldHide({ old: NOISY, new: NOISY, better: null }, 0.5, 0.05)).toBeNull()
})
