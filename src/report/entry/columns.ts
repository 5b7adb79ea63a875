import { queryLabel } from '../../intake/measurement/run.ts'
import { queryOfHistoryKey } from '../../judge/history/query-of-history-key.ts'
import { type LastDeclaration, stateOf } from '../../judge/ledger/declaration.ts'
import type { LedgerEntry } from '../../judge/ledger/entry.ts'
import { plainText } from '../../text/markdown.ts'
import { count } from '../../text/numbers.ts'
import type { Column } from '../../text/table.ts'
import { isoTime } from '../../text/time.ts'

/** An entry of a ledger in the TSV, on a page and on a terminal; in the order of `ledger_entries`. */
export const ENTRY_COLUMNS: readonly Column<LedgerEntry>[] = [
  { key: 'entry_id', value: ({ entryId }) => entryId },
  { key: 'kind', value: ({ kind }) => kind, heading: 'Kind', text: kindWords },
  { key: 'state', value: ({ state }) => state, heading: 'State', text: ({ state }) => state },
  { key: 'check_name', value: ({ checkName }) => checkName, heading: 'Check' },
  { key: 'test_name', value: ({ testName }) => testName },
  { key: 'signature', value: ({ signature }) => signature },
  { key: 'first_seen', value: ({ firstSeen }) => isoTime(firstSeen), heading: 'First seen' },
  { key: 'last_seen', value: ({ lastSeen }) => isoTime(lastSeen), heading: 'Last seen' },
  { key: 'opened_at', value: ({ openedAt }) => isoTime(openedAt), heading: 'Opened' },
  { key: 'closed_at', value: ({ closedAt }) => isoTime(closedAt) },
  { key: 'expires_at', value: ({ expiresAt }) => isoTime(expiresAt), heading: 'Expires' },
  numberColumn('reopened', 'Reopened', ({ reopened }) => reopened),
  numberColumn('hits_1', 'Hits in 1 day', ({ hits1 }) => hits1),
  numberColumn('hits_7', '7 days', ({ hits7 }) => hits7),
  numberColumn('hits_30', '30 days', ({ hits30 }) => hits30),
  numberColumn('unrelated_pull_requests', 'Pull requests', (entry) => entry.unrelatedPullRequests),
  numberColumn('trunk_hits', 'Main branch', ({ trunkHits }) => trunkHits),
  { key: 'owner', value: ({ owner }) => owner, heading: 'Owner', text: ({ owner }) => owner ?? '' },
  { key: 'issue', value: ({ issue }) => issue, heading: 'Issue' },
]

function numberColumn(key: string, heading: string, value: (entry: LedgerEntry) => number): Column<LedgerEntry> {
  return { key, value, heading, isNumber: true, shown: count, text: (entry) => count(value(entry)) }
}

const NAME_LENGTH = 200

/** The last word of people on an entry. */
export interface EnteredByHand extends LastDeclaration {
  readonly state: ReturnType<typeof stateOf>
}

/** Null: nobody has said anything of it. */
export function enteredByHand(declaration: LastDeclaration | undefined, now: number): EnteredByHand | null {
  return declaration === undefined ? null : { ...declaration, state: stateOf(declaration, now) }
}

/** The name of an entry: its test, that of a mover with the position of its query, or the check in which no test failed. Plain text. */
export function entryLabel(entry: LedgerEntry): string {
  const mover = entry.kind === 'mover' ? queryOfHistoryKey(entry.signature) : null
  const name = mover === null ? entry.testName || entry.checkName : queryLabel({ ...mover.query, queryName: null })
  return plainText(name, NAME_LENGTH) || '(empty)'
}

/** `failure`, `failure of a check`, `mover` */
export function kindWords({ kind, testName }: LedgerEntry): string {
  return kind === 'failure' && testName === '' ? 'failure of a check' : kind
}

/** An entry with its times as texts. */
export function entryData(entry: LedgerEntry, byHand: EnteredByHand | null) {
  return {
    ...entry,
    firstSeen: isoTime(entry.firstSeen),
    lastSeen: isoTime(entry.lastSeen),
    openedAt: isoTime(entry.openedAt),
    closedAt: isoTime(entry.closedAt),
    expiresAt: isoTime(entry.expiresAt),
    byHand: byHand === null ? null : byHandData(byHand),
  }
}

function byHandData({ state, pullRequestNumber, by: { actor, reason, until, saidAt } }: EnteredByHand) {
  return { state, actor, reason, until: isoTime(until), saidAt: isoTime(saidAt), pullRequestNumber }
}
