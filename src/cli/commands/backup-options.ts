import { type Command } from 'commander'
import { examples } from './command.ts'

/** The description, options and examples of `perf-triage backup`. */
export function defineBackup(command: Command): void {
  command
    .description(
      'Copies the inbox of PERF_TRIAGE_DATA_DIR to a file: deliveries, decisions of people, what was posted. The bot may keep running. The ClickHouse database is not included: see docs/database.md.',
    )
    .argument('<file>', 'a new file')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['backup /backup/inbox-2026-11-22.sqlite', 'every night, while the bot runs'],
        ['backup before-update.sqlite --json', 'with the row count of each table'],
      ),
    )
}

/** The description, options and examples of `perf-triage restore`. */
export function defineRestore(command: Command): void {
  command
    .description(
      'Restores a file made by "perf-triage backup" into PERF_TRIAGE_DATA_DIR, which must have no inbox and no running bot, or into the empty PostgreSQL database of DATABASE_URL.',
    )
    .argument('<file>', 'a file made by "perf-triage backup"')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['restore /backup/inbox-2026-11-22.sqlite', 'before the bot starts in a new folder'],
        ['restore /backup/inbox-2026-11-22.sqlite', 'with DATABASE_URL: before the bot first starts on it'],
      ),
    )
}
