import { type Command } from 'commander'
import { examples } from './command.ts'

/** The description, options and examples of `perf-triage migrate`. */
export function define(command: Command): void {
  command
    .description('Creates the tables of the database or brings them up to date, and says what it did.')
    .option(
      '--copy-to <url>',
      'copy all tables of the embedded database to this ClickHouse server, by CLICKHOUSE_USER, _PASSWORD, _DATABASE and _CLUSTER; the bot must be stopped',
    )
    .option('--from-database <name>', 'with --copy-to: the name of the embedded database (default: perf_triage)')
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
}
