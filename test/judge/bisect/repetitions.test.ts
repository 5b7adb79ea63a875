import { describe, expect, test } from 'vitest'
import { median } from '../../../src/intake/measurement/median.ts'
import { FEWEST_REPETITIONS, MOST_REPETITIONS, repetitionsToSeparate } from '../../../src/judge/bisect/repetitions.ts'
import { randomizationTest } from '../../../src/judge/statistics/randomization-test.ts'
import { normalNoise } from './series-builder.ts'

const DEVIATION = 0.01
let seed = 0

/** Samples of one side at a level. */
function samples(repetitions: number, level: number): number[] {
  seed += 1
  return normalNoise(seed * 7919, repetitions, DEVIATION).map((value) => value + level - 1)
}

/** T of most runs with so many repetitions a side in which nothing changed. */
function thresholdAt(repetitions: number): number {
  const run = () => samples(repetitions, 1)
  return median(Array.from({ length: 1001 }, () => randomizationTest(run(), run()).threshold))
}

/** How often the test sees the step. */
function power(step: number, repetitions: number): number {
  let seen = 0
  for (let run = 0; run < 300; run += 1) {
    const old = samples(repetitions, 1)
    const fresh = samples(repetitions, 1 + step)
    const { difference, threshold } = randomizationTest(old, fresh)
    if (Math.abs(difference) >= threshold || Math.min(...fresh) > Math.max(...old)) seen += 1
  }
  return seen / 300
}

const threshold = thresholdAt(7)

describe('against a simulation in normal noise', () => {
  for (const step of [0.06, 0.03, 0.02, 0.015, 0.01]) {
    test(`a step of ${step * 100} times the noise is seen with what is asked for, and not with half of it`, () => {
      const needed = repetitionsToSeparate(step, threshold)!
      const seen = power(step, needed)
      expect(seen).toBeGreaterThanOrEqual(0.9)
      if (needed > FEWEST_REPETITIONS) {
        expect(seen).toBeLessThanOrEqual(0.99)
        expect(power(step, Math.max(FEWEST_REPETITIONS, Math.round(needed / 2)))).toBeLessThan(0.85)
      }
    })
  }

  test('the repetitions of the history are taken into account', () => {
    const of25 = repetitionsToSeparate(0.015, thresholdAt(25), 25)!
    const of7 = repetitionsToSeparate(0.015, threshold)!
    expect(Math.abs(of25 - of7) / of7).toBeLessThan(0.25)
  })
})

test('the more noise and the smaller the step, the more repetitions, within the bounds', () => {
  let before = FEWEST_REPETITIONS
  for (const step of [0.5, 0.2, 0.1, 0.05, 0.04, 0.03, 0.02]) {
    const needed = repetitionsToSeparate(step, 0.04) ?? MOST_REPETITIONS
    expect(needed).toBeGreaterThanOrEqual(before)
    expect(repetitionsToSeparate(-step, 0.04) ?? MOST_REPETITIONS).toBe(needed)
    expect(needed).toBeLessThanOrEqual(repetitionsToSeparate(step, 0.08) ?? MOST_REPETITIONS)
    before = needed
  }
  expect(before).toBeGreaterThan(FEWEST_REPETITIONS)
})

test('seven are enough without noise; what nobody would run is null, and so is what is no step', () => {
  expect(repetitionsToSeparate(0.05, 0)).toBe(FEWEST_REPETITIONS)
  expect(repetitionsToSeparate(0.001, 0.1)).toBeNull()
  for (const step of [0, Number.NaN, Number.POSITIVE_INFINITY]) expect(repetitionsToSeparate(step, 0.01)).toBeNull()
  for (const noiseOf of [Number.NaN, -1, Number.POSITIVE_INFINITY]) {
    expect(repetitionsToSeparate(0.1, noiseOf)).toBeNull()
  }
})
