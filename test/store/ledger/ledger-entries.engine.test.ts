import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LedgerEntry } from '../../../src/judge/ledger/entry.ts'
import { openClickHouse } from '../../../src/store/client.ts'
import { type Store, storeOn } from '../../../src/store/store.ts'
import { migratedDatabase } from '../embedded/engine-fixture.ts'

let store: Store
let now = new Date()
beforeAll(async () => {
  store = storeOn(await openClickHouse(await migratedDatabase()), { now: () => now })
})
afterAll(() => store.close())

const SEEN = Date.UTC(2026, 5, 1, 12, 0, 0, 123)

function entry(changes: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    entryId: "failure||it's a \\ test|Expected <n>",
    kind: 'failure',
    state: 'open',
    testName: "it's a \\ test",
    checkName: 'Fast test',
    signature: 'Expected <n>\nü',
    firstSeen: SEEN,
    lastSeen: SEEN + 5,
    openedAt: SEEN + 10,
    closedAt: null,
    expiresAt: SEEN + 90 * 86_400_000,
    reopened: 0,
    hits1: 1,
    hits7: 2,
    hits30: 3,
    unrelatedPullRequests: 4,
    trunkHits: 5,
    owner: null,
    issue: null,
    ...changes,
  }
}

test('come back as they were saved, of their repository only', async () => {
  const mover = entry({ entryId: 'mover', kind: 'mover', owner: 'team', issue: 'https://example.com/1' })
  await store.ledger.save(1, [entry(), mover])
  const stored = await store.ledger.of(1)
  expect(stored).toHaveLength(2)
  expect(stored).toEqual(expect.arrayContaining([entry(), mover]))
  expect(await store.ledger.of(2)).toEqual([])
})

test('the newest state stands; what is closed comes last', async () => {
  const closed = entry({ state: 'closed', closedAt: SEEN + 1000, lastSeen: SEEN + 9000, reopened: 2 })
  const other = entry({ entryId: 'other', state: 'expired' })
  await store.ledger.save(3, [entry({ lastSeen: SEEN + 9000 })])
  now = new Date(now.getTime() + 1)
  await store.ledger.save(3, [closed, other])
  await store.ledger.save(3, [])
  expect(await store.ledger.of(3)).toEqual([other, closed])
})
