import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { OccurrenceCounter } from '../../../src/store/checks/occurrences.ts'
import { checkRow } from './check-rows.ts'

test('counts equal rows as a plain map does, in whatever order they come', () => {
  const anyRow = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('OK', 'FAIL'), fc.nat({ max: 2 }))
  fc.assert(
    fc.property(fc.array(anyRow, { maxLength: 200 }), (rows) => {
      const counter = new OccurrenceCounter()
      const plain = new Map<string, number>()
      for (const [testName, testStatus, time] of rows) {
        const key = JSON.stringify([testName, testStatus, time])
        expect(counter.next(checkRow({ testName, testStatus }), time)).toBe(plain.get(key) ?? 0)
        plain.set(key, (plain.get(key) ?? 0) + 1)
      }
    }),
  )
})

test('a million different rows are different, and an equal one that came not long before is known', () => {
  const counter = new OccurrenceCounter()
  const row = checkRow()
  let wrong = 0
  for (let time = 0; time < 1_000_000; time += 1) wrong += counter.next(row, time)
  expect(wrong).toBe(0)
  expect(counter.next(row, 600_000)).toBe(1)
  expect(counter.next(row, 999_999)).toBe(1)
  expect(counter.next(row, 999_999)).toBe(2)
})
