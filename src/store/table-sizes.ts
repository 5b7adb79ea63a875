import { z } from 'zod'
import type { DatabaseDisk, TableSize } from '../telemetry/metrics.ts'
import type { ClickHouse } from './client.ts'
import { readSql } from './sql-file.ts'

/** What tables and disks hold, for metrics and `doctor`. */

const SIZES = readSql(new URL('./table-sizes.sql', import.meta.url))
const DISKS = readSql(new URL('./disks.sql', import.meta.url))
const sizeRow = z.object({
  table: z.string(),
  rows: z.coerce.number(),
  bytes: z.coerce.number(),
  leaves: z.coerce.number(),
})

/** What each table takes on the disk of the database, the largest first. */
export async function tableSizes(clickhouse: ClickHouse): Promise<TableSize[]> {
  const { database } = clickhouse
  return await clickhouse.withoutDatabase().read('table-sizes', SIZES, { database }, sizeRow)
}

const diskRow = z.object({ disk: z.string(), freeBytes: z.coerce.number(), sizeBytes: z.coerce.number() })

/** The disks of the server that is asked. */
export async function databaseDisks(clickhouse: ClickHouse): Promise<DatabaseDisk[]> {
  return await clickhouse.withoutDatabase().read('disks', DISKS, {}, diskRow)
}
