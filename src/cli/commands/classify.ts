import type { Command } from 'commander'
import { FORMAT_NAMES } from '../../intake/measurement/formats/formats.ts'
import type { Measurement, RunContents } from '../../intake/measurement/run.ts'
import { type ClassifiedQuery, countedRows, countOutcomes } from '../../judge/verdict/classified-query.ts'
import { classify } from '../../judge/verdict/classify.ts'
import { equalBuildsOfRun } from '../../judge/verdict/evidence/equal-builds.ts'
import { attemptsByResult, joinAttempts } from '../../judge/verdict/join-attempts.ts'
import { worstFirst } from '../../judge/verdict/worst-first.ts'
import { classifyQueryLogs } from './classify-query-log.ts'
import { classifyTable } from './classify-table.ts'
import {
  classifyVariants,
  onlyVariants,
  VARIANT_FLAGS,
  VARIANT_WORDS,
  type VariantOptions,
} from './classify-variants.ts'
import { type CommandIO, examples, type Finished, InputError, printJson } from './command.ts'
import { isQueryLog, QUERY_LOG, type QueryLogCommandOptions, withQueryLogOptions } from './query-log-input.ts'
import {
  type AgainstOptions,
  failOnCode,
  isAgainstHistory,
  readRunInput,
  selectMetric,
  thresholdsGiven,
  withAgainstOptions,
  withRunOptions,
} from './run-input.ts'

interface ClassifyOptions extends QueryLogCommandOptions, VariantOptions, AgainstOptions {
  /** Show every row. */
  readonly all?: boolean
  /** A path for each attempt, the oldest first. */
  readonly attempt?: readonly string[]
}

/** The description, options and examples of `perf-triage classify`. */
export function define(command: Command, io: CommandIO, finished: Finished): void {
  withAgainstOptions(withQueryLogOptions(withRunOptions(command, [...FORMAT_NAMES, QUERY_LOG])))
    .description(
      'Reads one run and prints the outcome of each query on its own: changed, unstable, too small, not significant. ' +
        '`comment` weighs the changed ones together, against chance and the shift of the whole run, and may call some likely noise.',
    )
    .option(VARIANT_FLAGS, VARIANT_WORDS)
    .option('--attempt <path...>', 'attempts of one run, oldest first; they are tested together, never pooled')
    .option('--all', 'show every query, not only the notable ones')
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
    .action(async (paths: string[], options: ClassifyOptions) => {
      finished(await run(paths, options, io))
    })
}

async function comparedSides(paths: readonly string[], options: ClassifyOptions, io: CommandIO) {
  const { attempt: attempts = [] } = options
  if (attempts.length > 0 && paths.length + (options.old ?? []).length + (options.new ?? []).length > 0)
    throw new InputError('give either --attempt (once per attempt), or PATH, or --old and --new')
  const earlier: RunContents[] = []
  for (const path of attempts.slice(0, -1)) earlier.push(await readRunInput([path], options, io))
  const contents = await readRunInput(attempts.length > 0 ? attempts.slice(-1) : paths, options, io)
  for (const { oldCommit } of earlier) onlySameBase(oldCommit, contents.oldCommit)
  const { measurements, counted } = selectMetric(contents, options.metric)
  const queries = classify(measurements, thresholdsGiven(options))
  return { contents, counted, queries: earlier.length === 0 ? queries : together(queries, measurements, earlier) }
}

function onlySameBase(one: string | null, other: string | null): void {
  if (one !== null && other !== null && one !== other)
    throw new InputError(
      `the attempts have different old builds, ${one} and ${other}: only attempts with the same old build can be combined`,
    )
}

/** The newest attempt tested together with those before it. */
function together(
  queries: readonly ClassifiedQuery[],
  newest: readonly Measurement[],
  earlier: readonly RunContents[],
): readonly ClassifiedQuery[] {
  const earlierOf = attemptsByResult(earlier.map(({ measurements }) => measurements))
  const newestOf = attemptsByResult([newest])
  return worstFirst(
    queries.map((query) => {
      const [measurement] = newestOf(query)
      return measurement === undefined ? query : joinAttempts(query, measurement, earlierOf(query))
    }),
  )
}

/** Reads one run and prints the outcome of each query. */
async function run(paths: readonly string[], options: ClassifyOptions, io: CommandIO): Promise<number> {
  if (options.variant !== undefined) {
    onlyVariants(paths, options)
    return await classifyVariants(options.variant, options, io)
  }
  if (isQueryLog(options)) return await classifyQueryLogs(paths, options, io)
  const { contents, counted, queries } = isAgainstHistory(options)
    ? await (await import('./classify-history.ts')).comparedWithHistory(paths, options, io)
    : await comparedSides(paths, options, io)
  if (queries.length === 0) {
    const [first] = contents.warnings
    throw new InputError(`no query could be read${first === undefined ? '' : `: ${first.where}: ${first.message}`}`)
  }
  const ofMetric = countedRows(queries, counted)
  const counts = countOutcomes(ofMetric)
  const { oldCommit, newCommit, warnings, labels, environments } = contents
  const equalBuilds = equalBuildsOfRun(contents.measurements.filter(({ metric }) => metric === counted))
  if (options.json) {
    // JSON has no NaN and no infinity: stringify writes null for them
    const about = { oldCommit, newCommit, labels, environments, ...(equalBuilds !== null && { equalBuilds }) }
    printJson({ metric: counted, counts, ...about, queries, warnings }, io)
  } else {
    const result = { queries, counted, counts, oldCommit, newCommit, warnings, labels, environments, equalBuilds }
    const lines = classifyTable(result, options.all ?? false, io)
    io.stdout.write(`${lines.join('\n')}\n`)
  }
  return failOnCode('classify', { counts, results: ofMetric, warnings, environments, failOn: options.failOn }, io)
}
