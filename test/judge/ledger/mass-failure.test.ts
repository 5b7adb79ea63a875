import { expect, test } from 'vitest'
import { hoursHolding, massFailuresHolding } from '../../../src/judge/ledger/mass-failure.ts'
import { CHECK, HOUR, massFailure } from './values.ts'

const at = (hours: number) => massFailure(hours * HOUR)
const failed = (hours: number, changes = {}) => ({
  testName: 'a_test',
  checkName: CHECK,
  time: hours * HOUR,
  ...changes,
})

test('an hour holds its first millisecond, and not the first of the next', () => {
  expect(massFailuresHolding(failed(10), [at(10)])).toHaveLength(1)
  expect(massFailuresHolding(failed(11, { time: 11 * HOUR - 1 }), [at(10)])).toHaveLength(1)
  expect(massFailuresHolding(failed(10, { time: 10 * HOUR - 1 }), [at(10)])).toEqual([])
  expect(massFailuresHolding(failed(11), [at(10)])).toEqual([])
})

test('a time is in both hours that overlap there', () => {
  expect(massFailuresHolding(failed(10.6), [at(10), at(10.5), at(11)])).toEqual([at(10), at(10.5)])
})

test('another test of that hour is no part of it', () => {
  expect(massFailuresHolding(failed(10, { testName: 'bystander' }), [at(10)])).toEqual([])
})

test('a name with a random id is the test of it', () => {
  const mass = massFailure(10 * HOUR, { testNames: new Set(['test_write[<UUID>]']) })
  const testName = 'test_write[20012170-d418-f7af-25b7-501ac9c1ffef]'
  expect(massFailuresHolding(failed(10, { testName }), [mass])).toEqual([mass])
  expect(massFailuresHolding(failed(10, { testName: 'test_write[utc]' }), [mass])).toEqual([])
})

test('of a longer window the check counts as well', () => {
  const day = massFailure(0, { hours: 24, checkName: CHECK })
  expect(massFailuresHolding(failed(23.9), [day])).toEqual([day])
  expect(massFailuresHolding(failed(24), [day])).toEqual([])
  expect(massFailuresHolding(failed(23.9, { checkName: 'Fast test' }), [day])).toEqual([])
})

test('a check without a failing test is a part where such ones are', () => {
  const alone = failed(10, { testName: '' })
  expect(massFailuresHolding(alone, [at(10)])).toEqual([])
  const withChecks = massFailure(10 * HOUR, { checkNames: new Set([CHECK]) })
  expect(massFailuresHolding(alone, [withChecks])).toEqual([withChecks])
})

test('the fewest hours that hold all', () => {
  const hours = [at(10), at(10.5), at(11), at(20), massFailure(48 * HOUR, { hours: 24, checkName: CHECK })]
  const holding = (...times: readonly number[]) =>
    hoursHolding(
      times.map((time) => failed(time)),
      hours,
    )
  expect(holding()).toBe(0)
  expect(holding(10.6, 10.7, 11.4)).toBe(1)
  expect(holding(10.1, 10.6)).toBe(1)
  expect(holding(10.1, 10.6, 11.4)).toBe(2)
  expect(holding(20.5, 10.6)).toBe(2)
  expect(holding(49, 60, 10.6)).toBe(25)
  expect(holding(15)).toBe(0)
})
