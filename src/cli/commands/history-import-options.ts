import { type Command } from 'commander'
import { examples } from './command.ts'
import { collect, parseMoment, parseRepository, parseRepositoryId, REPOSITORY_FLAGS } from './option-values.ts'

/** The description, options and examples of `perf-triage history import`. */
export function define(command: Command): void {
  command
    .description(
      'Loads the main branch’s history into the bot’s tables: rows with the columns of ClickHouse’s query_metrics_v2, raw runs of its query_metric_runs_v1 (JSONEachRow, TSVWithNames) or the Action’s history files (history/*.jsonl), optionally compressed with gzip or zstd. Raw runs become medians with their exact threshold; all rows of a run must be in one file, preferably together. Rows of pull requests and other branches are skipped. Importing the same rows again changes nothing.',
    )
    .argument('[file...]', 'files, folders or patterns; - is stdin')
    .option('--trunk <name>', 'the main branch’s name; may be repeated (default: master and main)', collect)
    .option(
      REPOSITORY_FLAGS,
      'whose history it is; a name works if a report of it is stored (default: the only one known)',
      parseRepository,
    )
    .option('--repository-id <number>', 'the same, by GitHub’s repository ID', parseRepositoryId)
    .option('--commit <sha>', 'FILE is a run of the main branch at that commit, in any format that classify reads')
    .option('--time <time>', 'with --commit: when it ran', parseMoment)
    .option('--runs <table>', 'many runs: a TSV with the columns commit, time and path; - is stdin')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['history import --repository 60246359 query_metrics_v2.tsv.zst', 'rows of ClickHouse’s query_metrics_v2'],
        ['history import query_metric_runs_v1.tsv.zst', 'raw runs, sorted by check_start_time, new_sha, arch'],
        ['history import --repository acme/database --trunk main rows.jsonl', 'of one of several repositories'],
        ['history import - < rows.tsv', 'from another command'],
        ['history import --repository acme/database history/', 'what the Action kept on its branch'],
        [
          'history import --repository 1 --commit 5b7f2aa --time 2026-10-20T08:15Z bench.jsonl',
          'one run of the head alone',
        ],
        ['history import --repository 1 --runs runs.tsv', 'many runs; paths are relative to the current folder'],
      ),
    )
}
