import { type Command } from 'commander'
import { examples } from './command.ts'

/** The description, options and examples of `perf-triage doctor`. */
export function define(command: Command): void {
  command
    .description(
      'Checks configuration, permissions, webhook, database and disk, and says what to do about each failure. Exit code 0: nothing failed; 1: something did; 2: wrong usage.',
    )
    .option('--deliveries', 'list GitHub’s last hundred deliveries, each with its status code')
    .option('--redeliver', 'have GitHub resend the newest failed delivery, and say how it ends')
    .option('--json', 'print one JSON document, including the deliveries')
    .addHelpText(
      'after',
      examples(['doctor', 'after an installation, or when no comments appear'], ['doctor --redeliver', 'after a fix']),
    )
}
