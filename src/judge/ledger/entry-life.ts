import { DAY } from '../../text/time.ts'
import { type LastDeclaration, stateOf } from './declaration.ts'
import type { LedgerEntry } from './entry.ts'
import { entryIdOf } from './entry.ts'

/**
 * The life of an entry. "Quiet" is `closeAfterDays` or more without a hit; "hit" one that is newer than the entry's last.
 *
 * | state    | when                                  | becomes | with                                            |
 * | -------- | ------------------------------------- | ------- | ----------------------------------------------- |
 * | none     | chronic, not quiet                    | open    | openedAt now, expiresAt now + expireAfterDays   |
 * | none     | else                                  | none    |                                                 |
 * | open     | quiet                                 | closed  | closedAt last hit + closeAfterDays              |
 * | open     | not chronic, declaration withdrawn    | closed  | closedAt now                                    |
 * | open     | not quiet, expiresAt reached          | expired |                                                 |
 * | open     | else, chronic or not                  | open    |                                                 |
 * | expired  | quiet                                 | closed  | as above                                        |
 * | expired  | else                                  | expired |                                                 |
 * | closed   | chronic, not quiet, and a hit         | open    | same id, openedAt now, one more in `reopened`   |
 * | closed   | else                                  | closed  |                                                 |
 *
 * A failure that a person declares chronic is chronic here until the last day that was given, which is when it expires; one that
 * is declared anew is open again, whatever it was, unless it is quiet.
 *
 * It opens at one threshold and closes at another, so a failure at the edge does not come and go. An expired entry that
 * has been quiet is over and closes; the failure that comes back later is a new case with a new time to expire.
 */

/** A failure (or mover) as the rules saw it at one time. Times are milliseconds since 1970. */
export interface EntryObservation
  extends Pick<
    LedgerEntry,
    | 'kind'
    | 'testName'
    | 'checkName'
    | 'signature'
    | 'hits1'
    | 'hits7'
    | 'hits30'
    | 'unrelatedPullRequests'
    | 'trunkHits'
  > {
  /** The rules judge it chronic; what else they may say of it opens no entry. */
  readonly isChronic: boolean
  /** The first and last of the hits in the lookback; null where there are none. */
  readonly firstSeen: number | null
  readonly lastSeen: number | null
  /** Null: nobody. Left out: not looked up, what the entry says stays. */
  readonly owner?: string | null
  /** Address of an open issue. Null: there is none. Left out: not looked up. */
  readonly issue?: string | null
  /** What people have said last of it. Left out: nothing. */
  readonly declaration?: LastDeclaration
}

export interface EntrySettings {
  readonly closeAfterDays: number
  readonly expireAfterDays: number
}

/**
 * The entry after the observation, at `now`; null while there is none to keep. The same observation twice gives the same
 * entry. One that is older than what the entry knows moves `firstSeen` back where it can and changes no count; a hit from
 * a clock that is ahead counts as now.
 */
export function nextEntry(
  before: LedgerEntry | null,
  seen: EntryObservation,
  now: number,
  settings: EntrySettings,
): LedgerEntry | null {
  const lastSeen = seen.lastSeen === null ? null : Math.min(seen.lastSeen, now)
  const closeAfter = settings.closeAfterDays * DAY
  const declaredUntil = untilOf(seen, now)
  const isChronic = seen.isChronic || declaredUntil !== null
  const expiresAt = declaredUntil ?? now + settings.expireAfterDays * DAY
  const isRecent = lastSeen !== null && now - lastSeen < closeAfter

  if (before === null) {
    return isChronic && isRecent ? opened(seen, lastSeen, now, expiresAt) : null
  }
  const entry = counted(before, seen, lastSeen, now)
  if (before.state === 'closed') {
    const isBack = isChronic && isRecent && (declaredUntil !== null || lastSeen > before.lastSeen)
    if (!isBack) return entry
    return {
      ...entry,
      state: 'open',
      openedAt: now,
      closedAt: null,
      expiresAt: declaredUntil ?? Math.max(before.expiresAt, expiresAt),
      reopened: before.reopened + 1,
    }
  }
  if (now - entry.lastSeen >= closeAfter) return { ...entry, state: 'closed', closedAt: entry.lastSeen + closeAfter }
  if (declaredUntil !== null) return { ...entry, state: 'open', expiresAt: declaredUntil }
  if (seen.declaration?.kind !== 'unchronic') return agedAt(now, entry)
  if (!seen.isChronic) return { ...entry, state: 'closed', closedAt: now }
  const ownEnd = entry.openedAt + settings.expireAfterDays * DAY
  return agedAt(now, { ...entry, expiresAt: Math.min(entry.expiresAt, ownEnd) })
}

function agedAt(now: number, entry: LedgerEntry): LedgerEntry {
  return now >= entry.expiresAt ? { ...entry, state: 'expired' } : entry
}

/** The last day of a declaration that holds; null: there is none. */
function untilOf({ declaration }: EntryObservation, now: number): number | null {
  return declaration !== undefined && stateOf(declaration, now) === 'holds' ? declaration.by.until : null
}

function opened(seen: EntryObservation, lastSeen: number, now: number, expiresAt: number): LedgerEntry {
  return {
    entryId: entryIdOf(seen.kind, seen.testName, seen.signature, seen.testName === '' ? seen.checkName : null),
    kind: seen.kind,
    state: 'open',
    testName: seen.testName,
    checkName: seen.checkName,
    signature: seen.signature,
    firstSeen: Math.min(seen.firstSeen ?? lastSeen, lastSeen),
    lastSeen,
    openedAt: now,
    closedAt: null,
    expiresAt,
    reopened: 0,
    ...countsOf(seen),
    owner: seen.owner ?? null,
    issue: seen.issue ?? null,
  }
}

function countsOf(seen: EntryObservation) {
  const { hits1, hits7, hits30, unrelatedPullRequests, trunkHits } = seen
  return { hits1, hits7, hits30, unrelatedPullRequests, trunkHits }
}

/** The entry with what the observation counted, its state as it was. */
function counted(before: LedgerEntry, seen: EntryObservation, lastSeen: number | null, now: number): LedgerEntry {
  const entry = {
    ...before,
    firstSeen: Math.min(before.firstSeen, seen.firstSeen ?? before.firstSeen, lastSeen ?? before.firstSeen),
    owner: seen.owner === undefined ? before.owner : seen.owner,
    issue: seen.issue === undefined ? before.issue : seen.issue,
  }
  // No hit at all is news only once the last one has left the 30 days that are counted; until then the observation left
  // out what the entry counts: the subject's own rows, or rows that came later.
  const isOlder = lastSeen === null ? now - before.lastSeen < 30 * DAY : lastSeen < before.lastSeen
  if (isOlder) return entry
  return {
    ...entry,
    ...countsOf(seen),
    lastSeen: Math.max(before.lastSeen, lastSeen ?? before.lastSeen),
    checkName: lastSeen === null ? before.checkName : seen.checkName,
  }
}
