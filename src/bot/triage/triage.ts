import type { RepositoryConfig } from '../../config/repository-config.ts'
import { type ChangedFiles, listChangedFiles } from '../../github/changed-files.ts'
import { getPullRequest } from '../../github/pull-requests.ts'
import type { PullRequestTarget, TriageClaim } from '../../inbox/triages.ts'
import { queryKey, type Run } from '../../intake/measurement/run.ts'
import { ofFailure } from '../../judge/ledger/entry.ts'
import type { Said } from '../../judge/verdict/acceptance.ts'
import {
  acceptedMeasurement,
  type Decision,
  firstEnd,
  measurementKeys,
  standingDecisions,
} from '../../report/acceptance.ts'
import { shardsLess } from '../../report/check-conclusion.ts'
import { type HeadInput, runOfResult } from '../../report/classify-head.ts'
import { decided } from '../../report/decisions.ts'
import { hasResults } from '../../report/parts.ts'
import {
  renderConfigNeverValid,
  renderDatabaseDown,
  renderNothingFits,
  renderNothingToMeasure,
} from '../../report/render/check-without-report.ts'
import type { Degradation, HowMeasured, Shard, TriageReport } from '../../report/report.ts'
import type { RunOf } from '../../store/reports/flag-rows.ts'
import { NEWEST_REPORT } from '../../store/reports/recent-reports.ts'
import type { Store } from '../../store/store.ts'
import { StoreUnavailable } from '../../store/store-unavailable.ts'
import { rememberMerge } from './after-merge.ts'
import { type Confirmation, confirmHead, isRerunDue } from './confirm.ts'
import { failingTestsOfHead } from './failing-tests-of-head.ts'
import { type GatheredChecks, gatherChecks, gatherCommits } from './gather.ts'
import { measure, readOthers, shardOf, unfitNames } from './ingest.ts'
import { checkRunOf, headInput, type JudgedHead, judgeHead, maySkip } from './judge-head.ts'
import { saveMovers } from './ledger-entries.ts'
import { linksOf } from './links.ts'
import { loadConfig } from './load-config.ts'
import {
  hasWaitedLongEnough,
  LOOK_AGAIN_MS,
  LOOK_RARELY_MS,
  lastTimeOf,
  lookAgainAt,
  OTHERS_AFTER_MS,
  OTHERS_AGAIN_MS,
  PATIENCE_MS,
} from './look-again.ts'
import { measuringFilesOf } from './measuring-files.ts'
import { mirrorDecisions } from './mirror-decisions.ts'
import { optionalAnswer } from './optional-answer.ts'
import { seePullRequest } from './people.ts'
import type { PerformanceCheck } from './performance-checks.ts'
import { copyProfilesOfHead } from './profiles-of-head.ts'
import {
  concludeSuperseded,
  concludeSwitchedOff,
  type PublishContext,
  publish,
  publishConfigCheck,
  publishWithoutReport,
  reopenCheckRun,
  Superseded,
} from './publish.ts'
import { sourcesOfHead } from './sources-of-head.ts'
import { keepRead } from './take-event.ts'
import type { TriageContext, TriageResult } from './triage-context.ts'
import { UnstoredRuns } from './unstored-runs.ts'
import { workflowsIn } from './workflows-of-head.ts'

/**
 * Brings one pull request to the state that should stand: reads the present, computes the report, writes the difference.
 * Running it twice, out of order or after a crash gives the same result. Throws what the caller should try again.
 */
export async function triage(context: TriageContext, target: TriageClaim<PullRequestTarget>): Promise<TriageResult> {
  const octokit = await context.github.forInstallation(target.installationId)
  const named = { owner: target.owner, repo: target.repo }
  const versionBefore = await context.inbox.repositories.version(target.repositoryId)
  const pullRequest = await getPullRequest(octokit, named, target.pullRequestNumber)
  // Deleted or transferred away, or the name belongs to another repository now.
  if (pullRequest === null || pullRequest.repository.id !== target.repositoryId) {
    return { waitUntil: null, head: null }
  }
  await keepRead(context, target.installationId, pullRequest.repository, versionBefore)
  await seePullRequest(context, pullRequest)
  const log = context.log.child({ repository: `${target.owner}/${target.repo}`, pullRequest: pullRequest.number })
  const publishing: PublishContext = {
    octokit,
    ref: { owner: pullRequest.repository.owner, repo: pullRequest.repository.name },
    self: await context.github.identity(),
    pullRequest,
    posted: context.inbox.posted,
    now: context.now,
    log,
    labelsSeen: context.labelsSeen,
    isHeld: () => context.inbox.triages.holds(target),
    isSilent: false,
  }
  try {
    const waitUntil = await context.looks.inFront(target.id, () => bringUpToDate(context, target, publishing))
    return { waitUntil, head: pullRequest.head }
  } catch (error) {
    if (!(error instanceof Superseded)) throw error
    log.info(error.message)
    return { waitUntil: context.now(), head: pullRequest.head }
  }
}

/** What a look at an open pull request has found on GitHub, before anything is read or measured. */
interface Look {
  readonly context: TriageContext
  readonly target: TriageClaim<PullRequestTarget>
  readonly publishing: PublishContext
  readonly config: RepositoryConfig
  readonly degradation: Degradation | null
  readonly gathered: GatheredChecks
  /** Nothing is waited for any longer. */
  readonly gaveUp: boolean
  readonly changedFiles: () => Promise<ChangedFiles | null>
  /** Throws where it can't be known. */
  readonly measuredHow: () => Promise<HowMeasured | null>
}

/** Returns when to look again although no event comes; null: only when something happens. */
async function bringUpToDate(
  context: TriageContext,
  target: TriageClaim<PullRequestTarget>,
  loud: PublishContext,
): Promise<number | null> {
  const { octokit, ref, self, pullRequest, log } = loud
  const { repository, number, head } = pullRequest
  if (repository.isArchived) return null
  const loaded = await loadConfig(octokit, ref, repository.id, context.inbox.configs, context.now(), log)
  const { enabled, mode } = loaded.config
  const publishing: PublishContext = {
    ...loud,
    isSilent: mode === 'shadow',
    checkUse: mode === 'gating' ? 'gate' : 'report',
  }
  await concludeSuperseded(publishing)
  if (!pullRequest.isOpen) {
    if (!enabled) return null
    await rememberMerge(context, publishing)
    const runs = await context.store.runs.of(repository.id, head, loaded.config.metric)
    if (!runs.some(isPart)) return null
    const gathered = await gatherChecks(octokit, ref, loaded.config, head, self.appId)
    return await othersOf({ context, target, publishing, config: loaded.config, gathered }, runs)
  }
  if (!enabled || publishing.isSilent) await concludeSwitchedOff(publishing)
  if (!enabled) return context.now() + LOOK_RARELY_MS

  const listed = once(() => listChangedFiles(octokit, ref, number))
  await publishConfigCheck(publishing, listed)
  const known = await workflowsOfTrunk(context.store, repository.id)
  const { ofTrunk } = known
  const gathered = await context.metrics.timed('gather', () =>
    gatherChecks(octokit, ref, loaded.config, head, self.appId, ofTrunk),
  )
  const measuredHow = once(async () => measuringFilesOf(publishing, loaded.config, gathered, ofTrunk, await listed()))
  const changedFiles = () => optionalAnswer(listed(), null, 'the changed files could not be read', log)
  const gaveUp = hasWaitedLongEnough(gathered.performance, context.now())
  const look: Look = { context, target, publishing, ...loaded, gathered, gaveUp, changedFiles, measuredHow }
  const early = await endedEarly(look)
  if (early !== null) return early.waitUntil
  const unstored = new UnstoredRuns()
  let published: Published | null
  try {
    if (known.error !== null) throw known.error
    published = await reportOn(look, unstored)
  } catch (error) {
    if (error instanceof StoreUnavailable && hasFinished(gathered.performance)) {
      const body = renderDatabaseDown(loaded.config.mode)
      await publishWithoutReport(publishing, body, lastTimeOf(gathered.performance))
    } else {
      // The next try need not read the sources again.
      const warn = (lost: unknown) => log.warn({ err: lost }, 'the runs that were read are not stored')
      await storeRuns(look, unstored).catch(warn)
    }
    throw error
  }
  return published === null ? null : await afterReport(look, unstored, published)
}

/** While the database is away nothing of the trunk is known, which is said where the results would be judged. */
async function workflowsOfTrunk(
  store: Store,
  repositoryId: number,
): Promise<{ readonly ofTrunk: ReadonlyMap<string, string>; readonly error: StoreUnavailable | null }> {
  try {
    return { ofTrunk: await store.runs.workflowsOfTrunk(repositoryId), error: null }
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    return { ofTrunk: new Map(), error }
  }
}

/** Stores the runs of a look, unless another process has the work by now: that one writes the same rows. */
async function storeRuns({ context, publishing }: Look, unstored: UnstoredRuns): Promise<void> {
  // The triage has to fail here: it would end as done, and nobody would store the runs.
  context.stopping.throwIfAborted()
  if (await publishing.isHeld()) await unstored.store()
}

/** Where there is nothing to measure yet, or at all: what is said then, and when to look again. Null: there is. */
async function endedEarly(look: Look): Promise<Pick<TriageResult, 'waitUntil'> | null> {
  const { context, publishing, config, degradation, gathered } = look
  const { repository, number } = publishing.pullRequest
  const { inbox, now } = context
  const checks = gathered.performance
  if (isFromBefore(checks, await inbox.installations.firstSeenAt(repository.id))) return { waitUntil: null }
  if (config.mode === 'gating') {
    if (gathered.skipped === 'so-far') return { waitUntil: now() + LOOK_AGAIN_MS }
    if (gathered.skipped === 'all') await publishSkipped(look)
    if (checks.some(({ state }) => state !== 'finished')) await reopenCheckRun(publishing)
  }
  if (checks.length > 0) return null
  const hasComment = (await inbox.posted.latestPosted(repository.id, number)).comment !== null
  if (degradation === 'config-never-valid') {
    await publishWithoutReport(publishing, renderConfigNeverValid(config.mode), Number.POSITIVE_INFINITY)
    if (!hasComment) return { waitUntil: now() + LOOK_RARELY_MS }
  }
  if (!hasComment && gathered.unfit.length > 0 && !(await hasReport(context.store, repository.id)))
    await publishWithoutReport(publishing, renderNothingFits(unfitNames(config, gathered)), Number.POSITIVE_INFINITY)
  return hasComment ? null : { waitUntil: null }
}

/** Nothing was to be measured, which a pull request may have seen to itself: that takes a maintainer like another measurement. */
async function publishSkipped(look: Look): Promise<void> {
  const { context, publishing, config, measuredHow } = look
  const { head } = publishing.pullRequest
  const changed = await measuredHow()
  const shards = await skippedOf(look)
  const measured = {
    head,
    shards: [],
    ...(changed !== null && { howMeasured: changed }),
    ...(shards !== null && { lessThanUsual: { shards } }),
  }
  const said = standingDecisions(await saidOf(look), context.now(), config.mode)
  const isOpen = measurementKeys(measured).length > 0 && acceptedMeasurement(measured, said) === null
  const reasons = [
    ...(changed === null ? [] : [{ kind: 'measurement-changed', ...changed } as const]),
    ...(shards === null ? [] : [shardsLess(shards)]),
  ]
  const findings = {
    head,
    rows: [],
    suites: [],
    unknowns: [],
    ...(isOpen && { measurement: measurementKeys(measured) }),
  }
  const content = renderNothingToMeasure(isOpen ? reasons : [], config.commands.prefix)
  await publishWithoutReport(publishing, content, Number.POSITIVE_INFINITY, findings)
}

/** How many shards are missing where all were skipped; null: the trunk has none either, or nothing that is measured was changed. */
async function skippedOf({ context, publishing, config, gathered, changedFiles }: Look) {
  const before = Math.max(context.now(), lastTimeOf(gathered.skippedChecks))
  const wanted = { repositoryId: publishing.pullRequest.repository.id, metric: config.metric, before }
  const usual = await context.store.runs.usualOfTrunk(wanted)
  if (usual === null || maySkip(config, await changedFiles())) return null
  return { measured: 0, usual: usual.shards, skipped: gathered.skippedChecks.map(({ check }) => check) }
}

/** Whether anything was ever judged there: a repository that measures under the names that it chose needs no advice. */
async function hasReport(store: Store, repositoryId: number): Promise<boolean> {
  return (await store.reports.recent(repositoryId, NEWEST_REPORT, 1)).length > 0
}

/** A report that stands on the pull request, with what it was made of. */
interface Published {
  readonly input: HeadInput
  readonly judged: JudgedHead
  readonly report: TriageReport
  readonly runOf: ReturnType<typeof runOfResult>
  readonly confirmation: Confirmation
}

/** Measures, judges and publishes; null: nothing was measured. */
async function reportOn(look: Look, unstored: UnstoredRuns): Promise<Published | null> {
  const { context, target, publishing, config, gathered, changedFiles } = look
  const { metrics } = context
  const input = await inputOf(look, unstored)
  if (input === null) return null
  const sources = sourcesOfHead(context, publishing, config, Date.parse(input.judgedAt))
  const { commits } = publishing.pullRequest
  const judged = await metrics.timed('judge', () => judgeHead(sources, config, input, { commits, changedFiles }))
  const runOf = runOfResult(judged.head)
  const workflows = workflowsIn(config, gathered)
  const decidedNow = async () => {
    const isDue = await isRerunDue(context, publishing, config, judged.report, runOf, workflows)
    return decided(judged.report, config, input.said?.mute ?? null, isDue)
  }
  let report = await decidedNow()
  if (hasResults(report) && (await saveIfNew(context.store, report, input.earlier ?? null, runOf))) {
    const known = new Map(input.earlier?.rows.map((row) => [queryKey(row), row.verdict]))
    for (const row of report.rows)
      if (row.verdict !== null && row.verdict !== known.get(queryKey(row))) metrics.verdict(row.verdict)
  }
  const beforeRerun = () => storeRuns(look, unstored)
  const confirmation = await confirmHead(context, publishing, config, report, runOf, workflows, beforeRerun)
  // GitHub may have refused: then nothing is waited for.
  if (report.undecided?.rerunIsDue === true && confirmation.names.length === 0 && confirmation.error === null) {
    report = await decidedNow()
    if (report.undecided?.rerunIsDue === false && hasResults(report)) await context.store.reports.save(report, runOf)
  }
  const links = { ...linksOf(context, publishing.pullRequest, config), runsAgain: confirmation.names }
  const checkRun = await checkRunOf(report, links, changedFiles)
  await metrics.timed('publish', () =>
    publish(publishing, report, input.previous, config, links, checkRun, target.isAskedFor),
  )
  return { input, judged, report, runOf, confirmation }
}

/** Stores what the pages need and the comment did not. Returns when to look again. */
async function afterReport(
  look: Look,
  unstored: UnstoredRuns,
  { input, judged, report, runOf, confirmation }: Published,
): Promise<number | null> {
  const { context, target, publishing, config, gathered, gaveUp } = look
  await context.metrics.timed('store', () => storeRuns(look, unstored))
  if (confirmation.error !== null) throw confirmation.error
  if (target.isAskedFor) await context.inbox.triages.answered(target)
  await saveMovers(context, target, config, judged)
  await mirrorDecisions(context)
  // Last: nobody waits for it.
  const copies = context.store.profileCopies
  await copyProfilesOfHead(report, { copies, runOf, known: judged.profiles, log: publishing.log })
  const others = await othersOf(look, input.runs)
  const again = lookAgainAt(report, gathered.performance, gaveUp, context.now())
  return earliest(
    others,
    again,
    firstEnd([...(await saidOf(look)), ...(await declarationsIn(look, report))], context.now()),
  )
}

/** When to read the metrics that no report is made of, or to go on with it; null: they are there. */
async function othersOf(
  {
    context,
    target,
    publishing,
    config,
    gathered,
  }: Omit<Look, 'degradation' | 'gaveUp' | 'changedFiles' | 'measuredHow'>,
  runs: readonly Run[],
): Promise<number | null> {
  const unread = runs.filter((run) => isPart(run) && run.pullRequestNumber === publishing.pullRequest.number)
  if (unread.length === 0) return null
  // A run that this look has read says no time, and another pull request may have stored it first: the next look sees that.
  const from = Math.max(...unread.map(({ storedAt = context.now() }) => storedAt)) + OTHERS_AFTER_MS
  if (context.now() < from) return from
  if (context.looks.isReading) return context.now() + OTHERS_AGAIN_MS
  const isWanted = () => context.inbox.triages.isWanted(target)
  const reading = context.looks.readBehind(target.id, isWanted, (standBack) =>
    context.metrics.timed('others', () =>
      readOthers(context, publishing, config, gathered.performance, unread, standBack),
    ),
  )
  return await reading.catch((error: unknown) => {
    context.stopping.throwIfAborted()
    publishing.log.warn({ err: error }, 'the metrics that no report shows were not read')
    return context.now() - from > PATIENCE_MS ? null : context.now() + LOOK_AGAIN_MS
  })
}

function isPart({ othersUnread }: Run): boolean {
  return othersUnread === true
}

async function saidOf({ context: { inbox }, publishing: { pullRequest } }: Look): Promise<Decision[]> {
  return await inbox.decisions.list(pullRequest.repository.id, pullRequest.number)
}

/** What people have said in the whole repository of the failing tests of a report. */
async function declarationsIn(
  { context: { inbox }, publishing: { pullRequest } }: Look,
  { failingTests }: TriageReport,
): Promise<readonly Said[]> {
  if (failingTests === null) return []
  const declarations = await inbox.decisions.declarations(pullRequest.repository.id)
  return failingTests.failures.flatMap(({ failure }) => ofFailure(declarations, failure)?.by ?? [])
}

function earliest(...times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}

/** The measurements of the head with all that is known beside them; null: nothing was measured that is still to be had. */
async function inputOf(look: Look, unstored: UnstoredRuns): Promise<HeadInput | null> {
  const { context, publishing, config, degradation, gathered, gaveUp } = look
  const { octokit, ref, pullRequest } = publishing
  const { repository, number, head } = pullRequest
  const checks = gathered.performance
  const measured = await context.metrics.timed('measure', () => measure(context, publishing, config, checks, unstored))
  const apart = checks.length === 0 ? [] : gathered.skippedChecks
  const shards = [...measured.shards, ...apart.map((check) => shardOf(check, 'skipped', null))]
  const previous = await context.store.reports.before(repository.id, number, head)
  if (checks.length === 0 && previous === null) return null
  const earlier = await context.store.reports.of(repository.id, number, head)
  if (gaveUp && hasOnlyExpiredResults(earlier, shards)) return null
  const commits = await gatherCommits(octokit, ref, pullRequest, measured.runs)
  const said = standingDecisions(await saidOf(look), context.now(), config.mode)
  return headInput({
    pullRequest,
    config,
    degradation,
    howMeasured: await look.measuredHow(),
    ...commits,
    runs: measured.runs,
    shards,
    isFinal: gaveUp,
    failingTests: await failingTestsOfHead({ ...look, said, mergeBase: commits.mergeBase, isFinal: gaveUp }),
    previous,
    earlier,
    said,
    now: context.now(),
  })
}

function hasFinished(checks: readonly PerformanceCheck[]): boolean {
  return checks.some(({ state }) => state === 'finished')
}

/** An event may come some time after what it tells of. */
const EVENT_DELAY_MS = 3600_000

/** The checks all ended before the App was installed: a comment on every old pull request is not wanted. */
function isFromBefore(checks: readonly PerformanceCheck[], firstSeenAt: number | null): boolean {
  if (firstSeenAt === null || checks.length === 0) return false
  return checks.every(({ finishedAt }) => finishedAt !== null && Date.parse(finishedAt) < firstSeenAt - EVENT_DELAY_MS)
}

/** Samples and artifacts are gone after a while; what was said of them stands. A re-run without results is not that. */
function hasOnlyExpiredResults(earlier: TriageReport | null, shards: readonly Shard[]): boolean {
  if (shards.length === 0 || !shards.every(({ problem }) => problem === 'expired' || problem === 'no-results'))
    return false
  return earlier !== null && hasResults(earlier)
}

/** Whether it was stored; the same report judged again is not stored again: `earlier` is the newest of this head. */
async function saveIfNew(
  store: Store,
  report: TriageReport,
  earlier: TriageReport | null,
  runOf: RunOf,
): Promise<boolean> {
  const isSame =
    earlier !== null && JSON.stringify({ ...earlier, judgedAt: '' }) === JSON.stringify({ ...report, judgedAt: '' })
  if (!isSame) await store.reports.save(report, runOf)
  return !isSame
}

/** A question that is asked the first time only. */
function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | null = null
  return () => (asked ??= ask())
}
