import { PRIMARY_METRIC, type Run, unmeasuredBy } from '../measurement/run.ts'
import { renderComment } from '../render/comment.ts'
import { NO_LINKS } from '../render/view.ts'
import type { TriageReport } from '../report/report.ts'
import { judge } from '../triage/judge.ts'
import { type CommandIO, type CommentOptions, InputError } from './command.ts'
import { failOnCode, readRunInput, selectMetric, thresholdsGiven } from './run-input.ts'

/** `perf-triage comment`: the Markdown that the bot would post, from a run alone: no pull request, no history. */
export async function run(options: CommentOptions, io: CommandIO): Promise<number> {
  if (options.metric === 'all') throw new InputError('a comment is about one metric: give --metric NAME, not all')
  const contents = await readRunInput(options, io)
  const { counted } = selectMetric(contents.measurements, options.metric ?? PRIMARY_METRIC)
  const report = reportOf(
    {
      ...contents,
      measurements: [...contents.measurements, ...unmeasuredBy(counted, contents.measurements)],
      repositoryId: 0,
      pullRequestNumber: 0,
      head: contents.newCommit ?? UNKNOWN_HEAD,
      check: 'local',
      architecture: options.architecture,
      shard: null,
      shards: null,
      attempt: 1,
      source: options.paths.join(' '),
      finishedAt: new Date(0).toISOString(),
    },
    counted,
    options,
  )
  const body = renderComment({ report, links: NO_LINKS, botId: 'perf-triage', previous: null })
  io.stdout.write(options.json ? `${JSON.stringify({ schemaVersion: 1, body, report })}\n` : `${body}\n`)
  const { counts, rows } = report
  const results = rows.flatMap((row) => row.results)
  return failOnCode('comment', { counts, results, warnings: contents.warnings, failOn: options.failOn }, io)
}

/** What stands for the head where the run does not name its commit. */
const UNKNOWN_HEAD = 'this run'

function reportOf(run: Run, primaryMetric: string, options: CommentOptions): TriageReport {
  return judge({
    repository: { id: 0, owner: 'local', name: 'run', isPrivate: false, url: '' },
    pullRequest: { number: 0, baseRef: '' },
    head: run.head,
    mergeBase: null,
    references:
      run.oldCommit === null
        ? []
        : [{ commit: run.oldCommit, architectures: [run.architecture], commitsBeforeMergeBase: null }],
    runs: [run],
    shards: [
      {
        check: run.check,
        architecture: run.architecture,
        shard: null,
        shards: null,
        state: 'measured',
        problem: null,
        url: null,
        conclusion: null,
      },
    ],
    isFinal: true,
    primaryMetric,
    thresholds: thresholdsGiven(options),
    failingTests: null,
    mode: 'advisory',
    previous: null,
    degradations: ['history-not-available'],
    judgedAt: run.finishedAt,
  })
}
