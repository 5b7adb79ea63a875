import { type Command } from 'commander'
import { examples } from './command.ts'

/** The description, options and examples of `perf-triage backup`. */
export function defineBackup(command: Command): void {
  command
    .description(
      'Copies the inbox of PERF_TRIAGE_DATA_DIR to a file: deliveries, decisions of people, what was posted. The bot may serve meanwhile. The ClickHouse database is not in it: see docs/database.md.',
    )
    .argument('<file>', 'a file that is not there yet')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['backup /backup/inbox-2026-11-22.sqlite', 'every night, beside the running bot'],
        ['backup before-update.sqlite --json', 'with the rows of each table'],
      ),
    )
}

/** The description, options and examples of `perf-triage restore`. */
export function defineRestore(command: Command): void {
  command
    .description(
      'Puts a file of "perf-triage backup" into PERF_TRIAGE_DATA_DIR, which must have no inbox and no bot that serves from it, or into the empty PostgreSQL of DATABASE_URL.',
    )
    .argument('<file>', 'a file that "perf-triage backup" has made')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['restore /backup/inbox-2026-11-22.sqlite', 'before the bot starts in a new folder'],
        ['restore /backup/inbox-2026-11-22.sqlite', 'with DATABASE_URL: before the bot first starts on it'],
      ),
    )
}
