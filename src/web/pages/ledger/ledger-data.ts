import type { LedgerEntry } from '../../../ledger/entry.ts'
import type { EntryTimeline } from '../../../ledger/entry-timeline.ts'
import type { RepositoryAddress } from '../../../report/urls.ts'
import type { EntriesOfKind, FoundEntries } from '../../../store/ledger/found-entries.ts'
import { isoTime } from '../../../text/time.ts'
import { jsonInPieces, type TextInPieces } from '../../kit/text-pieces.ts'
import { type TsvColumn, tsvTable } from '../../kit/tsv.ts'
import type { LedgerView } from './ledger-view.ts'

/** The ledger for other programs. Times are ISO 8601 in UTC. */

/** All entries that the view finds, of all its pages. */
export function ledgerJson(
  { owner, repo }: RepositoryAddress,
  view: LedgerView,
  { entries, found, counts }: FoundEntries,
): TextInPieces {
  return jsonInPieces({
    schemaVersion: 1,
    repository: `${owner}/${repo}`,
    view: { ...view, page: undefined },
    states: sumBy(counts, ({ state }) => state),
    kinds: sumBy(counts, ({ kind }) => kind),
    found,
    entries: entries.map(entryData),
  })
}

/** One entry with its timeline and its latest hits. */
export function entryJson(
  { owner, repo }: RepositoryAddress,
  entry: LedgerEntry,
  timeline: EntryTimeline,
): TextInPieces {
  const { from, until, days, latest, ...known } = timeline
  return jsonInPieces({
    schemaVersion: 1,
    repository: `${owner}/${repo}`,
    entry: entryData(entry),
    timeline: {
      from: isoTime(from),
      until: isoTime(until),
      ...known,
      days: days.map(({ start, ...counts }) => ({ day: isoTime(start).slice(0, 10), ...counts })),
    },
    latestHits: latest.map((hit) => ({ ...hit, time: isoTime(hit.time) })),
  })
}

function entryData(entry: LedgerEntry) {
  return {
    ...entry,
    firstSeen: isoTime(entry.firstSeen),
    lastSeen: isoTime(entry.lastSeen),
    openedAt: isoTime(entry.openedAt),
    closedAt: isoTime(entry.closedAt),
    expiresAt: isoTime(entry.expiresAt),
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
  ['first_seen', ({ firstSeen }) => isoTime(firstSeen)],
  ['last_seen', ({ lastSeen }) => isoTime(lastSeen)],
  ['opened_at', ({ openedAt }) => isoTime(openedAt)],
  ['closed_at', ({ closedAt }) => isoTime(closedAt)],
  ['expires_at', ({ expiresAt }) => isoTime(expiresAt)],
  ['reopened', ({ reopened }) => reopened],
  ['hits_1', ({ hits1 }) => hits1],
  ['hits_7', ({ hits7 }) => hits7],
  ['hits_30', ({ hits30 }) => hits30],
  ['unrelated_pull_requests', ({ unrelatedPullRequests }) => unrelatedPullRequests],
  ['trunk_hits', ({ trunkHits }) => trunkHits],
  ['owner', ({ owner }) => owner],
  ['issue', ({ issue }) => issue],
]

export function ledgerTsv(entries: readonly LedgerEntry[]): TextInPieces {
  return tsvTable(ENTRY_COLUMNS, () => entries)
}

const DAY_COLUMNS: readonly TsvColumn<EntryTimeline['days'][number]>[] = [
  ['day', ({ start }) => isoTime(start).slice(0, 10)],
  ['pull_request_hits', ({ pullRequestHits }) => pullRequestHits],
  ['trunk_hits', ({ trunkHits }) => trunkHits],
  ['in_mass_failures', ({ inMassFailures }) => inMassFailures],
]

/** A line for each day of the timeline. */
export function entryTsv({ days }: EntryTimeline): TextInPieces {
  return tsvTable(DAY_COLUMNS, () => days)
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
