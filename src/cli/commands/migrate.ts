import { readClickHouseEnvironment } from '../../config/environment.ts'
import { openClickHouse } from '../../store/client.ts'
import { migrate } from '../../store/migrate.ts'
import { type CommandIO, EXIT_OK, printJson } from './command.ts'
import { runCopy } from './migrate-copy.ts'

interface MigrateOptions {
  readonly copyTo?: string
  /** Not given: that of a bot whose CLICKHOUSE_DATABASE was not set. */
  readonly fromDatabase?: string
  readonly json?: boolean
}

/** `perf-triage migrate`: the tables, or all that is in them to another server. */
export async function run({ copyTo: url, fromDatabase, json = false }: MigrateOptions, io: CommandIO): Promise<number> {
  if (url === undefined) return await migrateTables({ json }, io)
  return await runCopy({ url, fromDatabase: fromDatabase ?? readClickHouseEnvironment({}).database, json }, io)
}

/** Applies what is missing to CLICKHOUSE_URL, or to the embedded database. */
async function migrateTables({ json }: { readonly json: boolean }, io: CommandIO): Promise<number> {
  const clickhouse = await openClickHouse(readClickHouseEnvironment(io.env))
  try {
    const { where, database } = clickhouse
    const { applied, present } = await migrate(clickhouse)
    if (json) printJson({ where, database, applied, present }, io)
    else if (applied.length === 0) {
      io.stdout.write(`up to date: ${present.length} migrations in ${database} (${where})\n`)
    } else for (const name of applied) io.stdout.write(`applied ${name}\n`)
    return EXIT_OK
  } finally {
    await clickhouse.close()
  }
}
