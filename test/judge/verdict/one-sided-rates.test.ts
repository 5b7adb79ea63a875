import { expect, test } from 'vitest'
import { recordedSuites } from '../../../bench/one-sided/histories.ts'
import { studentQuantile } from '../../../bench/one-sided/other-rules.ts'
import { ratesOf, simulatedSuite } from '../../../bench/one-sided.ts'

/** A sample of the figures of docs/benchmarks.md. */

test('two jobs that change nothing are not called slower, and a planted slowdown is found where the noise lets it', () => {
  const quiet = ratesOf(simulatedSuite('1%', 0.01, 12, 30, 7))
  expect(quiet.slower).toEqual({ 1: 0, 1.1: quiet.judged, 1.2: quiet.judged, 1.5: quiet.judged, 2: quiet.judged })
  const usual = ratesOf(simulatedSuite('3%', 0.03, 12, 30, 8))
  expect(usual.slower[1]).toBe(0)
  expect(usual.slower[1.5]! / usual.judged).toBeGreaterThan(0.95)
  const wild = ratesOf(simulatedSuite('10%', 0.1, 12, 30, 9))
  expect(wild.slower[1]).toBe(0)
  expect(wild.slower[1.1]! / wild.judged).toBeLessThan(0.05)
  expect(wild.ratio110 / wild.judged).toBeGreaterThan(0.1)
})

test('the recorded histories of single benchmarks have no false one', () => {
  const suites = recordedSuites(new URL('../../data/', import.meta.url)).filter(({ name }) =>
    name.startsWith('conbench'),
  )
  const rates = suites.map(ratesOf)
  expect(rates.map(({ judged }) => judged)).toEqual([15, 15, 6, 4, 12])
  expect(rates.map(({ slower }) => slower[1])).toEqual([0, 0, 0, 0, 0])
})

test('the quantile of the t-test is that of the tables', () => {
  expect([1, 2, 19, 63].map((degrees) => studentQuantile(degrees).toFixed(3))).toEqual([
    '31.821',
    '6.965',
    '2.539',
    '2.387',
  ])
})
