import type { Logger } from 'pino'
import type { RepositoryConfig } from '../../config/repository-config.ts'
import { commitLine, commitRange } from '../../github/commit-range.ts'
import { commitsBetween } from '../../github/commits.ts'
import type { Octokit } from '../../github/octokit.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import type { DecisionsOf } from '../../inbox/decisions.ts'
import { parseHistoryLines } from '../../intake/imports/history/history-lines.ts'
import type { Run } from '../../intake/measurement/run.ts'
import { standingDecisions } from '../../report/acceptance.ts'
import { type DecidedReport, decided } from '../../report/decisions.ts'
import type { CheckRunOutput } from '../../report/render/check-run.ts'
import type { RenderLinks } from '../../report/render/view.ts'
import type { Degradation, HowMeasured, TriageReport } from '../../report/report.ts'
import { asReadBack } from '../../store/runs/read-back.ts'
import { gatherCommits } from '../triage/gather.ts'
import { type ChangeOfHead, checkRunOf, type HeadSources, headInput, judgeHead } from '../triage/judge-head.ts'
import { linksOf } from '../triage/links.ts'
import { storeInMemory } from './known-of-run.ts'
import type { HeadResults } from './results.ts'

/** Judges the runs of a pull request's head without a server: as the App would that has these runs and this history. */

export interface RunToJudge {
  readonly octokit: Octokit
  readonly pullRequest: PullRequest
  readonly config: RepositoryConfig
  /** Of the configuration. */
  readonly degradation: Degradation | null
  /** The newest attempt of each check, with all that was read of it. */
  readonly results: Pick<HeadResults, 'runs' | 'shards' | 'isFinal'>
  /** Attempts that those have replaced; left out: none is known. */
  readonly earlierRuns?: readonly Run[]
  readonly howMeasured: HowMeasured | null
  readonly changedFiles: ChangeOfHead['changedFiles']
  /** Lines of the history file: those of the trunk's runs from the time on that is looked back to. */
  readonly historyLines: string
  /** What people have decided on a pull request, by its number. */
  readonly decisionsOn: DecisionsOf
  /** Left out: they were never looked for. */
  readonly failingTests?: TriageReport['failingTests']
  /** The newest report of another head of the pull request, and of this head; left out: none is known. */
  readonly previous?: TriageReport | null
  readonly earlier?: TriageReport | null
  /** Milliseconds. */
  readonly now: number
  readonly log: Logger
}

export interface JudgedRun {
  readonly report: DecidedReport
  readonly checkRun: CheckRunOutput
}

/** A job has no pages, and hears no command that starts another one. */
export function linksOfJob(pullRequest: PullRequest, config: RepositoryConfig): RenderLinks {
  return { ...linksOf({ publicUrl: null, hasSignIn: false }, pullRequest, config), rerunsByHand: true }
}

/** Throws what GitHub answers. */
export async function judgeRun(run: RunToJudge): Promise<JudgedRun> {
  const { pullRequest, config, changedFiles } = run
  const input = headInput({ ...run, ...(await knownOf(run)) })
  const { commits } = pullRequest
  const judged = await judgeHead(sourcesOf(run), config, input, { commits, changedFiles })
  const report = decided(judged.report, config, input.said?.mute ?? null)
  const links = linksOfJob(pullRequest, config)
  return { report, checkRun: await checkRunOf(report, links, changedFiles) }
}

async function knownOf(run: RunToJudge) {
  const { octokit, pullRequest, config, results, decisionsOn, now, failingTests = null } = run
  const runs = results.runs.map((one) => asReadBack(one, config.metric))
  const { shards, isFinal } = results
  return {
    ...(await gatherCommits(octokit, refOf(pullRequest), pullRequest, runs)),
    ...{ runs, shards, isFinal, failingTests },
    said: standingDecisions(decisionsOn(pullRequest.number), now, config.mode),
    previous: run.previous ?? null,
    earlier: run.earlier ?? null,
  }
}

function sourcesOf({ octokit, pullRequest, results, earlierRuns = [], historyLines, ...run }: RunToJudge): HeadSources {
  const { decisionsOn, log } = run
  const ref = refOf(pullRequest)
  const history = parseHistoryLines(historyLines)
  if (history.problems.size > 0)
    log.warn({ problems: Object.fromEntries(history.problems) }, 'lines of the history file were not read')
  return {
    store: storeInMemory(results.runs, earlierRuns, history.runs),
    copied: null,
    commitLine: (base, head) => commitLine(octokit, ref, base, head),
    commitsBetween: (older, newer) => commitsBetween(octokit, ref, older, newer),
    askCommits: (lastGood, firstBad) => commitRange(octokit, ref, lastGood, firstBad),
    decisionsOn: async () => decisionsOn,
    log,
  }
}

function refOf({ repository: { owner, name } }: PullRequest) {
  return { owner, repo: name }
}
