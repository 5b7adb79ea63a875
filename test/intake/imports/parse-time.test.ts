import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTime } from '../../../src/intake/imports/parse-time.ts'

test.each<[string, string | null]>([
  ['2026-10-20 08:15:00', '2026-10-20T08:15:00.000Z'],
  ['2021-03-07T10:36:56 UTC', '2021-03-07T10:36:56.000Z'],
  ['2025-11-15T11:51:49.548396-05:00', '2025-11-15T16:51:49.548Z'],
  ['2026-10-20T08:15+0530', '2026-10-20T02:45:00.000Z'],
  ['Thu, 11 Jun 2020 22:41:07 GMT', '2020-06-11T22:41:07.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2026-02-29', null],
  ['2026-10-20 24:00:00', null],
  ['2026-10-20 08:60:00', null],
  ['2026-13-01', null],
  ['1969-12-31 23:59:59', null],
  ['2106-02-07 06:28:16', null],
  ['20 October 2026', null],
  ['12345', null],
  ['', null],
])('%j', (text, expected) => {
  const time = parseTime(text)
  expect(time === null ? null : new Date(time).toISOString()).toBe(expected)
})

test('every second that the database holds comes back, however it is written', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1_000_000_000, max: 2 ** 32 - 1 }), (seconds) => {
      const iso = new Date(seconds * 1000).toISOString()
      for (const text of [
        iso,
        iso.slice(0, 19),
        iso.slice(0, 19).replace('T', ' '),
        `${seconds}`,
        `${seconds * 1000}`,
      ]) {
        expect(parseTime(text)).toBe(seconds * 1000)
      }
    }),
  )
})
