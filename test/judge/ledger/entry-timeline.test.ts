import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { entryDays, TIMELINE_DAYS, timelineStart } from '../../../src/judge/ledger/entry-timeline.ts'
import { CHECK, DAY, HOUR, massFailure } from './values.ts'

const UNTIL = Date.UTC(2026, 10, 20, 15, 4)
const MIDNIGHT = Date.UTC(2026, 10, 20)

test('each day once, the last one the day of the end, and what is outside of them nowhere', () => {
  const days = entryDays(
    'a_test',
    [
      { checkName: CHECK, start: timelineStart(UNTIL) - 1_800_000, isTrunk: false, hits: 100 },
      { checkName: CHECK, start: timelineStart(UNTIL), isTrunk: false, hits: 1 },
      { checkName: CHECK, start: MIDNIGHT - 1_800_000, isTrunk: true, hits: 2 },
      { checkName: CHECK, start: MIDNIGHT, isTrunk: false, hits: 4 },
      { checkName: CHECK, start: MIDNIGHT + 10 * HOUR, isTrunk: false, hits: 3 },
    ],
    [],
    UNTIL,
  )
  expect(days).toHaveLength(TIMELINE_DAYS)
  expect(days[0]).toEqual({
    start: Date.UTC(2026, 7, 23),
    pullRequestHits: 1,
    trunkHits: 0,
    inMassFailures: 0,
  })
  expect(days.at(-2)).toEqual({ start: MIDNIGHT - DAY, pullRequestHits: 0, trunkHits: 2, inMassFailures: 0 })
  expect(days.at(-1)).toEqual({ start: MIDNIGHT, pullRequestHits: 7, trunkHits: 0, inMassFailures: 0 })
})

test('the two half hours of a mass failure are no hits, the one after it is', () => {
  const start = MIDNIGHT + 10 * HOUR
  const halfHours = [0, 1, 2].map((index) => ({
    checkName: CHECK,
    start: start + index * 1_800_000,
    isTrunk: false,
    hits: 10 ** index,
  }))
  const days = entryDays('a_test', halfHours, [massFailure(start)], UNTIL)
  expect(days.at(-1)).toMatchObject({ pullRequestHits: 100, inMassFailures: 11 })
})

test('no hit within the days is lost or told twice', () => {
  const halfHour = fc.record({
    checkName: fc.constantFrom(CHECK, 'Fast test'),
    start: fc.integer({ min: 0, max: TIMELINE_DAYS * 48 - 1 }).map((n) => timelineStart(UNTIL) + n * 1_800_000),
    isTrunk: fc.boolean(),
    hits: fc.integer({ min: 1, max: 1000 }),
  })
  fc.assert(
    fc.property(fc.array(halfHour), fc.array(halfHour), (halfHours, mass) => {
      const days = entryDays(
        'a_test',
        halfHours,
        mass.map(({ start }) => massFailure(start)),
        UNTIL,
      )
      const told = days.reduce((sum, day) => sum + day.pullRequestHits + day.trunkHits + day.inMassFailures, 0)
      expect(told).toBe(halfHours.reduce((sum, { hits }) => sum + hits, 0))
    }),
  )
})
