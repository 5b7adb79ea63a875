import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Hours } from '../../../src/store/history/history-copies.ts'
import { joined, missingOf, pagesOf } from '../../../src/store/sync/hours.ts'

const stretch = fc
  .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 12 }))
  .map(([first, length]): Hours => [first, first + length])

const hoursIn = (all: readonly Hours[]) =>
  all.flatMap(([first, end]) => Array.from({ length: end - first }, (_, i) => first + i))

test('what is covered and what is missing of a stretch are all of it, and nothing twice', () => {
  fc.assert(
    fc.property(fc.array(stretch), stretch, (all, wanted) => {
      const covered = joined(all)
      expect(hoursIn(covered)).toEqual([...new Set(hoursIn(all))].toSorted((a, b) => a - b))
      for (const [i, [first]] of covered.entries()) if (i > 0) expect(first).toBeGreaterThan(covered[i - 1]![1])
      const missing = missingOf(wanted, covered)
      const known = new Set(hoursIn(covered))
      expect(hoursIn(missing.toReversed())).toEqual(hoursIn([wanted]).filter((hour) => !known.has(hour)))
    }),
  )
})

test('pages have every hour once, the newest first, and no more rows than are held unless one hour alone has them', () => {
  fc.assert(
    fc.property(stretch, fc.array(fc.nat({ max: 30 }), { minLength: 80, maxLength: 80 }), (hours, rows) => {
      const pages = pagesOf(hours, new Map(rows.entries()), 20)
      expect(hoursIn(pages.toReversed().map((page) => page.hours))).toEqual(hoursIn([hours]))
      for (const page of pages) {
        const [first, end] = page.hours
        expect(page.rows).toBe(hoursIn([page.hours]).reduce((sum, hour) => sum + rows[hour]!, 0))
        if (page.rows > 20)
          expect(end - first - hoursIn([page.hours]).filter((hour) => rows[hour] === 0).length).toBe(1)
        expect(page.parts).toBe(Math.max(1, Math.ceil(page.rows / 20)))
      }
    }),
  )
})

test('examples', () => {
  expect(missingOf([0, 10], [[2, 4]])).toEqual([
    [4, 10],
    [0, 2],
  ])
  expect(
    pagesOf(
      [0, 4],
      new Map([
        [0, 5],
        [1, 6],
        [3, 9],
      ]),
      10,
    ),
  ).toEqual([
    { hours: [2, 4], rows: 9, parts: 1 },
    { hours: [1, 2], rows: 6, parts: 1 },
    { hours: [0, 1], rows: 5, parts: 1 },
  ])
})
