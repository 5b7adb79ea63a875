import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LedgerEntry } from '../../../src/judge/ledger/entry.ts'
import { type EntryObservation, nextEntry } from '../../../src/judge/ledger/entry-life.ts'

const DAY = 86_400_000
const START = Date.UTC(2026, 4, 28)
const SETTINGS = { closeAfterDays: 14, expireAfterDays: 90 }

const seen = (changes: Partial<EntryObservation> = {}): EntryObservation => ({
  kind: 'failure',
  testName: 'a_test',
  checkName: 'Stress test (arm_tsan)',
  signature: '2508-38c6',
  isChronic: true,
  firstSeen: START - 3 * DAY,
  lastSeen: START,
  hits1: 1,
  hits7: 8,
  hits30: 8,
  unrelatedPullRequests: 7,
  trunkHits: 0,
  ...changes,
})

const next = (before: LedgerEntry | null, observation: EntryObservation, now: number) =>
  nextEntry(before, observation, now, SETTINGS)
const open = (): LedgerEntry => next(null, seen(), START)!

describe('nextEntry', () => {
  test('a chronic failure opens an entry', () => {
    expect(next(null, seen({ owner: '@storage', issue: 'https://github.com/o/r/issues/1' }), START)).toEqual({
      entryId: 'failure||a_test|2508-38c6',
      kind: 'failure',
      state: 'open',
      testName: 'a_test',
      checkName: 'Stress test (arm_tsan)',
      signature: '2508-38c6',
      firstSeen: START - 3 * DAY,
      lastSeen: START,
      openedAt: START,
      closedAt: null,
      expiresAt: START + 90 * DAY,
      reopened: 0,
      hits1: 1,
      hits7: 8,
      hits30: 8,
      unrelatedPullRequests: 7,
      trunkHits: 0,
      owner: '@storage',
      issue: 'https://github.com/o/r/issues/1',
    })
  })

  test('one that is not chronic, or was long ago, opens none', () => {
    expect(next(null, seen({ isChronic: false }), START)).toBeNull()
    expect(next(null, seen({ firstSeen: null, lastSeen: null }), START)).toBeNull()
    expect(next(null, seen(), START + 14 * DAY)).toBeNull()
    expect(next(null, seen(), START + 14 * DAY - 1)?.state).toBe('open')
  })

  test('it stays open below the threshold as long as hits come', () => {
    let entry = open()
    for (let day = 10; day <= 80; day += 10) {
      entry = next(entry, seen({ isChronic: false, lastSeen: START + day * DAY, hits30: 3 }), START + day * DAY)!
      expect(entry.state).toBe('open')
    }
    expect(entry.openedAt).toBe(START)
    expect(entry.hits30).toBe(3)
  })

  test('it closes two weeks after its last hit, not before', () => {
    expect(next(open(), seen(), START + 14 * DAY - 1)?.state).toBe('open')
    const closed = next(open(), seen(), START + 20 * DAY)!
    expect(closed).toMatchObject({ state: 'closed', closedAt: START + 14 * DAY, lastSeen: START })
    expect(next(open(), seen({ firstSeen: null, lastSeen: null }), START + 20 * DAY)?.state).toBe('closed')
  })

  test('it is opened again, not twice', () => {
    const closed = next(open(), seen(), START + 20 * DAY)!
    const back = START + 30 * DAY
    const single = next(closed, seen({ isChronic: false, lastSeen: back }), back)!
    expect(single).toMatchObject({ state: 'closed', lastSeen: back })
    const again = next(closed, seen({ firstSeen: back - DAY, lastSeen: back }), back)!
    expect(again).toMatchObject({
      entryId: closed.entryId,
      state: 'open',
      reopened: 1,
      openedAt: back,
      closedAt: null,
      expiresAt: back + 90 * DAY,
      firstSeen: START - 3 * DAY,
    })
    expect(next(again, seen({ firstSeen: back - DAY, lastSeen: back }), back)).toEqual(again)
  })

  test('an observation from before it closed does not open it again', () => {
    const closed = next(open(), seen(), START + 20 * DAY)!
    expect(next(closed, seen(), START + DAY)).toEqual(closed)
  })

  test('still failing after three months: expired, until it is over', () => {
    const day90 = START + 90 * DAY
    let entry = open()
    for (const day of [10, 20, 30, 40, 50, 60, 70, 80])
      entry = next(entry, seen({ lastSeen: START + day * DAY }), START + day * DAY)!
    expect(next(entry, seen({ lastSeen: day90 - 1 }), day90 - 1)?.state).toBe('open')
    const expired = next(entry, seen({ lastSeen: day90 }), day90)!
    expect(expired.state).toBe('expired')
    expect(next(expired, seen({ lastSeen: day90 + DAY }), day90 + DAY)?.state).toBe('expired')
    expect(next(expired, seen({ lastSeen: null, firstSeen: null }), day90 + 14 * DAY)?.state).toBe('closed')
  })

  test('an older observation moves the beginning and no count', () => {
    const entry = next(open(), seen({ lastSeen: START + 5 * DAY, hits30: 12 }), START + 5 * DAY)!
    const older = next(
      entry,
      seen({ firstSeen: START - 9 * DAY, lastSeen: START + DAY, hits30: 2, checkName: 'other' }),
      START + 5 * DAY,
    )!
    expect(older).toEqual({ ...entry, firstSeen: START - 9 * DAY })
    expect(next(entry, seen({ lastSeen: null, firstSeen: null, hits30: 0 }), START + 6 * DAY)).toEqual(entry)
  })

  test('a clock that is ahead does not keep it open', () => {
    const entry = next(null, seen({ lastSeen: START + 400 * DAY }), START)!
    expect(entry.lastSeen).toBe(START)
    expect(next(entry, seen(), START + 15 * DAY)?.state).toBe('closed')
  })

  test('one that a person declares opens and expires with the declaration; it is renewed, and ends when that is taken back', () => {
    const declared = (until: number, kind: 'chronic' | 'unchronic' = 'chronic') => {
      const by = { reason: '', until, via: 'command', actor: 'maria', actorId: 7, saidAt: START } as const
      const { testName, checkName, signature } = seen()
      const failure = { testName, checkName, signature, issue: null }
      return seen({ isChronic: false, declaration: { kind, by, failure, pullRequestNumber: 4 } })
    }
    const entry = next(null, declared(START + 2 * DAY), START)!
    expect(entry).toMatchObject({ state: 'open', expiresAt: START + 2 * DAY })
    const expired = next(entry, declared(START + 2 * DAY), START + 3 * DAY)!
    expect(expired.state).toBe('expired')
    const renewed = next(expired, declared(START + 9 * DAY), START + 3 * DAY)!
    expect(renewed).toMatchObject({ state: 'open', openedAt: START, expiresAt: START + 9 * DAY })
    const ended = next(renewed, declared(0, 'unchronic'), START + 4 * DAY)!
    expect(ended).toMatchObject({ state: 'closed', closedAt: START + 4 * DAY })
    expect(next(ended, declared(START + 9 * DAY), START + 5 * DAY)).toMatchObject({ state: 'open', reopened: 1 })
    const chronicToo = { ...declared(0, 'unchronic'), isChronic: true }
    expect(next({ ...renewed, expiresAt: START + 300 * DAY }, chronicToo, START + 4 * DAY)).toMatchObject({
      state: 'open',
      expiresAt: START + 90 * DAY,
    })
  })

  test('owner and issue stay where nobody looked, and go where nobody is', () => {
    const entry = next(null, seen({ owner: '@a', issue: 'https://x/1' }), START)!
    expect(next(entry, seen(), START)).toMatchObject({ owner: '@a', issue: 'https://x/1' })
    expect(next(entry, seen({ owner: null, issue: null }), START)).toMatchObject({ owner: null, issue: null })
  })
})

describe('whatever is observed, in whatever order', () => {
  const observation = fc
    .record({
      isChronic: fc.boolean(),
      first: fc.nat(200),
      length: fc.nat(30),
      hits: fc.nat(20),
      none: fc.boolean(),
    })
    .map(({ isChronic, first, length, hits, none }) =>
      seen({
        isChronic,
        firstSeen: none ? null : START + first * DAY,
        lastSeen: none ? null : START + (first + length) * DAY,
        hits30: hits,
      }),
    )
  const step = fc.record({ observation, day: fc.nat(260) })

  const REACHABLE: Readonly<Record<string, readonly string[]>> = {
    none: ['none', 'open'],
    open: ['open', 'closed', 'expired'],
    expired: ['expired', 'closed'],
    closed: ['closed', 'open'],
  }

  test('states change as the table says, the beginning never moves forward, twice is once', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let entry: LedgerEntry | null = null
        for (const { observation: one, day } of steps) {
          const now = START + day * DAY
          const before: LedgerEntry | null = entry
          const after = next(before, one, now)
          expect(REACHABLE[before?.state ?? 'none']).toContain(after?.state ?? 'none')
          expect(next(after, one, now)).toEqual(after)
          if (before !== null && after !== null) {
            expect(after.entryId).toBe(before.entryId)
            expect(after.firstSeen).toBeLessThanOrEqual(before.firstSeen)
            expect(after.lastSeen).toBeGreaterThanOrEqual(before.lastSeen)
            expect(after.reopened - before.reopened).toBe(before.state === 'closed' && after.state === 'open' ? 1 : 0)
          }
          if (after !== null) {
            expect(after.firstSeen).toBeLessThanOrEqual(after.lastSeen)
            expect(after.closedAt === null).toBe(after.state !== 'closed')
          }
          entry = after
        }
      }),
      { numRuns: 300 },
    )
  })
})
