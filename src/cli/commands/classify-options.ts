import { type Command } from 'commander'
import { FORMAT_NAMES } from '../../intake/measurement/formats/format-names.ts'
import { examples } from './command.ts'
import { asOption } from './option-values.ts'
import {
  QUERY_LOG,
  VARIANT_FLAGS,
  VARIANT_WORDS,
  withAgainstOptions,
  withQueryLogOptions,
  withRunOptions,
} from './run-options.ts'

/** The description, options and examples of `perf-triage classify`. */
export function define(command: Command): void {
  withAgainstOptions(withQueryLogOptions(withRunOptions(command, [...FORMAT_NAMES, QUERY_LOG])))
    .description(
      'Reads one run and prints the outcome of each query on its own: changed, unstable, too small, not significant. ' +
        '`comment` weighs the changed ones together, against chance and the shift of the whole run, and may call some likely noise.',
    )
    .option(VARIANT_FLAGS, VARIANT_WORDS)
    .option('--attempt <path...>', 'attempts of one run, oldest first; they are tested together, never pooled')
    .option('--all', 'show every query in the table, not only the notable ones')
    .addOption(asOption('report'))
    .addHelpText(
      'after',
      examples(
        ['classify results/', 'a folder with *-raw.tsv files, including archives in it'],
        ['classify logs.tar.zst --json', 'an archive as published; one JSON document'],
        ['classify run.zip --fail-on slower', 'exit code 1 when a query got slower'],
        ['classify --old old.jsonl --new new.jsonl', 'one side per file'],
        ['classify results/ --metric all --all', 'every metric, every row'],
        ['classify log.jsonl --format query-log --side tables=db.old,db.new', 'two tables under live traffic'],
        ['classify --query-log --side Settings.max_threads=4,8', 'two settings, from the query log of CLICKHOUSE_URL'],
        [
          'classify --new job-1.jsonl job-2.jsonl --against history',
          'two jobs of the head, judged by the stored main branch',
        ],
        ['classify --attempt first.zip --attempt second.zip', 'a run and its rerun'],
        ['classify --variant 8K=a.json --variant 128K=b.json --variant 1M=c.json', 'each against the first'],
      ),
    )
}
