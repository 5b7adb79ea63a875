import { z } from 'zod'
import type { HistorySource } from '../../intake/imports/history/trunk-row.ts'
import type { ClickHouse } from '../client.ts'
import { readSql } from '../sql-file.ts'

/** Which histories are stored, for lists of the command line. */

const STORED_SQL = readSql(new URL('./stored-history.sql', import.meta.url))
const NAMES_SQL = readSql(new URL('./names-of-repositories.sql', import.meta.url))
const WITH_RUNS_SQL = readSql(new URL('./repositories-with-runs.sql', import.meta.url))
const ROWS_SQL = readSql(new URL('./rows-of-history.sql', import.meta.url))

const number = z.coerce.number().int().nonnegative()
const counted = z.object({ rows: number })
const storedRow = z.object({
  repositoryId: number,
  metric: z.string(),
  architecture: z.string(),
  queries: number,
  runs: number,
  sources: z.array(z.enum(['own', 'imported', 'ci-database'])),
  first: number,
  last: number,
})
const repositoryRow = z.object({ repositoryId: number })
const nameRow = z.object({ repositoryId: number, lastOwner: z.string(), lastName: z.string() })

/** The bot's own history of one metric on one architecture. */
export interface StoredHistory {
  /** 0: imported before an import had to belong to a repository; nothing reads it. */
  readonly repositoryId: number
  /** `owner/name` as of the newest report; null: there is none. */
  readonly repository: string | null
  readonly metric: string
  readonly architecture: string | null
  readonly queries: number
  readonly runs: number
  readonly sources: readonly HistorySource[]
  /** When the first and the last run were made, milliseconds. */
  readonly first: number
  readonly last: number
}

/** The names of repositories by their numbers, `owner/name` as of the newest report. @throws StoreUnavailable */
export async function namesOfRepositories(clickhouse: ClickHouse): Promise<Map<number, string>> {
  const names = await clickhouse.read('names-of-repositories', NAMES_SQL, {}, nameRow)
  return new Map(names.map(({ repositoryId, lastOwner, lastName }) => [repositoryId, `${lastOwner}/${lastName}`]))
}

/** Repositories that a report, a run or a row of history names. @throws StoreUnavailable */
export async function knownRepositories(
  clickhouse: ClickHouse,
): Promise<Pick<StoredHistory, 'repositoryId' | 'repository'>[]> {
  const [stored, measured, names] = await Promise.all([
    storedHistories(clickhouse),
    clickhouse.read('repositories-with-runs', WITH_RUNS_SQL, {}, repositoryRow),
    namesOfRepositories(clickhouse),
  ])
  const ids = new Set([...[...stored, ...measured].map(({ repositoryId }) => repositoryId), ...names.keys()])
  ids.delete(0)
  return [...ids].map((repositoryId) => ({ repositoryId, repository: names.get(repositoryId) ?? null }))
}

/** The stored histories by repository, the primary metric first. @throws StoreUnavailable */
export async function storedHistories(clickhouse: ClickHouse): Promise<StoredHistory[]> {
  const [rows, nameOf] = await Promise.all([
    clickhouse.read('stored-history', STORED_SQL, {}, storedRow),
    namesOfRepositories(clickhouse),
  ])
  return rows.map((row) => ({
    ...row,
    repository: nameOf.get(row.repositoryId) ?? null,
    architecture: row.architecture === '' ? null : row.architecture,
    sources: row.sources.toSorted((a, b) => (a < b ? 1 : -1)),
    first: row.first * 1000,
    last: row.last * 1000,
  }))
}

/** So many rows are counted, each once, in about a second. */
const COUNTED_QUICKLY = 2_000_000

/** Rows of the repository that no CI database gave, where counting takes no more than about a second; null where it would. */
export async function rowsOfHistoryQuickly(clickhouse: ClickHouse, repositoryId: number): Promise<number | null> {
  const [parts] = await clickhouse.read('rows-of-history', ROWS_SQL, { repositoryId, sources: [] }, counted)
  if (parts === undefined || parts.rows > COUNTED_QUICKLY) return null
  const imported = { repositoryId, sources: ['own', 'imported'] }
  const [row] = await clickhouse.read('rows-of-history', ROWS_SQL, imported, counted, { final: 1 })
  return row?.rows ?? 0
}
