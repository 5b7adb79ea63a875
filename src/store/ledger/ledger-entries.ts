import { z } from 'zod'
import type { LedgerEntry } from '../../ledger/entry.ts'
import type { ClickHouse } from '../client.ts'
import { count } from '../column-values.ts'
import { readSql } from '../sql-file.ts'

const COLUMNS = readSql(new URL('./entry-columns.sql', import.meta.url))
const ENTRIES = withColumns(new URL('./ledger-entries.sql', import.meta.url))
const ENTRY = withColumns(new URL('./entry-by-id.sql', import.meta.url))

/** The statement of a file, with the columns that `storedEntry` reads. */
export function withColumns(file: URL): string {
  return readSql(file).replace('{{columns}}', () => COLUMNS)
}

export const storedEntry = z.object({
  entryId: z.string(),
  kind: z.enum(['failure', 'mover']),
  state: z.enum(['open', 'closed', 'expired']),
  testName: z.string(),
  checkName: z.string(),
  signature: z.string(),
  firstSeen: count,
  lastSeen: count,
  openedAt: count,
  closedAt: count.nullable(),
  expiresAt: count,
  reopened: z.number(),
  hits1: z.number(),
  hits7: z.number(),
  hits30: z.number(),
  unrelatedPullRequests: z.number(),
  trunkHits: z.number(),
  owner: z.string().nullable(),
  issue: z.string().nullable(),
})

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
  const rows = entries.map((entry) => entryRow(repositoryId, entry, now))
  await clickhouse.insert('ledger_entries', Object.keys(rows[0]!), rows.map(Object.values))
}

function entryRow(repositoryId: number, entry: LedgerEntry, now: Date): Record<string, unknown> {
  return {
    repository_id: repositoryId,
    entry_id: entry.entryId,
    kind: entry.kind,
    state: entry.state,
    check_name: entry.checkName.toWellFormed(),
    test_name: entry.testName.toWellFormed(),
    signature: entry.signature.toWellFormed(),
    first_seen: iso(entry.firstSeen),
    last_seen: iso(entry.lastSeen),
    opened_at: iso(entry.openedAt),
    closed_at: entry.closedAt === null ? null : iso(entry.closedAt),
    expires_at: iso(entry.expiresAt),
    reopened: entry.reopened,
    hits: entry.hits30,
    hits_1: entry.hits1,
    hits_7: entry.hits7,
    hits_30: entry.hits30,
    unrelated_pull_requests: entry.unrelatedPullRequests,
    trunk_hits: entry.trunkHits,
    owner: entry.owner,
    issue: entry.issue,
    details: '',
    updated_at: now.toISOString(),
  }
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
