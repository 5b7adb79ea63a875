import { expect, test } from 'vitest'
import { hoursHolding, massFailuresAt } from '../../src/ledger/mass-failure.ts'
import { HOUR } from './values.ts'

const at = (hours: number) => ({ start: hours * HOUR, tests: 20, pullRequests: 6 })

test('an hour holds its first millisecond, and not the first of the next', () => {
  expect(massFailuresAt(10 * HOUR, [at(10)])).toHaveLength(1)
  expect(massFailuresAt(11 * HOUR - 1, [at(10)])).toHaveLength(1)
  expect(massFailuresAt(10 * HOUR - 1, [at(10)])).toEqual([])
  expect(massFailuresAt(11 * HOUR, [at(10)])).toEqual([])
})

test('a time is in both hours that overlap there', () => {
  expect(massFailuresAt(10.6 * HOUR, [at(10), at(10.5), at(11)])).toEqual([at(10), at(10.5)])
})

test('the fewest hours that hold all', () => {
  const hours = [at(10), at(10.5), at(11), at(20)]
  expect(hoursHolding([], hours)).toBe(0)
  expect(
    hoursHolding(
      [10.6, 10.7, 11.4].map((h) => h * HOUR),
      hours,
    ),
  ).toBe(1)
  expect(
    hoursHolding(
      [10.1, 10.6].map((h) => h * HOUR),
      hours,
    ),
  ).toBe(1)
  expect(
    hoursHolding(
      [10.1, 10.6, 11.4].map((h) => h * HOUR),
      hours,
    ),
  ).toBe(2)
  expect(
    hoursHolding(
      [20.5, 10.6].map((h) => h * HOUR),
      hours,
    ),
  ).toBe(2)
  expect(
    hoursHolding(
      [15].map((h) => h * HOUR),
      hours,
    ),
  ).toBe(0)
})
