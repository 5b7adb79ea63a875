import { isDeepStrictEqual } from 'node:util'
import type { RepositoryConfig } from '../../config/repository-config.ts'
import { listChangedFiles } from '../../github/changed-files.ts'
import type { BranchTree, HistoryBranch } from '../../github/history-branch.ts'
import { JOB_IDENTITY } from '../../github/job-client.ts'
import { isReportedByOther } from '../../github/own-check-run.ts'
import { isCommentedByOther } from '../../github/own-comment.ts'
import { getPullRequest, type PullRequest } from '../../github/pull-requests.ts'
import { LEARNING_DAYS, LEARNING_GAP_DAYS } from '../../judge/history/learned-thresholds.ts'
import { measuredAt } from '../../report/classify-head.ts'
import { hasResults } from '../../report/parts.ts'
import { hasMarker } from '../../report/render/comment.ts'
import type { TriageReport } from '../../report/report.ts'
import { DAY } from '../../text/time.ts'
import { measuringFilesOf } from '../triage/measuring-files.ts'
import {
  CHECK_NAME,
  concludeSuperseded,
  ensureCurrent,
  type PublishContext,
  publish,
  Superseded,
} from '../triage/publish.ts'
import { parseDecisions } from './decisions.ts'
import { areSamplesAccepted, neutralAtBest, withSamples } from './fork-check.ts'
import { appended, DECISIONS_FILE, HISTORY_BRANCH, linesSince, POSTED_FILE, textOf } from './history-files.ts'
import type { JudgingContext } from './job.ts'
import { type JudgedRun, judgeRun, linksOfJob } from './judge.ts'
import { reportBefore, withReport } from './kept-reports.ts'
import { PostedLines, parsePosted, postedText } from './posted.ts'
import { type HeadResults, readHead, workflowsOf } from './results.ts'
import { notKeptSummary, type Posting, refusalSummary, reportSummary } from './summary.ts'

/** A run of a pull request to its comment, check run and summary. */

/** Reads, judges and publishes. What is to be published is decided without a look at what the results say of themselves. */
export async function judgePullRequest(context: JudgingContext, number: number): Promise<void> {
  const { io, ref, admitted, branch } = context
  const pullRequest = await getPullRequest(io.octokit, ref, number)
  if (pullRequest === null || !pullRequest.isOpen || pullRequest.head !== admitted.head)
    return await io.summarize(refusalSummary('no-pull-request'))
  const results = await readHead(context.reading, admitted, number, context.isAdmitted)
  for (let looks = 1; ; looks += 1) {
    const tree = await branch.tree()
    const previous = await reportBefore(branch, tree, number, pullRequest.head)
    const judged = await judge(context, pullRequest, results, tree, previous)
    const posted = new PostedLines(parsePosted(await textOf(branch, tree, POSTED_FILE)).lines, (findings) =>
      admitted.isFork ? withSamples(findings, judged.report) : findings,
    )
    const publishing = publishingOf(context, pullRequest, results, posted)
    const isLatest = async () => looks === MOST_LOOKS || (await claimed(context, tree, judged.report, number))
    const work = () => post(context, publishing, judged, previous, isLatest)
    const posting = await keptAfterwards(context, posted, judged.report, work)
    if (posting === null) continue
    const links = linksOfJob(pullRequest, context.config)
    return await io.summarize(reportSummary(judged, links, posting, publishing.self.slug))
  }
}

/** How often a pull request is judged by one job, of which others write meanwhile. */
const MOST_LOOKS = 3

/**
 * Whether nobody has written of the pull request since the tree was read. Then what is first posted of a head is told of before it is
 * there, so that of two jobs one creates it.
 */
async function claimed(
  { branch, io: { log, now } }: JudgingContext,
  tree: BranchTree,
  { head }: JudgedRun['report'],
  number: number,
): Promise<boolean> {
  const before = await writtenOf(branch, tree, number)
  const isFirst = before.posted.every((line) => line.head !== head)
  const claim = { v: 1, pull: number, kind: 'check-run', id: null, hash: null, head, at: now() } as const
  let isLatest = false
  const change = branch.change(async (standing) => {
    isLatest = isDeepStrictEqual(await writtenOf(branch, standing, number), before)
    const lines = new Map([[POSTED_FILE, postedText(claim)]])
    return isLatest && isFirst ? await appended(branch, standing, lines, `Post on pull request ${number}`) : null
  })
  // Where the branch can't be written, what is found is posted all the same.
  await change.catch((error: unknown) => log.warn({ err: error }, 'what is to be posted could not be told of'))
  return isLatest
}

async function writtenOf(branch: HistoryBranch, tree: BranchTree, number: number) {
  const isOfIt = ({ pull }: { readonly pull: number }) => pull === number
  return {
    posted: parsePosted(await textOf(branch, tree, POSTED_FILE)).lines.filter(isOfIt),
    said: parseDecisions(await textOf(branch, tree, DECISIONS_FILE)).lines.filter(isOfIt),
  }
}

/** The next job knows what was put on the pull request, also where this one fails in between. */
async function keptAfterwards<T>(
  { branch, io }: JudgingContext,
  posted: PostedLines,
  report: TriageReport,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } finally {
    // The comment and the check are found again by what they are, and the summary is still to come.
    await keep(branch, posted.added(), report).catch(async (error: unknown) => {
      io.log.error({ err: error }, 'what was posted could not be kept')
      await io.summarize(notKeptSummary(HISTORY_BRANCH, (error as Error).message))
    })
  }
}

async function keep(branch: HistoryBranch, lines: string, report: TriageReport): Promise<void> {
  if (lines === '') return
  const text = `Post on pull request ${report.pullRequest.number}`
  await branch.change(async (tree) => {
    const { files, message } = await appended(branch, tree, new Map([[POSTED_FILE, lines]]), text)
    const kept = hasResults(report) ? [await withReport(branch, tree, report)] : []
    return { files: new Map([...files, ...kept]), message }
  })
}

async function judge(
  { io, ref, config, degradation, branch, admitted }: JudgingContext,
  pullRequest: PullRequest,
  results: HeadResults,
  tree: BranchTree,
  previous: TriageReport | null,
): Promise<JudgedRun> {
  const { octokit, now, log } = io
  const changed = await listChangedFiles(octokit, ref, pullRequest.number)
  const gathered = { performance: results.checks, skippedChecks: results.skipped }
  const measuring = { octokit, ref, pullRequest }
  const howMeasured = await measuringFilesOf(measuring, config, gathered, workflowsOf(results.checks), changed)
  const lines = parseDecisions(await textOf(branch, tree, DECISIONS_FILE)).lines
  const decisionsOn = (number: number) => lines.flatMap(({ pull, decision }) => (pull === number ? [decision] : []))
  const judged = await judgeRun({
    octokit,
    pullRequest,
    config,
    degradation,
    results,
    howMeasured,
    changedFiles: async () => changed,
    historyLines: await linesSince(branch, tree, readFrom(config, results, now())),
    decisionsOn,
    previous,
    now: now(),
    log,
  })
  const isTrusted = !admitted.isFork || areSamplesAccepted(decisionsOn(pullRequest.number), judged.report, now())
  return isTrusted
    ? judged
    : { ...judged, checkRun: neutralAtBest(judged.checkRun, judged.report, config.commands.prefix) }
}

/** The time from which on the rules look at the trunk's history. */
function readFrom({ lookbackDays }: RepositoryConfig, { runs }: HeadResults, now: number): number {
  return (measuredAt(runs) ?? now) - Math.max(lookbackDays, LEARNING_GAP_DAYS + LEARNING_DAYS) * DAY
}

function publishingOf(
  { io, ref, runUrl }: JudgingContext,
  pullRequest: PullRequest,
  { appId }: HeadResults,
  posted: PostedLines,
): PublishContext {
  const { octokit, now, log } = io
  return {
    octokit,
    ref,
    self: { ...JOB_IDENTITY, appId: appId ?? JOB_IDENTITY.appId },
    pullRequest,
    posted,
    now,
    log,
    labelsSeen: new Map(),
    isHeld: async () => true,
    isSilent: false,
    detailsUrl: runUrl,
  }
}

/**
 * Writes the difference between what stands on the pull request and what should stand, where it is this job that reports there. Null: others
 * have written since, and it is to be judged again.
 */
async function post(
  { config }: JudgingContext,
  publishing: PublishContext,
  { report, checkRun }: JudgedRun,
  previous: TriageReport | null,
  isLatest: () => Promise<boolean>,
): Promise<Posting | null> {
  if (config.mode === 'shadow') return 'shadow'
  if (await isReportedByApp(publishing)) return 'app-reported'
  try {
    await ensureCurrent(publishing)
    if (!(await isLatest())) return null
    await concludeSuperseded(publishing)
    const links = linksOfJob(publishing.pullRequest, config)
    // No job hears a button.
    await publish(publishing, report, previous, config, links, { ...checkRun, buttons: [] }, false)
    return 'posted'
  } catch (error) {
    if (!(error instanceof Superseded)) throw error
    publishing.log.info(error.message)
    return 'superseded'
  }
}

async function isReportedByApp({ octokit, ref, self, pullRequest }: PublishContext): Promise<boolean> {
  const { head, number } = pullRequest
  return (
    (await isReportedByOther(octokit, ref, head, CHECK_NAME, number, self.appId)) ||
    (await isCommentedByOther(octokit, ref, number, hasMarker, self))
  )
}
