import { z } from 'zod'
import type { LedgerEntry } from '../../judge/ledger/entry.ts'
import type { ClickHouse } from '../client.ts'
import { readSql } from '../sql-file.ts'
import {
  columnOf,
  dateTime64,
  few,
  insertInto,
  nullable,
  readAs,
  reading,
  string,
  table,
  uint32,
  uint64,
} from '../table.ts'

/** The table `ledger_entries`: declared, read and written. */

const COLUMNS = readSql(new URL('./entry-columns.sql', import.meta.url))
const ENTRIES = withColumns(new URL('./ledger-entries.sql', import.meta.url))
const ENTRY = withColumns(new URL('./entry-by-id.sql', import.meta.url))

/** The statement of a file, with the columns that `storedEntry` reads. */
export function withColumns(file: URL): string {
  return readSql(file).replace('{{columns}}', () => COLUMNS)
}

export interface EntryRow {
  readonly repositoryId: number
  readonly entry: LedgerEntry
  readonly updatedAt: Date
}

const column = columnOf<EntryRow>()

export const LEDGER_ENTRIES = table('ledger_entries', {
  repository_id: column(uint64, ({ repositoryId }) => repositoryId),
  entry_id: column(string, ({ entry }) => entry.entryId),
  kind: column(readAs(few(string), z.enum(['failure', 'mover'])), ({ entry }) => entry.kind),
  state: column(readAs(few(string), z.enum(['open', 'closed', 'expired'])), ({ entry }) => entry.state),
  check_name: column(few(string), ({ entry }) => entry.checkName),
  test_name: column(string, ({ entry }) => entry.testName),
  signature: column(string, ({ entry }) => entry.signature),
  first_seen: column(dateTime64, ({ entry }) => entry.firstSeen),
  last_seen: column(dateTime64, ({ entry }) => entry.lastSeen),
  opened_at: column(dateTime64, ({ entry }) => entry.openedAt),
  closed_at: column(nullable(dateTime64), ({ entry }) => entry.closedAt),
  expires_at: column(dateTime64, ({ entry }) => entry.expiresAt),
  reopened: column(uint32, ({ entry }) => entry.reopened),
  hits: column(uint32, ({ entry }) => entry.hits30),
  hits_1: column(uint32, ({ entry }) => entry.hits1),
  hits_7: column(uint32, ({ entry }) => entry.hits7),
  hits_30: column(uint32, ({ entry }) => entry.hits30),
  unrelated_pull_requests: column(uint32, ({ entry }) => entry.unrelatedPullRequests),
  trunk_hits: column(uint32, ({ entry }) => entry.trunkHits),
  owner: column(nullable(string), ({ entry }) => entry.owner),
  issue: column(nullable(string), ({ entry }) => entry.issue),
  details: column(string, () => ''),
  updated_at: column(dateTime64, ({ updatedAt }) => updatedAt),
})

/** A row of every statement that selects the columns of `entry-columns.sql`. */
export const storedEntry = reading(
  LEDGER_ENTRIES,
  'entry_id',
  'kind',
  'state',
  'test_name',
  'check_name',
  'signature',
  'first_seen',
  'last_seen',
  'opened_at',
  'closed_at',
  'expires_at',
  'reopened',
  'hits_1',
  'hits_7',
  'hits_30',
  'unrelated_pull_requests',
  'trunk_hits',
  'owner',
  'issue',
)

export async function selectEntries(clickhouse: ClickHouse, repositoryId: number): Promise<LedgerEntry[]> {
  return await clickhouse.read('ledger-entries', ENTRIES, { repositoryId }, storedEntry)
}

/** Null where there is none of that id. */
export async function selectEntry(
  clickhouse: ClickHouse,
  repositoryId: number,
  entryId: string,
): Promise<LedgerEntry | null> {
  const [entry] = await clickhouse.read('entry-by-id', ENTRY, { repositoryId, entryId }, storedEntry)
  return entry ?? null
}

export async function insertEntries(
  clickhouse: ClickHouse,
  repositoryId: number,
  entries: readonly LedgerEntry[],
  now: Date,
): Promise<void> {
  if (entries.length === 0) return
  const rows = entries.map((entry) => ({ repositoryId, entry, updatedAt: now }))
  await insertInto(clickhouse, LEDGER_ENTRIES, rows)
}
