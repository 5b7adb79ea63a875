import { type Command } from 'commander'
import { examples } from './command.ts'

/** The description, options and examples of `perf-triage doctor`. */
export function define(command: Command): void {
  command
    .description(
      'Checks configuration, permissions, webhook, database and disk, and says what to do where one fails. Exit code 0: nothing failed; 1: something did; 2: wrong usage.',
    )
    .option('--deliveries', 'list the last hundred deliveries of GitHub, each with its status code')
    .option('--redeliver', 'have GitHub send the newest delivery that failed again, and say how it ends')
    .option('--json', 'print one JSON document, the deliveries included')
    .addHelpText(
      'after',
      examples(
        ['doctor', 'after an installation, or when comments stay away'],
        ['doctor --redeliver', 'after something was mended'],
      ),
    )
}
