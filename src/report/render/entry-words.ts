import type { EntryFacts, JudgedFailure } from '../../judge/ledger/failure.ts'
import { count, counted, day } from '../../text/numbers.ts'
import { commit, type Phrase, phrase, time } from '../../text/phrase.ts'
import { DAY } from '../../text/time.ts'

/** Clauses about what the ledger has kept of a failure, the same for the comment and the pages. */

/** The first hit within the lookback, which the counts are of; null where there is none. Milliseconds. */
export function firstHit({ failure, firstSeen }: JudgedFailure, lookbackDays: number): number | null {
  return firstSeen === null || firstSeen < failure.time - lookbackDays * DAY ? null : firstSeen
}

/** When it was first seen, where that is before the lookback: another time than the counts are of. Milliseconds. */
export function knownSince({ failure, firstSeen, entry }: JudgedFailure, lookbackDays: number): number | null {
  const first = Math.min(firstSeen ?? Infinity, entry?.firstSeen ?? Infinity)
  return first < failure.time - lookbackDays * DAY ? first : null
}

/** `known since Nov 3, 2025`: a clause where `knownSince` has a time. */
export function knownSincePhrase(judged: JudgedFailure, lookbackDays: number): Phrase | null {
  const since = knownSince(judged, lookbackDays)
  return since === null ? null : phrase`known since ${time(since, judged.failure.time)}`
}

/** `first bad trunk commit 1a2b3c4`, `last trunk pass 5d6e7f8 (Jun 20)`: the clauses of those that are known. */
export function trunkCommitPhrases({ lastTrunkPass, firstBadTrunkCommit, failure }: JudgedFailure): Phrase[] {
  return [
    ...(firstBadTrunkCommit === null
      ? []
      : [phrase`first bad commit on the main branch ${commit(firstBadTrunkCommit)}`]),
    ...(lastTrunkPass === null
      ? []
      : [
          phrase`last pass on the main branch ${commit(lastTrunkPass.commitSha)} (${time(lastTrunkPass.time, failure.time)})`,
        ]),
  ]
}

/** `its entry expired on Jun 1 and it still fails`; null while it has not. */
export function expiredWords({ entry, failure }: JudgedFailure): string | null {
  if (entry?.state !== 'expired') return null
  return `its entry expired on ${day(entry.expiresAt, failure.time)}, but it still fails`
}

/** `back since Jun 20 after it was closed`; null for one that has never been closed. */
export function reopenedWords({ entry, failure }: JudgedFailure): string | null {
  if (entry === null || entry === undefined || entry.reopened === 0) return null
  const often = entry.reopened === 1 ? '' : ` ${count(entry.reopened)} times`
  return `back since ${day(entry.openedAt, failure.time)} after being closed${often}`
}

/** `2 hits in 1 day, 9 in 7 days`, by the entry: of all pull requests, when it was last brought up to date. */
export function latestHitsWords({ hits1, hits7 }: EntryFacts): string {
  return `${counted(hits1, 'hit', 'hits')} in 1 day, ${count(hits7)} in 7 days`
}
