import type { LedgerEntry } from './entry.ts'
import { entryIdOf } from './entry.ts'
import { type EntryObservation, type EntrySettings, nextEntry } from './entry-life.ts'

/**
 * The entries of the ledger of queries that move by themselves, as they are after these observations; those that changed
 * only. The same observations again change nothing. `now` in milliseconds.
 */
export function moverEntries(
  seen: readonly EntryObservation[],
  entries: readonly LedgerEntry[],
  now: number,
  settings: EntrySettings,
): LedgerEntry[] {
  const known = new Map(entries.map((entry) => [entry.entryId, entry]))
  return seen.flatMap((one) => changedEntry(known.get(idOf(one)) ?? null, one, now, settings))
}

/** The entries of movers that nobody has met for so long that they close, or that expire. */
export function quietMovers(entries: readonly LedgerEntry[], now: number, settings: EntrySettings): LedgerEntry[] {
  return entries
    .filter(({ kind }) => kind === 'mover')
    .flatMap((entry) => {
      const { kind, testName, checkName, signature } = entry
      return changedEntry(entry, { kind, testName, checkName, signature, ...NOT_SEEN }, now, settings)
    })
}

const NOT_SEEN = {
  isChronic: false,
  firstSeen: null,
  lastSeen: null,
  hits1: 0,
  hits7: 0,
  hits30: 0,
  unrelatedPullRequests: 0,
  trunkHits: 0,
}

function idOf({ kind, testName, checkName, signature }: EntryObservation): string {
  return entryIdOf(kind, testName, signature, testName === '' ? checkName : null)
}

function changedEntry(
  before: LedgerEntry | null,
  seen: EntryObservation,
  now: number,
  settings: EntrySettings,
): LedgerEntry[] {
  const next = nextEntry(before, seen, now, settings)
  return next === null || JSON.stringify(next) === JSON.stringify(before) ? [] : [next]
}
