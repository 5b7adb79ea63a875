import type { ClickHouse, QueryParameters } from './client.ts'
import { fillPlaceholders } from './sql-placeholders.ts'

/**
 * `ON CLUSTER` waits for every host, also for one that is down, which does its part when it is back. Whether the rows have
 * gone where they are asked for is for the caller to count. Seconds.
 */
const WITHOUT_THE_DEAD = { distributed_ddl_output_mode: 'never_throw', distributed_ddl_task_timeout: '10' } as const

/** Runs statements that change or delete rows that are stored, one after the other, with the placeholders of `sql-placeholders.ts`. */
export async function changeRows(
  clickhouse: ClickHouse,
  name: string,
  statements: readonly string[],
  parameters: QueryParameters,
): Promise<void> {
  const settings = clickhouse.cluster === null ? {} : WITHOUT_THE_DEAD
  for (const statement of statements) {
    const sql = fillPlaceholders(statement, clickhouse)
    if (sql !== null) await clickhouse.command(name, sql, parameters, settings)
  }
}
