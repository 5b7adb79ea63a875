import type { Command } from 'commander'
import { EnvironmentError, readClickHouseEnvironment } from '../config/environment.ts'
import { openClickHouse } from '../store/client.ts'
import { MigrationFailed, type MigrationResult, migrate } from '../store/migrate.ts'
import { StoreUnavailable } from '../store/store-unavailable.ts'
import { type CommandIO, EXIT_BAD_INPUT, EXIT_OK, examples, type Finished } from './command.ts'

export interface MigrateOptions {
  readonly json: boolean
}

/** The description, options and examples of `perf-triage migrate`. */
export function define(command: Command, io: CommandIO, finished: Finished): void {
  command
    .description('Creates the tables of the database or brings them up to date, and says what it did.')
    .option('--json', 'print one JSON document')
    .addHelpText('after', examples(['migrate', 'before a new version serves']))
    .action(async (options: { json?: boolean }) => {
      finished(await run({ json: options.json ?? false }, io))
    })
}

/** `perf-triage migrate`: applies what is missing to CLICKHOUSE_URL, or to the embedded database. */
export async function run(options: MigrateOptions, io: CommandIO): Promise<number> {
  let where = ''
  let database = ''
  let result: MigrationResult
  try {
    const clickhouse = await openClickHouse(readClickHouseEnvironment(io.env))
    try {
      where = clickhouse.where
      database = clickhouse.database
      result = await migrate(clickhouse)
    } finally {
      await clickhouse.close()
    }
  } catch (error) {
    const expected = [StoreUnavailable, MigrationFailed, EnvironmentError].some((kind) => error instanceof kind)
    if (!expected || !(error instanceof Error)) throw error
    io.stderr.write(`perf-triage migrate: ${error.message.replace(/\s+/g, ' ')}\n`)
    return EXIT_BAD_INPUT
  }

  const { applied, present } = result
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ schemaVersion: 1, where, database, applied, present })}\n`)
  } else if (applied.length === 0) {
    io.stdout.write(`up to date: ${present.length} migrations in ${database} (${where})\n`)
  } else {
    for (const name of applied) io.stdout.write(`applied ${name}\n`)
  }
  return EXIT_OK
}
