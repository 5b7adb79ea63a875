import type { Measurement, RunContents } from '../../intake/measurement/run.ts'
import { type ClassifiedQuery, countedRows, countOutcomes } from '../../judge/verdict/classified-query.ts'
import { classify } from '../../judge/verdict/classify.ts'
import { equalBuildsOfRun } from '../../judge/verdict/evidence/equal-builds.ts'
import { worstFirst } from '../../judge/verdict/worst-first.ts'
import type { FormOptions } from './classify-table.ts'
import type { VariantOptions } from './classify-variants.ts'
import { type CommandIO, InputError, printJson } from './command.ts'
import {
  type AgainstOptions,
  failOnCode,
  isAgainstHistory,
  isQueryLog,
  type QueryLogCommandOptions,
  readRunInput,
  selectMetric,
  thresholdsGiven,
} from './run-input.ts'
import { formOf, printTsv } from './table.ts'

/** `perf-triage classify`: the outcome of each query of a run, without history, evidence or verdicts. What few runs need is imported when they do. */

interface ClassifyOptions extends QueryLogCommandOptions, VariantOptions, AgainstOptions, FormOptions {
  /** A path for each attempt, the oldest first. */
  readonly attempt?: readonly string[]
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
  return { contents, counted, queries: earlier.length === 0 ? queries : await together(queries, measurements, earlier) }
}

function onlySameBase(one: string | null, other: string | null): void {
  if (one !== null && other !== null && one !== other)
    throw new InputError(
      `the attempts have different old builds, ${one} and ${other}: only attempts with the same old build can be combined`,
    )
}

/** The newest attempt tested together with those before it. */
async function together(
  queries: readonly ClassifiedQuery[],
  newest: readonly Measurement[],
  earlier: readonly RunContents[],
): Promise<readonly ClassifiedQuery[]> {
  const { attemptsByResult, joinAttempts } = await import('../../judge/verdict/join-attempts.ts')
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
export async function run(paths: readonly string[], options: ClassifyOptions, io: CommandIO): Promise<number> {
  const form = formOf(options, 'table')
  if (options.variant !== undefined) {
    const { classifyVariants, onlyVariants } = await import('./classify-variants.ts')
    onlyVariants(paths, options)
    return await classifyVariants(options.variant, options, io)
  }
  if (isQueryLog(options)) return await (await import('./classify-query-log.ts')).classifyQueryLogs(paths, options, io)
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
  } else if (form === 'tsv') {
    const { RESULT_COLUMNS } = await import('../../report/row/columns.ts')
    const { printWarnings } = await import('./classify-table.ts')
    printTsv(RESULT_COLUMNS, queries, io)
    printWarnings(warnings, io)
  } else {
    const result = { queries, counted, counts, oldCommit, newCommit, warnings, labels, environments, equalBuilds }
    const { classifyTable } = await import('./classify-table.ts')
    const lines = classifyTable(result, options.all ?? false, io)
    io.stdout.write(`${lines.join('\n')}\n`)
  }
  return failOnCode('classify', { counts, results: ofMetric, warnings, environments, failOn: options.failOn }, io)
}
