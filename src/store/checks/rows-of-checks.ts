import { z } from 'zod'
import type { ClickHouse } from '../client.ts'
import { readSql } from '../sql-file.ts'

const SQL = readSql(new URL('./rows-of-checks.sql', import.meta.url))
const PARTS_SQL = readSql(new URL('./parts-of-checks.sql', import.meta.url))

const counted = z.object({ rows: z.coerce.number() })

/** CI results of the repository in the bot's own `checks`. */
export async function rowsOfChecks(clickhouse: ClickHouse, repositoryId: number): Promise<number> {
  const [row] = await clickhouse.read('rows-of-checks', SQL, { repositoryId }, counted)
  return row?.rows ?? 0
}

/** Rows of which the different ones are counted in about a second. */
const COUNTED_QUICKLY = 2_000_000

/** The same where it takes no more than about a second; null where it would. */
export async function rowsOfChecksQuickly(clickhouse: ClickHouse, repositoryId: number): Promise<number | null> {
  const [row] = await clickhouse.read('parts-of-checks', PARTS_SQL, { repositoryId }, counted)
  return row === undefined || row.rows > COUNTED_QUICKLY ? null : await rowsOfChecks(clickhouse, repositoryId)
}
