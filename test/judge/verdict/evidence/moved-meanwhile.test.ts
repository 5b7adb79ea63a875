import { expect, test } from 'vitest'
import type { Measurement } from '../../../../src/intake/measurement/run.ts'
import { classify } from '../../../../src/judge/verdict/classify.ts'
import { movedMeanwhile } from '../../../../src/judge/verdict/evidence/moved-meanwhile.ts'
import { DEFAULT_THRESHOLDS } from '../../../../src/judge/verdict/thresholds.ts'

const SAMPLES = [1, 1.001, 1.002, 1.003, 0.999, 0.998, 0.997]

interface One {
  readonly suite: string
  /** The new side’s factor. */
  readonly by: number
}

/** Benchmarks in the order of measurement, each with its samples side by side or, in turns, one of each round. */
function measured(all: readonly One[], rounds = false): Measurement[] {
  return all.map(({ suite, by }, index) => {
    const places = SAMPLES.map((_, at) => (rounds ? at * all.length + index : index * SAMPLES.length + at))
    return {
      test: suite,
      queryIndex: null,
      queryName: `B${index}`,
      metric: 'time',
      unit: 's',
      architecture: null,
      old: SAMPLES,
      new: SAMPLES.map((sample) => sample * by),
      reportThreshold: null,
      rounded: false,
      problems: [],
      taken: { old: { places }, new: { places } },
    }
  })
}

function doubtedIn(all: readonly One[], rounds = false): number {
  const measurements = measured(all, rounds)
  const byName = new Map(measurements.map((measurement) => [measurement.queryName, measurement]))
  const results = classify(measurements, DEFAULT_THRESHOLDS)
  return movedMeanwhile(results.map((result) => ({ result, measurement: byName.get(result.queryName)! }))).size
}

const many = (count: number, of: number, suites: number): One[] =>
  Array.from({ length: of }, (_, index) => ({ suite: `s${index % suites}`, by: index < count ? 1.2 : 1 }))

test.each([
  ['9 of 40 rows in two suites', many(9, 40, 2), 9],
  ['8 of 40, a fifth', many(8, 40, 2), 0],
  ['30 of 40 in one suite', many(30, 40, 1), 0],
  ['8 of 19: too few were compared', many(8, 19, 2), 0],
] as const)('%s', (_, all, expected) => {
  expect(doubtedIn(all)).toBe(expected)
})

const signs = (...by: readonly number[]): One[] => [
  ...by.map((factor, index) => ({ suite: `s${index}`, by: factor })),
  ...Array.from({ length: 100 }, (_, index) => ({ suite: `quiet${index}`, by: 1 })),
]

test('suites that are slower and then suites that are faster', () => {
  expect(doubtedIn(signs(1.2, 1.2, 1.2, 1.2, 1.2, 0.8, 0.8, 0.8, 0.8, 0.8))).toBe(10)
  expect(doubtedIn(signs(1.2, 1.2, 1.2, 1.2, 0.8, 0.8, 0.8, 0.8))).toBe(0)
  expect(doubtedIn(signs(1.2, 0.8, 1.2, 1.2, 0.8, 1.2, 0.8, 0.8, 1.2, 0.8))).toBe(0)
})

test('a suite has one sign, however many of its rows changed', () => {
  const ofTwoSuites = [
    ...Array.from({ length: 6 }, () => ({ suite: 'a', by: 1.2 })),
    ...Array.from({ length: 6 }, () => ({ suite: 'b', by: 0.8 })),
    ...Array.from({ length: 100 }, () => ({ suite: 'quiet', by: 1 })),
  ]
  expect(doubtedIn(ofTwoSuites)).toBe(0)
})

test('what was measured in rounds is in both sides', () => {
  expect(doubtedIn(many(30, 40, 2), true)).toBe(0)
})
