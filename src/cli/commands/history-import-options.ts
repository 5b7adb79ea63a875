import { type Command } from 'commander'
import { examples } from './command.ts'
import { collect, parseMoment, parseRepository, parseRepositoryId, REPOSITORY_FLAGS } from './option-values.ts'

/** The description, options and examples of `perf-triage history import`. */
export function define(command: Command): void {
  command
    .description(
      'Loads the trunk’s history into the tables of the bot: rows in the columns of ClickHouse’s query_metrics_v2, or the raw runs of its query_metric_runs_v1 (JSONEachRow, TSVWithNames), also compressed by gzip or zstd. Raw runs become medians with their exact threshold; all rows of a run have to be in one file, best one after the other. Rows of pull requests and of other branches are passed over. The same rows again change nothing.',
    )
    .argument('[file...]', 'files, folders or patterns; - is stdin')
    .option('--trunk <name>', 'the name of the trunk; may be repeated (default: master and main)', collect)
    .option(
      REPOSITORY_FLAGS,
      'whose history it is; by its name where a report of it is stored (default: the only one known)',
      parseRepository,
    )
    .option('--repository-id <number>', 'the same by GitHub’s number', parseRepositoryId)
    .option('--commit <sha>', 'FILE is a run of the trunk at that commit, in any format that classify reads')
    .option('--time <time>', 'with --commit: when it ran', parseMoment)
    .option('--runs <table>', 'many of them: a TSV with the columns commit, time and path; - is stdin')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['history import --repository 60246359 query_metrics_v2.tsv.zst', 'rows of ClickHouse’s query_metrics_v2'],
        ['history import query_metric_runs_v1.tsv.zst', 'raw runs, sorted by check_start_time, new_sha, arch'],
        ['history import --repository acme/database --trunk main rows.jsonl', 'of one of several repositories'],
        ['history import - < rows.tsv', 'from another command'],
        [
          'history import --repository 1 --commit 5b7f2aa --time 2026-10-20T08:15Z bench.jsonl',
          'one run of the head alone',
        ],
        ['history import --repository 1 --runs runs.tsv', 'many of them; paths are of the present folder'],
      ),
    )
}
