import type { Logger } from 'pino'
import type { RepositoryConfig } from '../../config/repository-config.ts'
import { commitLine, commitRange } from '../../github/commit-range.ts'
import { commitsBetween } from '../../github/commits.ts'
import type { Octokit } from '../../github/octokit.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import type { DecisionsOf } from '../../inbox/decisions.ts'
import { type HistoryRun, parseHistoryLines } from '../../intake/imports/history/history-lines.ts'
import { type Run, resultKey } from '../../intake/measurement/run.ts'
import { foldedDifference } from '../../judge/profile/folded.ts'
import { standingDecisions } from '../../report/acceptance.ts'
import type { ClassifiedHead } from '../../report/classify-head.ts'
import { type DecidedReport, decided } from '../../report/decisions.ts'
import { decisive, hasResults } from '../../report/parts.ts'
import type { CheckRunOutput } from '../../report/render/check-run.ts'
import type { RenderLinks } from '../../report/render/view.ts'
import type { Degradation, HowMeasured, TriageReport } from '../../report/report.ts'
import type { Profiles } from '../../store/profiles/profiles.ts'
import { asReadBack } from '../../store/runs/read-back.ts'
import { gatherCommits } from '../triage/gather.ts'
import { type ChangeOfHead, checkRunOf, type HeadSources, headInput, judgeHead } from '../triage/judge-head.ts'
import { linksOf } from '../triage/links.ts'
import { differenceOf, MOST_PROFILES } from '../triage/profiles-of-head.ts'
import { storeInMemory } from './known-of-run.ts'
import type { HeadResults } from './results.ts'
import type { RowDetails } from './summary-details.ts'

/** Judges the runs of a pull request's head without a server: as the App would that has these runs and this history. */

export interface RunToJudge {
  readonly octokit: Octokit
  readonly pullRequest: PullRequest
  readonly config: RepositoryConfig
  /** Of the configuration. */
  readonly degradation: Degradation | null
  /** The newest attempt of each check, with all that was read of it, and the attempts that those have replaced. */
  readonly results: Pick<HeadResults, 'runs' | 'shards' | 'isFinal' | 'replaced'>
  readonly howMeasured: HowMeasured | null
  readonly changedFiles: ChangeOfHead['changedFiles']
  /** Lines of the history file: those of the trunk's runs from the time on that is looked back to. */
  readonly historyLines: string
  /** What people have decided on a pull request, by its number. */
  readonly decisionsOn: DecisionsOf
  /** Left out: they were never looked for. */
  readonly failingTests?: TriageReport['failingTests']
  /** The newest report of another head of the pull request; left out: none is known. */
  readonly previous?: TriageReport | null
  /** Milliseconds. */
  readonly now: number
  readonly log: Logger
}

export interface JudgedRun {
  readonly report: DecidedReport
  readonly checkRun: CheckRunOutput
  /** Of the rows with a verdict, the worst first. */
  readonly details: readonly RowDetails[]
}

/** A job has no pages, and hears no command that starts another one. */
export function linksOfJob(pullRequest: PullRequest, config: RepositoryConfig): RenderLinks {
  return { ...linksOf({ publicUrl: null, hasSignIn: false }, pullRequest, config), rerunsByHand: true }
}

/**
 * Judges the attempts one after the other, each by the report of those before it: a finding stands until later ones take it back.
 * Throws what GitHub answers.
 */
export async function judgeRun(run: RunToJudge): Promise<JudgedRun> {
  const { pullRequest, config, changedFiles, results } = run
  const history = historyOf(run)
  const earlierRuns: Run[] = []
  let earlier: TriageReport | null = null
  for (const replaced of results.replaced) {
    const { report } = await judgeTogether(run, { ...replaced, isFinal: true }, history, earlierRuns, earlier)
    if (hasResults(report)) earlier = report
    earlierRuns.push(...replaced.runs.filter((one) => !earlierRuns.includes(one)))
  }
  const { report, details } = await judgeTogether(run, results, history, earlierRuns, earlier)
  const links = linksOfJob(pullRequest, config)
  return { report, details, checkRun: await checkRunOf(report, links, changedFiles) }
}

type Together = Omit<RunToJudge['results'], 'replaced'>

async function judgeTogether(
  run: RunToJudge,
  together: Together,
  history: readonly HistoryRun[],
  earlierRuns: readonly Run[],
  earlier: TriageReport | null,
): Promise<Pick<JudgedRun, 'report' | 'details'>> {
  const { pullRequest, config, changedFiles } = run
  const input = headInput({ ...run, ...(await knownOf(run, together)), earlier })
  const { commits } = pullRequest
  const older = earlierRuns.filter((one) => !together.runs.includes(one))
  const sources = sourcesOf(run, storeInMemory(together.runs, older, history))
  const judged = await judgeHead(sources, config, input, { commits, changedFiles })
  const report = decided(judged.report, config, input.said?.mute ?? null)
  return { report, details: await detailsOf(report, judged.head, sources.store.profiles) }
}

async function detailsOf(
  { rows, repository, head }: DecidedReport,
  { measured }: Pick<ClassifiedHead, 'measured'>,
  profiles: Profiles,
): Promise<readonly RowDetails[]> {
  const shown = rows.filter(({ verdict }) => verdict !== null).slice(0, MOST_PROFILES)
  return await Promise.all(
    shown.map(async (row) => {
      const result = decisive(row)
      const { old = [], new: fresh = [] } = measured.get(resultKey(result))?.measurement ?? {}
      const wanted = { ...result, repositoryId: repository.id, head }
      const stacks = row.profile == null ? null : await profiles.stacksOf(wanted, row.profile.traceType)
      const folded = stacks === null ? null : [...foldedDifference(differenceOf(stacks).difference, WHOLE)]
      return { row, old, new: fresh, stacks: folded }
    }),
  )
}

/** As `difffolded.pl` prints them. */
const WHOLE = { normalize: false, fractions: false }

async function knownOf(run: RunToJudge, { shards, isFinal, ...together }: Together) {
  const { octokit, pullRequest, config, decisionsOn, now, failingTests = null } = run
  const runs = together.runs.map((one) => asReadBack(one, config.metric))
  return {
    ...(await gatherCommits(octokit, refOf(pullRequest), pullRequest, runs)),
    ...{ runs, shards, isFinal, failingTests },
    said: standingDecisions(decisionsOn(pullRequest.number), now, config.mode),
    previous: run.previous ?? null,
  }
}

function historyOf({ historyLines, log }: RunToJudge): readonly HistoryRun[] {
  const { runs, problems } = parseHistoryLines(historyLines)
  if (problems.size > 0) log.warn({ problems: Object.fromEntries(problems) }, 'lines of the history file were not read')
  return runs
}

function sourcesOf({ octokit, pullRequest, decisionsOn, log }: RunToJudge, store: HeadSources['store']): HeadSources {
  const ref = refOf(pullRequest)
  return {
    store,
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
