import type { Command } from 'commander'
import { FORMAT_NAMES } from '../../intake/measurement/formats/format-names.ts'
import {
  choiceOption,
  choicesOption,
  parseFraction,
  parseMoment,
  parseRepository,
  REPOSITORY_FLAGS,
} from './option-values.ts'

/** The options that several commands have which read a run. */

/** The conditions of `--fail-on`. `changed` is slower, faster, or neither where nobody knows; `failed` is in the new build alone, or in an unknown one. */
export const FAIL_ON = ['slower', 'unstable', 'changed', 'failed'] as const
export type FailOn = (typeof FAIL_ON)[number]

export function withAgainstOptions(command: Command): Command {
  return command
    .addOption(choiceOption('--against <what>', 'judge runs of the head alone, one job per --new FILE', ['history']))
    .option(REPOSITORY_FLAGS, 'with --against history: whose (default: the only one known)', parseRepository)
}

/** The arguments and options of a command that reads a run. */
export function withRunOptions(command: Command, formats: readonly string[] = FORMAT_NAMES): Command {
  return command
    .argument('[path...]', 'the run: a folder, an archive or files')
    .option('--old <file...>', 'files of the old side, for formats with one side per file')
    .option('--new <file...>', 'files of the new side')
    .addOption(choiceOption('--format <name>', 'the format of the input, see docs/formats.md', formats).default('auto'))
    .option('--metric <name>', 'the metric to judge, or all (default: client_time; other formats have their own)')
    .option(
      '--changed-threshold <fraction>',
      'the smallest difference that counts as a change (default: 0.05)',
      parseFraction,
    )
    .option(
      '--unstable-threshold <fraction>',
      'the noise at which a query counts as unstable (default: 0.10)',
      parseFraction,
    )
    .addOption(
      choicesOption('--fail-on <conditions>', 'exit with 1 if one of these holds; a list, or repeated', FAIL_ON),
    )
    .option('--json', 'print one JSON document')
}

/** The name of the format, which is no run: it has no repetitions. */
export const QUERY_LOG = 'query-log'

/** The options of a query log, for the commands that read one. */
export function withQueryLogOptions(command: Command): Command {
  return command
    .option(
      '--side <field=old,new>',
      'for a query log: tables=db.old,db.new, Settings.max_threads=4,8, log_comment.variant=a,b',
    )
    .option(
      '--group <field>',
      'for a query log: compare within each value of a column or key, such as log_comment.window',
    )
    .option('--query-log [table]', 'read the query log of the server at CLICKHOUSE_URL (default: system.query_log)')
    .option('--since <time>', 'with --query-log: executions from then on (default: a day before the end)', parseMoment)
    .option('--until <time>', 'with --query-log: executions before then (default: now)', parseMoment)
}

export const VARIANT_FLAGS = '--variant <name=file...>'
export const VARIANT_WORDS = 'files of one variant; with three or more, each is compared with the first'
