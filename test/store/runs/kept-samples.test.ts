import { expect, test } from 'vitest'
import type { Measurement } from '../../../src/intake/measurement/run.ts'
import { classify } from '../../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../../src/judge/verdict/thresholds.ts'
import { isTimeMemoryOrWork } from '../../../src/judge/verdict/time-memory-or-work.ts'
import { ALL_METRICS_UP_TO, keptSamples } from '../../../src/store/runs/kept-samples.ts'

function measurement(test: string, metric: string, old: readonly number[], fresh: readonly number[]): Measurement {
  return {
    test,
    queryIndex: 0,
    queryName: `SELECT '${test}'`,
    metric,
    unit: null,
    architecture: null,
    old,
    new: fresh,
    reportThreshold: null,
    rounded: false,
    problems: [],
  }
}

const SEVEN = [1, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06]
const of = (factor: number) => SEVEN.map((value) => value * factor)

/** Enough that not all is kept. */
const ballast = measurement(
  'ballast',
  'Counter',
  Array.from({ length: ALL_METRICS_UP_TO }, () => 1),
  [],
)

const measurements = [
  measurement('slower', 'my_time', of(1), of(1.2)),
  measurement('slower', 'Counter', of(1), of(1)),
  measurement('faster', 'my_time', of(1), of(0.5)),
  measurement('faster', 'Counter', of(1), of(1)),
  // T is 300% and more, so that it is unstable; and four times as slow, so that it is guarded.
  measurement('guarded', 'my_time', [1, 1, 1, 1, 9, 9, 9], [1, 1, 1, 4, 9, 9, 9]),
  measurement('guarded', 'Counter', of(1), of(1)),
  measurement('still', 'my_time', of(1), of(1)),
  measurement('still', 'Counter', of(1), of(9)),
  measurement('still', 'SelectedRows', of(1), of(1)),
]

function keptOf(all: readonly Measurement[], primaryMetric = 'my_time'): string[] {
  const isKept = keptSamples(
    all.reduce((count, { old, new: fresh }) => count + old.length + fresh.length, 0),
    classify(
      all.filter((one) => one !== ballast),
      DEFAULT_THRESHOLDS,
    ),
    primaryMetric,
  )
  return all.filter(isKept).map(({ test: name, metric }) => `${name} ${metric}`)
}

test('the guarded query of these tests is not a changed one', () => {
  const results = classify(measurements, DEFAULT_THRESHOLDS)
  const outcomeOf = (name: string) => results.find((one) => one.test === name && one.metric === 'my_time')!.outcome
  expect(['slower', 'faster', 'guarded', 'still'].map(outcomeOf)).toEqual([
    'changed',
    'changed',
    'unstable',
    'not-significant',
  ])
})

test('of a large run every metric of what is changed or guarded is kept, and of the rest time, memory and work', () => {
  expect(keptOf([...measurements, ballast])).toEqual([
    'slower my_time',
    'slower Counter',
    'faster my_time',
    'faster Counter',
    'guarded my_time',
    'guarded Counter',
    'still my_time',
    'still SelectedRows',
  ])
})

test('a counter that changed does not open its query, but the metric that decides does', () => {
  expect(keptOf([...measurements, ballast], 'Counter')).toContain('still my_time')
  expect(keptOf([...measurements, ballast], 'Counter')).not.toContain('slower my_time')
})

test('of a small run everything is kept', () => {
  expect(keptOf(measurements)).toHaveLength(measurements.length)
})

test('time, memory and work by name or unit', () => {
  expect(isTimeMemoryOrWork({ metric: 'read_rows', unit: null })).toBe(true)
  expect(isTimeMemoryOrWork({ metric: 'anything', unit: 'ms' })).toBe(true)
  expect(isTimeMemoryOrWork({ metric: 'ContextLock', unit: null })).toBe(false)
})

test('ProfileEvents by name alone: dozens of them are of a time or of bytes', () => {
  for (const metric of ['RealTimeMicroseconds', 'OSCPUVirtualTimeMicroseconds']) {
    expect(isTimeMemoryOrWork({ metric, unit: 'us' })).toBe(true)
  }
  expect(isTimeMemoryOrWork({ metric: 'SelectedBytes', unit: 'bytes' })).toBe(true)
  expect(isTimeMemoryOrWork({ metric: 'ContextLockWaitMicroseconds', unit: 'us' })).toBe(false)
  expect(isTimeMemoryOrWork({ metric: 'ArenaAllocBytes', unit: 'bytes' })).toBe(false)
})
