import { z } from 'zod'
import type { HistorySource } from '../../history/trunk-series.ts'
import type { ClickHouse } from '../client.ts'
import { readSql } from '../sql-file.ts'

const STORED_SQL = readSql(new URL('./stored-history.sql', import.meta.url))
const NAMES_SQL = readSql(new URL('./names-of-repositories.sql', import.meta.url))
const PARTS_SQL = readSql(new URL('./parts-of-history.sql', import.meta.url))
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
const nameRow = z.object({ repositoryId: number, lastOwner: z.string(), lastName: z.string() })

/** The bot's own history of one metric on one architecture. */
export interface StoredHistory {
  /** 0: imported for any repository. */
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

/** By repository, the primary metric first. @throws StoreUnavailable */
export async function storedHistories(clickhouse: ClickHouse): Promise<StoredHistory[]> {
  const [rows, names] = await Promise.all([
    clickhouse.read('stored-history', STORED_SQL, {}, storedRow),
    clickhouse.read('names-of-repositories', NAMES_SQL, {}, nameRow),
  ])
  const nameOf = new Map(
    names.map(({ repositoryId, lastOwner, lastName }) => [repositoryId, `${lastOwner}/${lastName}`]),
  )
  return rows.map((row) => ({
    ...row,
    repository: nameOf.get(row.repositoryId) ?? null,
    architecture: row.architecture === '' ? null : row.architecture,
    sources: row.sources.toSorted((a, b) => (a < b ? 1 : -1)),
    first: row.first * 1000,
    last: row.last * 1000,
  }))
}

/** Of so many rows those that are there once are counted in about a second. */
const COUNTED_QUICKLY = 2_000_000

/** Imported rows of the repository, where counting takes no more than about a second; null where it would. */
export async function rowsOfHistoryQuickly(clickhouse: ClickHouse, repositoryId: number): Promise<number | null> {
  const [parts] = await clickhouse.read('parts-of-history', PARTS_SQL, { repositoryId }, counted)
  if (parts === undefined || parts.rows > COUNTED_QUICKLY) return null
  const [row] = await clickhouse.read('rows-of-history', ROWS_SQL, { repositoryId }, counted)
  return row?.rows ?? 0
}
