import { type Command } from 'commander'
import { examples } from './command.ts'
import {
  choicesOption,
  parseDays,
  parseFraction,
  parsePullRequest,
  parseRepository,
  REPOSITORY_FLAGS,
} from './option-values.ts'

/** The description, options and examples of `perf-triage replay`. */
export function define(command: Command): void {
  command
    .description(
      'Judges the newest stored report of each pull request again, by this version’s rules and the repository’s configuration or another one, and lists what would differ. Nothing is written, and GitHub is not contacted.',
    )
    .option(REPOSITORY_FLAGS, 'only of this repository (default: all that have reports)', parseRepository)
    .option('--pr <number>', 'only of this pull request', parsePullRequest)
    .option('--days <number>', 'only reports of the last days', parseDays, DEFAULT_DAYS)
    .option('--config <file>', 'a configuration file to use instead of the one that the bot last read')
    .option('--changed-threshold <fraction>', 'replaces thresholds.changed', parseFraction)
    .option('--unstable-threshold <fraction>', 'replaces thresholds.unstable', parseFraction)
    .addOption(choicesOption('--fail-on <condition>', 'exit with 1 if a report would differ', ['changed']))
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['replay', 'after an update: what the new rules would say'],
        ['replay --repository acme/fast.db --config .github/perf-triage.yml', 'before a changed file is merged'],
        ['replay --repository acme/fast.db --changed-threshold 0.1', 'with another threshold'],
      ),
    )
}

/** The samples of a run are kept for 90 days where the repository says nothing else. */
const DEFAULT_DAYS = 30
