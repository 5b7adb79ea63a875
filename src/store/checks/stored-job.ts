import { z } from 'zod'
import type { ClickHouse } from '../client.ts'
import { readSql } from '../sql-file.ts'

const SQL = readSql(new URL('./stored-job.sql', import.meta.url))

export interface JobWanted {
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
  const [row] = await clickhouse.read('stored-job', SQL, { ...wanted }, z.object({ start: z.coerce.number() }))
  return row === undefined || row.start === 0 ? null : row.start * 1000
}
