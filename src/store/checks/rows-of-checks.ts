import { z } from 'zod'
import type { ClickHouse } from '../client.ts'
import { readSql } from '../sql-file.ts'

/** How many CI results are stored, and of which repositories. */

const SQL = readSql(new URL('./rows-of-checks.sql', import.meta.url))

const counted = z.object({ rows: z.coerce.number() })

/** CI results of the repository in the bot's own `checks`. */
export async function rowsOfChecks(clickhouse: ClickHouse, repositoryId: number): Promise<number> {
  const [row] = await clickhouse.read('rows-of-checks', SQL, { repositoryId }, counted, { final: 1 })
  return row?.rows ?? 0
}

const REPOSITORIES_SQL = readSql(new URL('./repositories-of-checks.sql', import.meta.url))

const repositoryRow = z.object({ repositoryId: z.coerce.number() })

/** The numbers of the repositories that have CI results in the bot's own `checks`; 0: rows that were imported for any. */
export async function repositoriesOfChecks(clickhouse: ClickHouse): Promise<readonly number[]> {
  const found = await clickhouse.read('repositories-of-checks', REPOSITORIES_SQL, {}, repositoryRow)
  return found.map(({ repositoryId }) => repositoryId)
}

/** Rows of which the different ones are counted in about a second. */
const COUNTED_QUICKLY = 2_000_000

/** The same where it takes no more than about a second; null where it would. */
export async function rowsOfChecksQuickly(clickhouse: ClickHouse, repositoryId: number): Promise<number | null> {
  const [row] = await clickhouse.read('rows-of-checks', SQL, { repositoryId }, counted)
  return row === undefined || row.rows > COUNTED_QUICKLY ? null : await rowsOfChecks(clickhouse, repositoryId)
}

const JOB_SQL = readSql(new URL('./stored-job.sql', import.meta.url))

interface JobWanted {
  readonly repositoryId: number
  readonly commitSha: string
  readonly checkName: string
  readonly pullRequestNumber: number
}

/**
 * When the newest job of this check and commit began that is in the bot's own `checks`, in milliseconds; null where there is
 * none. @throws StoreUnavailable
 */
export async function storedJobStart(clickhouse: ClickHouse, wanted: JobWanted): Promise<number | null> {
  const [row] = await clickhouse.read('stored-job', JOB_SQL, { ...wanted }, z.object({ start: z.coerce.number() }))
  return row === undefined || row.start === 0 ? null : row.start * 1000
}
