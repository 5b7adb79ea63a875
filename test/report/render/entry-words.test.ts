import { expect, test } from 'vitest'
import type { EntryFacts } from '../../../src/judge/ledger/failure.ts'
import {
  expiredWords,
  firstHit,
  knownSince,
  latestHitsWords,
  reopenedWords,
} from '../../../src/report/render/entry-words.ts'
import { chronic, DAY, FAILED_AT } from './failing-tests-builder.ts'

const entry = (changes: Partial<EntryFacts> = {}): EntryFacts => ({
  state: 'open',
  firstSeen: FAILED_AT - 20 * DAY,
  openedAt: FAILED_AT - 19 * DAY,
  expiresAt: FAILED_AT + 71 * DAY,
  reopened: 0,
  hits1: 1,
  hits7: 1200,
  ...changes,
})
const known = (firstSeen: number | null, kept: EntryFacts | null) =>
  chronic('a', 'check', [3, 3, 0], { firstSeen, entry: kept })

test('what is older than the lookback is another fact than the first hit that was counted', () => {
  const [within, before] = [FAILED_AT - 29 * DAY, FAILED_AT - 31 * DAY]
  const both = (firstSeen: number | null, kept: EntryFacts | null) => {
    const judged = known(firstSeen, kept)
    return [firstHit(judged, 30), knownSince(judged, 30)]
  }
  expect(both(within, null)).toEqual([within, null])
  expect(both(within, entry({ firstSeen: before }))).toEqual([within, before])
  // The entry may know the pull request's own failure; within the lookback only the counted hits are told.
  expect(both(within, entry({ firstSeen: within - DAY / 2 }))).toEqual([within, null])
  expect(both(before, null)).toEqual([null, before])
  expect(both(null, entry())).toEqual([null, null])
  expect(both(null, entry({ firstSeen: Number.NaN }))).toEqual([null, null])
})

test('an entry that expired or came back', () => {
  const words = (kept: EntryFacts | null) => {
    const judged = known(null, kept)
    return [expiredWords(judged), reopenedWords(judged)].map((text) => text?.replaceAll('\u00a0', ' ') ?? null)
  }
  expect(words(null)).toEqual([null, null])
  expect(words(entry())).toEqual([null, null])
  expect(words(entry({ state: 'expired', expiresAt: Date.UTC(2026, 4, 21) }))).toEqual([
    'its entry expired on May 21, but it still fails',
    null,
  ])
  expect(words(entry({ reopened: 1, openedAt: FAILED_AT - 3 * DAY }))[1]).toBe('back since Jun 21 after being closed')
  expect(words(entry({ reopened: 3 }))[1]).toBe('back since Jun 5 after being closed 3 times')
})

test('its latest hits', () => {
  expect(latestHitsWords(entry())).toBe('1 hit in 1 day, 1,200 in 7 days')
})
