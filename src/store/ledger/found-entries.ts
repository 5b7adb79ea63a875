import { z } from 'zod'
import type { LedgerEntry } from '../../judge/ledger/entry.ts'
import type { ClickHouse } from '../client.ts'
import { count } from '../column-values.ts'
import { readSql } from '../sql-file.ts'
import { storedEntry, withColumns } from './ledger-entries.ts'

/** Searches, sorts and pages the entries of a ledger in the database. */

const FOUND = readSql(new URL('./entries-found.sql', import.meta.url))
const LIST = withColumns(new URL('./entry-list.sql', import.meta.url)).replace('{{found}}', () => FOUND)
const COUNTS = readSql(new URL('./entry-counts.sql', import.meta.url)).replace('{{found}}', () => FOUND)

export const ENTRY_SORTS = [
  'worst',
  'test',
  'check',
  'hits-1',
  'hits-7',
  'hits-30',
  'pull-requests',
  'trunk',
  'first-seen',
  'last-seen',
  'opened',
  'expires',
  'reopened',
  'owner',
] as const
export type EntrySort = (typeof ENTRY_SORTS)[number]

export interface EntriesWanted {
  /** Part of the test, check or signature, without regard to case; null: all. */
  readonly text: string | null
  readonly kind: LedgerEntry['kind'] | null
  readonly state: LedgerEntry['state'] | null
  readonly owner: string | null
  /**
   * `worst`: expired, open, closed; within these the most hits in 7 days, then the most pull requests. Numbers stand
   * largest first, names in their order, `first-seen`, `opened` and `expires` the earliest first.
   */
  readonly sort: EntrySort
  readonly reverse: boolean
  /** 1-based; a page after the last one is the last one. */
  readonly page: number
  readonly perPage: number
}

/** Entries that a repository can have in the JSON and the TSV. */
export const MOST_ENTRIES = 20_000

/** The entries that are asked for, and their order, however many of them at once. */
export type LedgerView = Omit<EntriesWanted, 'perPage'>

export const DEFAULT_LEDGER_VIEW: LedgerView = {
  text: null,
  kind: null,
  state: null,
  owner: null,
  sort: 'worst',
  reverse: false,
  page: 1,
}

/** How many entries of one state, kind and owner there are, whatever is wanted. */
export interface EntriesOfKind {
  readonly state: LedgerEntry['state']
  readonly kind: LedgerEntry['kind']
  readonly owner: string | null
  readonly entries: number
}

export interface FoundEntries {
  readonly entries: readonly LedgerEntry[]
  readonly found: number
  readonly page: number
  readonly pages: number
  /** The most frequent first. */
  readonly counts: readonly EntriesOfKind[]
}

const countRow = z.object({
  state: storedEntry.shape.state,
  kind: storedEntry.shape.kind,
  owner: z.string().nullable(),
  entries: count,
  found: count,
})

/** A page of the entries of a repository. */
export async function selectFoundEntries(
  clickhouse: ClickHouse,
  repositoryId: number,
  wanted: EntriesWanted,
): Promise<FoundEntries> {
  const { sort, reverse, perPage } = wanted
  const parameters = {
    repositoryId,
    text: wanted.text ?? '',
    kind: wanted.kind ?? '',
    state: wanted.state ?? '',
    owner: wanted.owner ?? '',
  }
  const counts = await clickhouse.read('entry-counts', COUNTS, parameters, countRow)
  const found = counts.reduce((sum, row) => sum + row.found, 0)
  const pages = Math.max(1, Math.ceil(found / perPage))
  const page = Math.min(wanted.page, pages)
  const order = { sort, direction: reverse ? -1 : 1, limit: perPage, offset: (page - 1) * perPage }
  const entries = found === 0 ? [] : await clickhouse.read('entry-list', LIST, { ...parameters, ...order }, storedEntry)
  return {
    entries,
    found,
    page,
    pages,
    counts: counts.map(({ state, kind, owner, entries: n }) => ({ state, kind, owner, entries: n })),
  }
}
