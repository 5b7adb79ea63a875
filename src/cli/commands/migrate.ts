import type { Command } from 'commander'
import { readClickHouseEnvironment } from '../../config/environment.ts'
import { openClickHouse } from '../../store/client.ts'
import { migrate } from '../../store/migrate.ts'
import { type CommandIO, EXIT_OK, examples, type Finished, printJson } from './command.ts'
import { runCopy } from './migrate-copy.ts'

/** The description, options and examples of `perf-triage migrate`. */
export function define(command: Command, io: CommandIO, finished: Finished): void {
  command
    .description('Creates the tables of the database or brings them up to date, and says what it did.')
    .option(
      '--copy-to <url>',
      'copy all tables of the embedded database to this ClickHouse server, by CLICKHOUSE_USER, _PASSWORD, _DATABASE and _CLUSTER; the bot must be stopped',
    )
    .option('--from-database <name>', 'with --copy-to: the name of the embedded database', EMBEDDED_DATABASE)
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['migrate', 'before a new version starts'],
        [
          'migrate --copy-to https://clickhouse:8443',
          'before the bot moves to a server; run it again if it was interrupted',
        ],
      ),
    )
    .action(async ({ copyTo: url, fromDatabase, json = false }: MigrateOptions) => {
      finished(url === undefined ? await run({ json }, io) : await runCopy({ url, fromDatabase, json }, io))
    })
}

/** That of a bot whose CLICKHOUSE_DATABASE was not set. */
const EMBEDDED_DATABASE = readClickHouseEnvironment({}).database

interface MigrateOptions {
  readonly copyTo?: string
  readonly fromDatabase: string
  readonly json?: boolean
}

/** `perf-triage migrate`: applies what is missing to CLICKHOUSE_URL, or to the embedded database. */
async function run({ json }: { readonly json: boolean }, io: CommandIO): Promise<number> {
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
