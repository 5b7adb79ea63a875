import { expect, test } from 'vitest'
import type { Measurement } from '../../../src/measurement/run.ts'
import { bimodal } from '../../../src/verdict/evidence/bimodal.ts'

const oneMode = [13.0, 13.1, 13.4, 13.2, 13.3, 13.1, 13.2]
const twoModes = [13.0, 13.1, 13.2, 13.1, 18.0, 18.1, 18.2]
const slowerModes = twoModes.map((value) => value * 2)

function measured(old: number[], fresh: number[]): Measurement {
  return {
    test: 'order_by_read',
    queryIndex: 1,
    queryName: null,
    metric: 'client_time',
    unit: 's',
    architecture: 'arm',
    old,
    new: fresh,
    reportThreshold: null,
    rounded: false,
    problems: [],
  }
}

test('the modes of the side that has them, and how many repetitions are in each', () => {
  expect(bimodal(measured(oneMode, twoModes))).toEqual({
    kind: 'bimodal',
    architecture: 'arm',
    side: 'new',
    modes: [
      { median: 13.1, samples: 4 },
      { median: 18.1, samples: 3 },
    ],
  })
  expect(bimodal(measured(twoModes, oneMode))?.side).toBe('old')
})

test('with two modes on both sides those of the new one are shown', () => {
  expect(bimodal(measured(twoModes, slowerModes))).toMatchObject({ side: 'both', modes: [{ median: 26.2 }, {}] })
})

test('one slow repetition is no mode', () => {
  expect(bimodal(measured(oneMode, [...oneMode.slice(1), 18]))).toBeNull()
})
