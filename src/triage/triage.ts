import pLimit from 'p-limit'
import { type RepositoryConfig, thresholdSettings } from '../config/repository-config.ts'
import { listChangedFiles } from '../github/changed-files.ts'
import { getPullRequest, type PullRequest } from '../github/pull-requests.ts'
import type { PullRequestTarget, TriageClaim } from '../inbox/triages.ts'
import type { FailingTests } from '../ledger/failure.ts'
import type { Run } from '../measurement/run.ts'
import { renderCheckRun } from '../render/check-run.ts'
import { renderConfigNeverValid, renderDatabaseDown, renderNothingToMeasure } from '../render/check-without-report.ts'
import { NO_LINKS, type RenderLinks } from '../render/view.ts'
import { type HeadInput, runOfResult } from '../report/classify-head.ts'
import { decided } from '../report/decisions.ts'
import { hasResults } from '../report/parts.ts'
import type { Shard, ShardProblem, TriageReport } from '../report/report.ts'
import { flameGraphPath, reportPath, wordsPath } from '../report/urls.ts'
import type { RunOf, Store } from '../store/store.ts'
import { StoreUnavailable } from '../store/store-unavailable.ts'
import { failingTestsOfHead, optionalAnswer } from './failing-tests-of-head.ts'
import { gatherChecks, gatherCommits } from './gather.ts'
import { ingest } from './ingest.ts'
import { judgeHead } from './judge-head.ts'
import { saveMovers } from './ledger-entries.ts'
import { loadConfig } from './load-config.ts'
import type { PerformanceCheck } from './performance-checks.ts'
import {
  concludeSuperseded,
  type PublishContext,
  publish,
  publishConfigCheck,
  publishWithoutReport,
  reopenCheckRun,
  Superseded,
} from './publish.ts'
import { keepRead } from './read-repositories.ts'
import type { TriageContext, TriageResult } from './triage-context.ts'

/** How often outstanding shards are looked for although no event comes. */
const LOOK_AGAIN_MS = 10 * 60_000

/** How soon a download that failed is tried again at first. */
const LOOK_SOON_MS = 30_000

/** How often a CI database that does not answer is asked when nothing else is waited for. */
const LOOK_RARELY_MS = 3600_000

/**
 * How long after the last result shards that never came are waited for. A performance job has a time-out of two hours; a
 * shard that is still not there after six never started.
 */
const PATIENCE_MS = 6 * 3600_000

/** Downloads and reads at once, per pull request. */
const INGESTED_AT_ONCE = 3

/**
 * Brings one pull request to the state that should stand: reads the present, computes the report, writes the difference.
 * Running it twice, out of order or after a crash gives the same result. Throws what the caller should try again.
 */
export async function triage(context: TriageContext, target: TriageClaim<PullRequestTarget>): Promise<TriageResult> {
  const octokit = await context.github.forInstallation(target.installationId)
  const named = { owner: target.owner, repo: target.repo }
  const versionBefore = context.inbox.repositories.version(target.repositoryId)
  const pullRequest = await getPullRequest(octokit, named, target.pullRequestNumber)
  // Deleted or transferred away, or the name belongs to another repository now.
  if (pullRequest === null || pullRequest.repository.id !== target.repositoryId) {
    return { waitUntil: null, head: null }
  }
  keepRead(context, target.installationId, pullRequest.repository, versionBefore)
  const log = context.log.child({ repository: `${target.owner}/${target.repo}`, pullRequest: pullRequest.number })
  const publishing: PublishContext = {
    octokit,
    ref: { owner: pullRequest.repository.owner, repo: pullRequest.repository.name },
    self: await context.github.identity(),
    pullRequest,
    posted: context.inbox.posted,
    now: context.now,
    log,
  }
  try {
    const waitUntil = await bringUpToDate(context, target, publishing)
    return { waitUntil, head: pullRequest.head }
  } catch (error) {
    if (!(error instanceof Superseded)) throw error
    log.info(error.message)
    return { waitUntil: context.now(), head: pullRequest.head }
  }
}

async function bringUpToDate(
  context: TriageContext,
  target: TriageClaim<PullRequestTarget>,
  publishing: PublishContext,
): Promise<number | null> {
  const { octokit, ref, self, pullRequest, log } = publishing
  const { repository, head } = pullRequest
  if (repository.isArchived) return null
  await concludeSuperseded(publishing)
  if (!pullRequest.isOpen) return null
  const { isAskedFor } = target

  await publishConfigCheck(publishing)
  const { config, degradation } = await loadConfig(
    octokit,
    ref,
    repository.id,
    context.inbox.configs,
    context.now(),
    log,
  )
  const gathered = await gatherChecks(octokit, ref, config, head, self.appId)
  const checks = gathered.performance
  const firstSeen = context.inbox.installations.firstSeenAt(repository.id)
  if (isFromBefore(checks, firstSeen)) return null
  const hasComment = context.inbox.posted.latestPosted(repository.id, pullRequest.number).comment !== null
  if (config.mode === 'gating') {
    if (gathered.skipped === 'so-far') return context.now() + LOOK_AGAIN_MS
    if (gathered.skipped === 'all')
      await publishWithoutReport(publishing, renderNothingToMeasure(), Number.POSITIVE_INFINITY)
    if (checks.some(({ state }) => state !== 'finished')) await reopenCheckRun(publishing)
  }
  if (checks.length === 0 && degradation === 'config-never-valid') {
    await publishWithoutReport(publishing, renderConfigNeverValid(config.mode), Number.POSITIVE_INFINITY)
    if (!hasComment) return context.now() + LOOK_RARELY_MS
  }
  if (checks.length === 0 && !hasComment) return null

  try {
    const measured = await measure(context, publishing, config, checks)
    const { runs } = measured
    const apart = checks.length === 0 ? [] : gathered.skippedChecks
    const shards = [...measured.shards, ...apart.map((check) => shardOf(check, 'skipped', null))]
    const previous = await context.store.reportBefore(repository.id, pullRequest.number, head)
    if (checks.length === 0 && previous === null) return null
    const gaveUp = hasWaitedLongEnough(checks, context.now())
    if (gaveUp && (await hasOnlyExpiredResults(context.store, pullRequest, shards))) return null
    const commits = await gatherCommits(octokit, ref, pullRequest, runs)
    const changedFiles = once(() =>
      optionalAnswer(listChangedFiles(octokit, ref, pullRequest.number), null, 'the changed files are not known', log),
    )
    const earlier = await context.store.reportOf(repository.id, pullRequest.number, head)
    const failingTests = await failingTestsOfHead(
      context,
      target,
      publishing,
      config,
      gathered,
      commits.mergeBase,
      gaveUp,
      changedFiles,
    )
    const input: HeadInput = {
      repository: {
        id: repository.id,
        owner: repository.owner,
        name: repository.name,
        isPrivate: repository.isPrivate,
        url: repository.url,
      },
      pullRequest: { number: pullRequest.number, baseRef: pullRequest.baseRef },
      head,
      base: pullRequest.baseSha,
      ...commits,
      runs,
      shards,
      isFinal: gaveUp,
      primaryMetric: config.metric,
      thresholds: thresholdSettings(config),
      failingTests,
      mode: config.mode,
      previous,
      earlier,
      degradations: degradation === null ? [] : [degradation],
      judgedAt: new Date(context.now()).toISOString(),
    }
    const judged = await judgeHead(context, publishing, config, input, changedFiles)
    const report = decided(judged.report, config)
    if (hasResults(report)) await saveIfNew(context.store, report, earlier, runOfResult(judged.head))
    const links = linksOf(context, pullRequest, config)
    await publish(publishing, report, previous, config, links, renderCheckRun(report, links), isAskedFor)
    if (isAskedFor) context.inbox.triages.answered(target)
    await saveMovers(context, target, config, judged)
    const mayStillCome =
      checks.length > 0 && !gaveUp && (!report.complete || shards.some(isPassing) || isOutstanding(failingTests))
    if (mayStillCome) return context.now() + lookAgainIn(shards, checks, context.now())
    if (report.history?.problem === 'copying') return context.now() + (gaveUp ? LOOK_RARELY_MS : LOOK_AGAIN_MS)
    // A CI database comes back one day, and the comment has promised to be completed then.
    const isDown = (failingTests !== null && failingTests.problem !== null) || (!gaveUp && isHistoryDown(report))
    return isDown ? context.now() + LOOK_RARELY_MS : null
  } catch (error) {
    if (error instanceof StoreUnavailable && hasFinished(checks)) {
      await publishWithoutReport(publishing, renderDatabaseDown(config.mode), lastTimeOf(checks))
    }
    throw error
  }
}

/** Reads what is in and not stored yet; returns the measurement set and the state of every shard. */
async function measure(
  context: TriageContext,
  { octokit, ref, pullRequest, log }: PublishContext,
  config: RepositoryConfig,
  checks: readonly PerformanceCheck[],
): Promise<{ readonly runs: readonly Run[]; readonly shards: readonly Shard[] }> {
  const ingesting = {
    octokit,
    ref,
    config,
    thresholds: thresholdSettings(config),
    subject: {
      repositoryId: pullRequest.repository.id,
      pullRequestNumber: pullRequest.number,
      head: pullRequest.head,
    },
    store: context.store,
    isAllowedHost: context.isAllowedHost,
    scratch: context.scratch,
    log,
    stopping: context.stopping,
    refusedSources: context.inbox.refusedSources,
    now: context.now,
  }
  const shards = await pLimit(INGESTED_AT_ONCE).map(checks, async (check): Promise<Shard> => {
    if (check.skipped !== undefined) return shardOf(check, 'failed', check.skipped)
    if (check.state !== 'finished') return shardOf(check, check.state, null)
    const problem = await ingest(ingesting, check)
    return shardOf(check, problem === null ? 'measured' : 'failed', problem)
  })
  const stored = await context.store.runsOf(pullRequest.repository.id, pullRequest.head, config.metric)
  // An older attempt of a check that runs again, or one that gave nothing this time, does not stand in for it.
  const current = new Set(checks.map(runKey))
  return { runs: stored.filter((run) => current.has(runKey(run))), shards }
}

function runKey({
  check,
  architecture,
  shard,
  attempt,
}: Pick<Run, 'check' | 'architecture' | 'shard' | 'attempt'>): string {
  return JSON.stringify([check, architecture, shard, attempt])
}

function shardOf(check: PerformanceCheck, state: Shard['state'], problem: ShardProblem | null): Shard {
  const { architecture, shard, shards, url, conclusion } = check
  return { check: check.check, architecture, shard, shards, state, problem, url, conclusion }
}

/** Without a sign-in pages of private repositories are shown to nobody, so nothing leads there. */
function linksOf(
  { publicUrl, hasSignIn }: Pick<TriageContext, 'publicUrl' | 'hasSignIn'>,
  { repository, number, head }: PullRequest,
  { links: dashboards, ledger: { issueLabels } }: RepositoryConfig,
): RenderLinks {
  if (publicUrl === null) return { ...NO_LINKS, dashboards, issueLabels }
  const { owner, name: repo } = repository
  const address = { owner, repo, number, head }
  return {
    reportUrl: repository.isPrivate && !hasSignIn ? null : `${publicUrl}${reportPath(address)}`,
    flameGraphUrl: repository.isPrivate && !hasSignIn ? null : (row) => `${publicUrl}${flameGraphPath(address, row)}`,
    wordsUrl: `${publicUrl}${wordsPath()}`,
    dashboards,
    issueLabels,
  }
}

function hasFinished(checks: readonly PerformanceCheck[]): boolean {
  return checks.some(({ state }) => state === 'finished')
}

/** Checks are not waited for any longer when none has begun or ended for this long. */
function hasWaitedLongEnough(checks: readonly PerformanceCheck[], now: number): boolean {
  const last = lastTimeOf(checks)
  return last > 0 && now - last > PATIENCE_MS
}

/** When something last began or ended, in milliseconds; 0 where nobody knows. */
function lastTimeOf(checks: readonly PerformanceCheck[]): number {
  const times = checks.flatMap(({ startedAt, finishedAt }) => [startedAt, finishedAt]).filter((time) => time !== null)
  return Math.max(0, ...times.map((time) => Date.parse(time)))
}

/** The history may answer at the next look. What it does not hold or does not let us read, it will not then. */
function isHistoryDown({ history }: TriageReport): boolean {
  const problem = history?.problem
  return problem === 'unreachable' || problem === 'too-slow' || problem === 'unexpected-answer'
}

/**
 * A download that failed is tried again soon after the results came, and less and less often as time goes by: half of the
 * time that has gone by since, from 30 s to ten minutes. A host that restarts costs a minute, one that is down for a day a few requests.
 */
function lookAgainIn(shards: readonly Shard[], checks: readonly PerformanceCheck[], now: number): number {
  if (!shards.some(({ problem }) => problem === 'download-failed')) return LOOK_AGAIN_MS
  return Math.min(Math.max((now - lastTimeOf(checks)) / 2, LOOK_SOON_MS), LOOK_AGAIN_MS)
}

/** A problem that may be gone at the next look: a server that did not answer, a file that is published after the check ends. */
function isPassing({ problem }: Shard): boolean {
  return problem === 'download-failed' || problem === 'no-results'
}

/** A CI database could not be asked, or a red check is not in the CI results yet. */
function isOutstanding(failingTests: FailingTests | null): boolean {
  return (
    failingTests !== null &&
    (failingTests.problem !== null || failingTests.redChecks.some(({ state }) => state === 'not-known'))
  )
}

/** An event may come some time after what it tells of. */
const EVENT_DELAY_MS = 3600_000

/** The checks all ended before the App was installed: a comment on every old pull request is not wanted. */
function isFromBefore(checks: readonly PerformanceCheck[], firstSeenAt: number | null): boolean {
  if (firstSeenAt === null || checks.length === 0) return false
  return checks.every(({ finishedAt }) => finishedAt !== null && Date.parse(finishedAt) < firstSeenAt - EVENT_DELAY_MS)
}

/** Samples and artifacts are gone after a while; what was said of them stands. A re-run without results is not that. */
async function hasOnlyExpiredResults(
  store: Store,
  { repository, number, head }: PullRequest,
  shards: readonly Shard[],
): Promise<boolean> {
  if (shards.length === 0 || !shards.every(({ problem }) => problem === 'expired' || problem === 'no-results'))
    return false
  const stored = await store.reportOf(repository.id, number, head)
  return stored !== null && hasResults(stored)
}

/** The same report judged again is not stored again: `earlier` is the newest of this head. */
async function saveIfNew(
  store: Store,
  report: TriageReport,
  earlier: TriageReport | null,
  runOf: RunOf,
): Promise<void> {
  const isSame =
    earlier !== null && JSON.stringify({ ...earlier, judgedAt: '' }) === JSON.stringify({ ...report, judgedAt: '' })
  if (!isSame) await store.saveReport(report, runOf)
}

/** A question that is asked the first time only. */
function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | null = null
  return () => (asked ??= ask())
}
