import type { Logger } from 'pino'
import { type RepositoryConfig, testEntries, thresholdSettings } from '../../config/repository-config.ts'
import type { ChangedFiles } from '../../github/changed-files.ts'
import type { Octokit } from '../../github/octokit.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import { metricOfRuns } from '../../intake/measurement/formats/formats.ts'
import { type Decision, standingDecisions } from '../../report/acceptance.ts'
import { classifyHead } from '../../report/classify-head.ts'
import { type DecidedReport, decided } from '../../report/decisions.ts'
import { judge } from '../../report/judge.ts'
import { type CheckRunOutput, renderCheckRun } from '../../report/render/check-run.ts'
import { type Degradation, type HowMeasured, LONGEST_TITLE } from '../../report/report.ts'
import { gatherCommits } from '../triage/gather.ts'
import { linksOf } from '../triage/links.ts'
import type { HeadResults } from './results.ts'

export interface JudgedRun {
  readonly report: DecidedReport
  readonly checkRun: CheckRunOutput
}

export interface RunToJudge {
  readonly octokit: Octokit
  readonly pullRequest: PullRequest
  readonly config: RepositoryConfig
  readonly degradation: Degradation | null
  readonly results: HeadResults
  readonly howMeasured: HowMeasured | null
  readonly changedFiles: () => Promise<ChangedFiles | null>
  readonly historyLines: string
  readonly decisions: readonly Decision[]
  readonly now: number
  readonly log: Logger
}

export async function judgeRun({
  octokit,
  pullRequest,
  config,
  degradation,
  results,
  howMeasured,
  decisions,
  now,
}: RunToJudge): Promise<JudgedRun> {
  const { repository, number, title, author, head, baseRef, baseSha } = pullRequest
  const { id, owner, name, isPrivate, url } = repository
  const commits = await gatherCommits(octokit, { owner, repo: name }, pullRequest, results.runs)
  const said = standingDecisions(decisions, now, config.mode)
  const entries = testEntries(config, now, said.ignored.rows)
  const input = classifyHead({
    repository: { id, owner, name, isPrivate, url },
    pullRequest: {
      number,
      baseRef,
      title: title.slice(0, LONGEST_TITLE).toWellFormed(),
      ...(author !== null && { author: author.login }),
    },
    head,
    base: baseSha,
    ...commits,
    runs: results.runs,
    shards: results.shards,
    isFinal: results.isFinal,
    primaryMetric: metricOfRuns(config.metric, results.runs),
    thresholds: thresholdSettings(config, entries),
    entries,
    failingTests: null,
    mode: config.mode,
    previous: null,
    degradations: degradation === null ? [] : [degradation],
    ...(howMeasured !== null && { howMeasured }),
    said,
    judgedAt: new Date(now).toISOString(),
  })
  const report = decided(judge(input), config, said.mute)
  return {
    report,
    checkRun: renderCheckRun(report, linksOf({ publicUrl: null, hasSignIn: false }, pullRequest, config)),
  }
}
