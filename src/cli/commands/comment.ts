import { VERSION } from '../../config/version.ts'
import { PRIMARY_METRIC } from '../../intake/measurement/run.ts'
import type { OneSidedHistory } from '../../judge/history/one-sided-history.ts'
import { renderComment } from '../../report/render/comment.ts'
import { renderQueryLog } from '../../report/render/query-log/comment.ts'
import { renderVariants } from '../../report/render/variants.ts'
import { NO_LINKS } from '../../report/render/view.ts'
import { reportOfRun } from '../../report/report-of-run.ts'
import { together } from '../../report/variants.ts'
import type { JobsOfHead } from './classify-history.ts'
import { compareVariants, onlyVariants, type VariantOptions } from './classify-variants.ts'
import { type CommandIO, InputError, printJson } from './command.ts'
import { failOnQueryLog, readQueryLog } from './query-log-input.ts'
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

interface CommentOptions extends QueryLogCommandOptions, VariantOptions, AgainstOptions {
  /** The architecture of measurements that state none. */
  readonly architecture?: string
  /** Print the page in the place of the Markdown. */
  readonly html?: boolean
}

/** `perf-triage comment`: the Markdown that the bot would post, from a run alone: no pull request, no history. */
export async function run(paths: readonly string[], options: CommentOptions, io: CommandIO): Promise<number> {
  if (options.variant !== undefined) {
    onlyVariants(paths, options)
    return await commentOnVariants(options.variant, options, io)
  }
  if (isQueryLog(options)) return await commentOnQueryLog(paths, options, io)
  if (options.metric === 'all') throw new InputError('a comment is about one metric: give --metric NAME, not all')
  const { contents, counted, history } = await readInput(paths, options, io)
  const report = reportOfRun(contents, {
    counted,
    source: paths.join(' '),
    architecture: options.architecture ?? null,
    thresholds: thresholdsGiven(options),
    history,
  })
  const body = renderComment({ report, links: NO_LINKS, botId: 'perf-triage', previous: null })
  if (options.json) printJson({ body, report }, io)
  else if (options.html) {
    const { reportFile } = await import('../../web/pages/report/report-file.ts')
    io.stdout.write(String(await reportFile(report, VERSION)))
  } else io.stdout.write(`${body}\n`)
  const { counts, rows } = report
  const results = rows.flatMap((row) => row.results)
  const { warnings, environments } = contents
  return failOnCode('comment', { counts, results, warnings, environments, failOn: options.failOn }, io)
}

async function readInput(
  paths: readonly string[],
  options: CommentOptions,
  io: CommandIO,
): Promise<Omit<JobsOfHead, 'history'> & { readonly history?: OneSidedHistory }> {
  if (isAgainstHistory(options))
    return await (await import('./classify-history.ts')).readJobsOfHead('comment', paths, options, io)
  const contents = await readRunInput(paths, options, io)
  const { counted } = selectMetric(contents, options.metric ?? contents.decides ?? PRIMARY_METRIC)
  return { contents, counted }
}

/** Each variant against the first. */
async function commentOnVariants(words: readonly string[], options: CommentOptions, io: CommandIO): Promise<number> {
  const report = await compareVariants(words, options, io)
  const body = renderVariants(report)
  if (options.json) printJson({ body, report }, io)
  else if (options.html) {
    const { variantsPage } = await import('../../web/pages/variants.ts')
    io.stdout.write(String(await variantsPage(report, VERSION)))
  } else io.stdout.write(`${body}\n`)
  return failOnCode('comment', { ...together(report), failOn: options.failOn }, io)
}

/** Two settings under live traffic. */
async function commentOnQueryLog(paths: readonly string[], options: CommentOptions, io: CommandIO): Promise<number> {
  const report = await readQueryLog(paths, options, io)
  if (options.json) printJson({ body: renderQueryLog(report), report }, io)
  else if (options.html) {
    const { queryLogPage } = await import('../../web/pages/query-log.ts')
    io.stdout.write(String(await queryLogPage(report, VERSION)))
  } else io.stdout.write(`${renderQueryLog(report)}\n`)
  return failOnQueryLog('comment', report, options, io)
}
