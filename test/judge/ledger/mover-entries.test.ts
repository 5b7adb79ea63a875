import { expect, test } from 'vitest'
import type { EntryObservation } from '../../../src/judge/ledger/entry-life.ts'
import { moverEntries, quietMovers } from '../../../src/judge/ledger/mover-entries.ts'

const DAY = 86_400_000
const NOW = Date.parse('2026-11-20T10:00:00.000Z')
const settings = { closeAfterDays: 14, expireAfterDays: 90 }

const seen: EntryObservation = {
  kind: 'mover',
  testName: 'sum',
  checkName: 'perf arm',
  signature: '["sum","arm"]',
  isChronic: true,
  firstSeen: NOW - DAY,
  lastSeen: NOW,
  hits1: 1,
  hits7: 2,
  hits30: 2,
  unrelatedPullRequests: 1,
  trunkHits: 14,
}

test('a chronic mover has one entry, and seen again the same one', () => {
  const [entry, ...others] = moverEntries([seen], [], NOW, settings)
  expect(others).toEqual([])
  expect(entry).toMatchObject({ kind: 'mover', state: 'open', testName: 'sum', trunkHits: 14, hits7: 2 })
  expect(moverEntries([seen], [entry!], NOW + 1000, settings)).toEqual([])
  const later = { ...seen, lastSeen: NOW + DAY, trunkHits: 15 }
  const [again] = moverEntries([later], [entry!], NOW + DAY, settings)
  expect(again).toMatchObject({ entryId: entry!.entryId, lastSeen: NOW + DAY, trunkHits: 15, openedAt: NOW })
  expect(moverEntries([{ ...seen, isChronic: false }], [], NOW, settings)).toEqual([])
})

test('it closes when nobody has met it for two weeks, and a failure’s entry is left alone', () => {
  const [entry] = moverEntries([seen], [], NOW, settings)
  expect(quietMovers([entry!], NOW + 13 * DAY, settings)).toEqual([])
  const failure = { ...entry!, kind: 'failure' as const }
  const [closed, ...others] = quietMovers([entry!, failure], NOW + 15 * DAY, settings)
  expect(others).toEqual([])
  expect(closed).toMatchObject({ kind: 'mover', state: 'closed', closedAt: NOW + 14 * DAY, trunkHits: 14 })
})
