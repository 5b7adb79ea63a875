import type { EntriesOfKind, FoundEntries } from '../clickhouse/found-entries.ts'
import type { LedgerEntry } from '../ledger/entry.ts'
import type { EntryTimeline } from '../ledger/entry-timeline.ts'
import type { LedgerView } from './ledger-view.ts'
import { type TsvColumn, tsvTable } from './tsv.ts'
import type { RepositoryAddress } from './urls.ts'

/** The ledger for other programs. Times are ISO 8601 in UTC. */

/** All entries that the view finds, of all its pages. */
export function ledgerJson(
  { owner, repo }: RepositoryAddress,
  view: LedgerView,
  { entries, found, counts }: FoundEntries,
): string {
  return (
    JSON.stringify({
      schemaVersion: 1,
      repository: `${owner}/${repo}`,
      view: { ...view, page: undefined },
      states: sumBy(counts, ({ state }) => state),
      kinds: sumBy(counts, ({ kind }) => kind),
      found,
      entries: entries.map(entryData),
    }) + '\n'
  )
}

/** One entry with its timeline and its latest hits. */
export function entryJson({ owner, repo }: RepositoryAddress, entry: LedgerEntry, timeline: EntryTimeline): string {
  const { from, until, days, latest, ...known } = timeline
  return (
    JSON.stringify({
      schemaVersion: 1,
      repository: `${owner}/${repo}`,
      entry: entryData(entry),
      timeline: {
        from: iso(from),
        until: iso(until),
        ...known,
        days: days.map(({ start, ...counts }) => ({ day: iso(start)!.slice(0, 10), ...counts })),
      },
      latestHits: latest.map((hit) => ({ ...hit, time: iso(hit.time) })),
    }) + '\n'
  )
}

function entryData(entry: LedgerEntry) {
  return {
    ...entry,
    firstSeen: iso(entry.firstSeen),
    lastSeen: iso(entry.lastSeen),
    openedAt: iso(entry.openedAt),
    closedAt: iso(entry.closedAt),
    expiresAt: iso(entry.expiresAt),
  }
}

/** The columns of `ledger_entries`. */
const ENTRY_COLUMNS: readonly TsvColumn<LedgerEntry>[] = [
  ['entry_id', ({ entryId }) => entryId],
  ['kind', ({ kind }) => kind],
  ['state', ({ state }) => state],
  ['check_name', ({ checkName }) => checkName],
  ['test_name', ({ testName }) => testName],
  ['signature', ({ signature }) => signature],
  ['first_seen', ({ firstSeen }) => iso(firstSeen)],
  ['last_seen', ({ lastSeen }) => iso(lastSeen)],
  ['opened_at', ({ openedAt }) => iso(openedAt)],
  ['closed_at', ({ closedAt }) => iso(closedAt)],
  ['expires_at', ({ expiresAt }) => iso(expiresAt)],
  ['reopened', ({ reopened }) => reopened],
  ['hits_1', ({ hits1 }) => hits1],
  ['hits_7', ({ hits7 }) => hits7],
  ['hits_30', ({ hits30 }) => hits30],
  ['unrelated_pull_requests', ({ unrelatedPullRequests }) => unrelatedPullRequests],
  ['trunk_hits', ({ trunkHits }) => trunkHits],
  ['owner', ({ owner }) => owner],
  ['issue', ({ issue }) => issue],
]

export function ledgerTsv(entries: readonly LedgerEntry[]): string {
  return tsvTable(ENTRY_COLUMNS, entries)
}

const DAY_COLUMNS: readonly TsvColumn<EntryTimeline['days'][number]>[] = [
  ['day', ({ start }) => iso(start)!.slice(0, 10)],
  ['pull_request_hits', ({ pullRequestHits }) => pullRequestHits],
  ['trunk_hits', ({ trunkHits }) => trunkHits],
  ['in_mass_failures', ({ inMassFailures }) => inMassFailures],
]

/** A line for each day of the timeline. */
export function entryTsv({ days }: EntryTimeline): string {
  return tsvTable(DAY_COLUMNS, days)
}

/** How many entries there are of each. */
export function sumBy(
  counts: readonly EntriesOfKind[],
  key: (of: EntriesOfKind) => string,
): Readonly<Record<string, number>> {
  const sums = new Map<string, number>()
  for (const of of counts) sums.set(key(of), (sums.get(key(of)) ?? 0) + of.entries)
  return Object.fromEntries(sums)
}

function iso(time: number | null): string | null {
  return time === null || !Number.isFinite(time) ? null : new Date(time).toISOString()
}
