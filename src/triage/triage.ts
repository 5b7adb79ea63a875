import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Store, StoreUnavailable } from '../clickhouse/store.ts'
import type { RepositoryConfig } from '../config/repository-config.ts'
import type { GitHubApp } from '../github/github-app.ts'
import { getPullRequest, type PullRequest } from '../github/pull-requests.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { TriageTarget } from '../inbox/triages.ts'
import type { Run } from '../measurement/run.ts'
import { renderCheckRun } from '../render/check-run.ts'
import { renderDatabaseDown } from '../render/database-down.ts'
import { hasResults, NO_LINKS, type RenderLinks } from '../render/view.ts'
import { DEFAULT_THRESHOLDS, type ThresholdSettings } from '../verdict/thresholds.ts'
import { reportPath, wordsPath } from '../web/urls.ts'
import { publishConfigCheck } from './config-check.ts'
import { gatherChecks, gatherCommits } from './gather.ts'
import { ingest } from './ingest.ts'
import { judge } from './judge.ts'
import { loadConfig } from './load-config.ts'
import type { PerformanceCheck } from './performance-checks.ts'
import { concludeSuperseded, type PublishContext, publish, publishDatabaseDown, Superseded } from './publish.ts'
import type { Degradation, Shard, ShardProblem, TriageReport } from './report.ts'

export interface TriageContext {
  readonly github: GitHubApp
  readonly inbox: Inbox
  readonly store: Store
  /** Without a slash at the end; null: no page is linked. */
  readonly publicUrl: string | null
  readonly isAllowedHost: (url: URL) => boolean
  readonly dataDir: string
  readonly now: () => number
  readonly log: Logger
  /** Sources that can never give a run: not fetched again by this process. */
  readonly hopeless: Map<string, ShardProblem>
  /** Pull requests (`triageKey`) whose check somebody asked to run again: written whether or not anything changed. */
  readonly askedFor: Set<string>
}

export function triageKey(repositoryId: number, pullRequestNumber: number): string {
  return `${repositoryId}#${pullRequestNumber}`
}

/** The folder in the data folder for downloads in progress; emptied at every start. */
export const SCRATCH_FOLDER = 'downloads'

export interface TriageResult {
  /** When to look again although nothing is heard; null: when something is. */
  readonly waitUntil: number | null
  readonly head: string | null
}

/** How often outstanding shards are looked for although no event comes. */
const LOOK_AGAIN_MS = 10 * 60_000

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
export async function triage(context: TriageContext, target: TriageTarget): Promise<TriageResult> {
  const octokit = await context.github.forInstallation(target.installationId)
  const named = { owner: target.owner, repo: target.repo }
  const pullRequest = await getPullRequest(octokit, named, target.pullRequestNumber)
  // Deleted or transferred away, or the name belongs to another repository now.
  if (pullRequest === null || pullRequest.repository.id !== target.repositoryId) {
    return { waitUntil: null, head: null }
  }
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
    const waitUntil = await bringUpToDate(context, publishing)
    return { waitUntil, head: pullRequest.head }
  } catch (error) {
    if (!(error instanceof Superseded)) throw error
    log.info(error.message)
    return { waitUntil: context.now(), head: pullRequest.head }
  }
}

async function bringUpToDate(context: TriageContext, publishing: PublishContext): Promise<number | null> {
  const { octokit, ref, self, pullRequest, log } = publishing
  const { repository, head } = pullRequest
  if (repository.isArchived) return null
  await concludeSuperseded(publishing)
  if (!pullRequest.isOpen) return null
  const isAskedFor = context.askedFor.delete(triageKey(repository.id, pullRequest.number))
  if (isAskedFor) context.hopeless.clear()

  await publishConfigCheck(publishing)
  const { config, degradation } = await loadConfig(
    octokit,
    ref,
    repository.id,
    context.inbox.configs,
    context.now(),
    log,
  )
  const checks = await gatherChecks(octokit, ref, config, head, self.appId)
  const firstSeen = context.inbox.installations.firstSeenAt(repository.id)
  if (isFromBefore(checks, firstSeen)) return null
  const hasComment = context.inbox.posted.latestPosted(repository.id, pullRequest.number).comment !== null
  if (checks.length === 0 && !hasComment) return null

  try {
    const { runs, shards } = await measure(context, publishing, config, checks)
    const previous = await context.store.reportBefore(repository.id, pullRequest.number, head)
    if (checks.length === 0 && previous === null) return null
    const gaveUp = hasWaitedLongEnough(checks, context.now())
    if (gaveUp && (await isLongRead(context.store, pullRequest, shards))) return null
    const report = judge({
      repository: {
        id: repository.id,
        owner: repository.owner,
        name: repository.name,
        isPrivate: repository.isPrivate,
        url: repository.url,
      },
      pullRequest: { number: pullRequest.number, baseRef: pullRequest.baseRef },
      head,
      ...(await gatherCommits(octokit, ref, pullRequest, runs)),
      runs,
      shards,
      isFinal: gaveUp,
      primaryMetric: config.metric,
      thresholds: thresholdsOf(config),
      failingTests: null,
      mode: config.mode,
      previous,
      degradations: degradationsOf(degradation),
      judgedAt: new Date(context.now()).toISOString(),
    })
    if (hasResults(report)) await saveIfNew(context.store, report)
    const links = linksOf(context.publicUrl, pullRequest, config)
    await publish(publishing, report, previous, config, links, renderCheckRun(report, links), isAskedFor)
    const mayStillCome = checks.length > 0 && !gaveUp && (!report.complete || shards.some(isPassing))
    return mayStillCome ? context.now() + LOOK_AGAIN_MS : null
  } catch (error) {
    if (error instanceof StoreUnavailable && hasFinished(checks)) {
      await publishDatabaseDown(publishing, renderDatabaseDown())
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
    thresholds: thresholdsOf(config),
    pullRequest,
    store: context.store,
    isAllowedHost: context.isAllowedHost,
    scratchDir: join(context.dataDir, SCRATCH_FOLDER),
    log,
    hopeless: context.hopeless,
  }
  const shards = await mapLimited(checks, INGESTED_AT_ONCE, async (check): Promise<Shard> => {
    if (check.state !== 'finished') return shardOf(check, check.state, null)
    const problem = await ingest(ingesting, check)
    return shardOf(check, problem === null ? 'measured' : 'failed', problem)
  })
  const stored = await context.store.runsOf(pullRequest.repository.id, pullRequest.head)
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

/** Pages of private repositories are shown to nobody yet, so nothing leads there. */
function linksOf(
  publicUrl: string | null,
  { repository, number, head }: PullRequest,
  { links: dashboards }: RepositoryConfig,
): RenderLinks {
  if (publicUrl === null) return { ...NO_LINKS, dashboards }
  const { owner, name: repo } = repository
  return {
    reportUrl: repository.isPrivate ? null : `${publicUrl}${reportPath({ owner, repo, number, head })}`,
    wordsUrl: `${publicUrl}${wordsPath()}`,
    dashboards,
  }
}

function thresholdsOf({ thresholds }: RepositoryConfig): ThresholdSettings {
  const { changed, unstable, learnedCap } = thresholds
  return { ...DEFAULT_THRESHOLDS, configured: { changed, unstable }, learnedCap }
}

function degradationsOf(config: Degradation | null): Degradation[] {
  return config === null ? ['history-not-available'] : ['history-not-available', config]
}

function hasFinished(checks: readonly PerformanceCheck[]): boolean {
  return checks.some(({ state }) => state === 'finished')
}

/** Nothing has ended or begun for so long that what has not come never will. */
function hasWaitedLongEnough(checks: readonly PerformanceCheck[], now: number): boolean {
  const times = checks.flatMap(({ startedAt, finishedAt }) => [startedAt, finishedAt]).filter((time) => time !== null)
  const last = Math.max(0, ...times.map((time) => Date.parse(time)))
  return last > 0 && now - last > PATIENCE_MS
}

/** What may be there at the next look: a server that did not answer, a file that is published after the check ends. */
function isPassing({ problem }: Shard): boolean {
  return problem === 'download-failed' || problem === 'no-results'
}

/** An event may come some time after what it tells of. */
const EVENT_DELAY_MS = 3600_000

/** All of it ended before the App was installed: nobody wants a comment on every old pull request. */
function isFromBefore(checks: readonly PerformanceCheck[], firstSeenAt: number | null): boolean {
  if (firstSeenAt === null || checks.length === 0) return false
  return checks.every(({ finishedAt }) => finishedAt !== null && Date.parse(finishedAt) < firstSeenAt - EVENT_DELAY_MS)
}

/** Samples and artifacts are gone after a while; what was said of them stands. A re-run without results is not that. */
async function isLongRead(
  store: Store,
  { repository, number, head }: PullRequest,
  shards: readonly Shard[],
): Promise<boolean> {
  if (shards.length === 0 || !shards.every(({ problem }) => problem === 'expired' || problem === 'no-results'))
    return false
  const stored = await store.reportOf(repository.id, number, head)
  return stored !== null && hasResults(stored)
}

/** The same report judged again is not stored again. */
async function saveIfNew(store: Store, report: TriageReport): Promise<void> {
  const stored = await store.reportOf(report.repository.id, report.pullRequest.number, report.head)
  const isSame =
    stored !== null && JSON.stringify({ ...stored, judgedAt: '' }) === JSON.stringify({ ...report, judgedAt: '' })
  if (!isSame) await store.saveReport(report)
}

async function mapLimited<T, R>(items: readonly T[], limit: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const worker = async () => {
    while (next < items.length) {
      const index = next
      next += 1
      results[index] = await work(items[index]!)
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
  return results
}
