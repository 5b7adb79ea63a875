import { type Event, readEvent } from '../events/event.ts'
import { type Hint, hintsOf, installationsOf, isOfFailingTests, isOfInterest, trunkOf } from '../events/wakes.ts'
import { redeliverFailed } from '../github/deliveries.ts'
import { outageOf } from '../github/outage.ts'
import { findOpenPullRequests } from '../github/pull-requests.ts'
import type { DeliveryClaim } from '../inbox/deliveries.ts'
import type { TriageClaim } from '../inbox/triages.ts'
import { WORK_AT_ONCE } from '../inbox/turns.ts'
import { StoreUnavailable } from '../store/store-unavailable.ts'
import { type RecentConfigs, recentConfigs } from './load-config.ts'
import { readChanged } from './read-repositories.ts'
import { triage } from './triage.ts'
import type { TriageContext } from './triage-context.ts'
import { triageTrunk } from './trunk.ts'
import { withDeadline } from './with-deadline.ts'

/**
 * Takes what is in the inbox and works it off, in the order that the inbox gives: each pull request serially, different
 * ones and deliveries side by side.
 */
export interface Worker {
  /** Looks for work now instead of at the next tick. */
  poke(): void
  /** Looks at unfinished triages, asks GitHub again for deliveries that failed, drops what is long done. */
  sweep(): Promise<void>
  /** Resolves when nothing is due and nothing is under way. What waits for a shard is not due. */
  idle(): Promise<void>
  /** Takes nothing new and resolves when what is under way has ended, at the latest after `timeoutMs`; may be called again. */
  stop(timeoutMs: number): Promise<void>
}

export interface WorkerOptions {
  readonly sweepIntervalMs: number
  /** How often a database that is away is asked whether it is back. */
  readonly databaseIntervalMs?: number
}

export const SWEEP_INTERVAL_MS = 5 * 60_000

/** Work that is due and could not begin waits for a free place, which wakes the worker by itself. */
const BLOCKED_SLEEP_MS = 1000
const LONGEST_SLEEP_MS = 30_000
const DATABASE_INTERVAL_MS = 10_000
const DATABASE_ANSWER_MS = 5_000
/** How often an inbox that can't be written is tried again. */
const INBOX_INTERVAL_MS = 2_000
const WATCH_INTERVAL_MS = 60_000
/** Work of this age is said to wait: it is beyond the time in which hints are collected, and the pace of comments. */
const OLD_SECONDS = 120
const RENEW_INTERVAL_MS = 5 * 60_000
/** GitHub can be asked again for a delivery for three days. */
const REDELIVERY_WINDOW_MS = 3 * 24 * 3600_000
/** GitHub's clock is not ours, and says whole seconds. */
const CLOCK_SKEW_MS = 5 * 60_000
/** A delivery may be entered late, and one that fails again and again is asked for once an hour. */
const REDELIVERY_OVERLAP_MS = 2 * 3600_000

export function startWorker(context: TriageContext, options: WorkerOptions): Worker {
  const { sweepIntervalMs, databaseIntervalMs = DATABASE_INTERVAL_MS } = options
  const { inbox, now, log } = context
  const firstStart = inbox.firstStart(now())
  const configs = recentConfigs(context)
  const underWay = { deliveries: new Set<Promise<void>>(), triages: new Set<Promise<void>>() }
  /** Deliveries of before this time have been looked through. */
  let sweptUntil = 0
  let isStopped = false
  let isAskingDatabase = false
  let timer: NodeJS.Timeout | undefined
  /** Ends of work that could not be written, on a full disk for example. */
  let unwritten: (() => void)[] = []
  const sweeper = setInterval(() => void sweep(), sweepIntervalMs)
  const watch = setInterval(() => survive(sayWhatWaits), WATCH_INTERVAL_MS)
  const databaseWatch = setInterval(() => void askDatabase(), databaseIntervalMs)

  function track(set: Set<Promise<void>>, work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => log.error({ err: error }, 'the worker failed'))
      .finally(() => {
        set.delete(tracked)
        tick()
      })
    set.add(tracked)
  }

  /** A disk that is full now has room later: what throws here would end the process. */
  function survive(work: () => void): boolean {
    try {
      work()
      return true
    } catch (error) {
      log.error({ err: error }, 'the inbox could not be read or written')
      return false
    }
  }

  /** Work whose end stays unwritten would hold its place until its lease runs out. */
  function end(write: () => void): void {
    if (!survive(write)) unwritten.push(write)
  }

  /** Starts what is due and can start, and sleeps until something else is. */
  function tick(): void {
    if (isStopped) return
    clearTimeout(timer)
    let sleep = INBOX_INTERVAL_MS
    survive(() => {
      unwritten = unwritten.filter((write) => !survive(write))
      begin()
      if (unwritten.length === 0) sleep = sleepTime([inbox.deliveries.nextAt(), inbox.triages.nextAt()], now())
    })
    timer = setTimeout(tick, sleep)
  }

  function begin(): void {
    inbox.triages.dueForSweep(now())
    while (underWay.deliveries.size < WORK_AT_ONCE) {
      const delivery = inbox.deliveries.claimNext(now())
      if (delivery === null) break
      track(underWay.deliveries, workOffDelivery(delivery))
    }
    while (underWay.triages.size < WORK_AT_ONCE) {
      const claim = inbox.triages.claimNext(now())
      if (claim === null) break
      track(underWay.triages, workOff(claim))
    }
  }

  async function workOffDelivery(delivery: DeliveryClaim): Promise<void> {
    try {
      await take(context, configs, readEvent(delivery.event, JSON.parse(delivery.payload)))
      end(() => void inbox.deliveries.finish(delivery, now()))
    } catch (error) {
      // Put back, with everything else that did not end.
      if (context.stopping.aborted) return
      const outage = outageOf(error, now())
      const { guid, event, installationId: installation } = delivery
      end(() => {
        const fate = inbox.deliveries.fail(delivery, error, now(), outage)
        log.warn({ err: error, delivery: guid, event, installation, outage, fate }, 'a delivery was not worked off')
      })
    }
  }

  async function workOff(claim: TriageClaim): Promise<void> {
    const { owner, repo, pullRequestNumber } = claim
    const subject = { repository: `${owner}/${repo}`, pullRequest: pullRequestNumber }
    const renewal = setInterval(() => {
      if (!isStopped) survive(() => void inbox.triages.renew(claim, now()))
    }, RENEW_INTERVAL_MS)
    const started = performance.now()
    try {
      const outcome = await (claim.pullRequestNumber === null ? triageTrunk(context, claim) : triage(context, claim))
      const milliseconds = Math.round(performance.now() - started)
      end(() => {
        inbox.triages.finish(claim, outcome, now())
        log.info({ ...subject, milliseconds, ...outcome }, 'triaged')
      })
    } catch (error) {
      if (context.stopping.aborted) return
      const outage =
        error instanceof StoreUnavailable ? ((await isDatabaseAway()) ? 'database' : null) : outageOf(error, now())
      if (context.stopping.aborted) return
      end(() => {
        const fate = inbox.triages.fail(claim, error, now(), outage)
        log.warn({ err: error, ...subject, installation: claim.installationId, outage, fate }, 'triage failed')
      })
    } finally {
      clearInterval(renewal)
    }
  }

  /** One statement may take too long or need too much in a database that answers: that is a failure of its own. */
  async function isDatabaseAway(): Promise<boolean> {
    try {
      await withDeadline(() => context.store.ping(), DATABASE_ANSWER_MS)
      return false
    } catch {
      return true
    }
  }

  /** Triages that failed for want of the database begin at once when it is back. */
  async function askDatabase(): Promise<void> {
    if (isAskingDatabase || isStopped) return
    isAskingDatabase = true
    try {
      if (!inbox.triages.wantsDatabase(now())) return
      if ((await isDatabaseAway()) || isStopped) return
      inbox.triages.databaseIsBack(now())
      tick()
    } catch (error) {
      log.error({ err: error }, 'the inbox could not be read or written')
    } finally {
      isAskingDatabase = false
    }
  }

  function sayWhatWaits(): void {
    const queue = inbox.queue(now())
    if (queue.oldestSeconds > OLD_SECONDS) log.warn(queue, 'work waits')
  }

  /** The time since which deliveries are looked through, never before the bot first ran: a comment on those is not waited for. */
  function since(): number {
    return Math.max(firstStart - CLOCK_SKEW_MS, now() - REDELIVERY_WINDOW_MS, sweptUntil)
  }

  async function sweep(): Promise<void> {
    try {
      inbox.prune(now())
      const begun = now()
      const asked = await redeliverFailed(
        await context.github.asApp(),
        new Date(since()),
        new Date(begun),
        (delivery, error) => log.warn({ err: error, delivery }, 'GitHub does not send a delivery again'),
      )
      sweptUntil = begun - REDELIVERY_OVERLAP_MS
      if (asked > 0) log.info({ asked }, 'deliveries that had failed were asked for again')
    } catch (error) {
      log.warn({ err: error }, 'the sweep was not completed')
    }
    tick()
  }

  inbox.recoverAfterCrash(now())
  tick()
  return {
    poke: tick,
    sweep,
    async idle() {
      for (;;) {
        await Promise.all([...underWay.deliveries, ...underWay.triages])
        const deliveries = inbox.deliveries.counts()
        const triages = inbox.triages.counts()
        if (deliveries.received + deliveries.working + triages.due + triages.working === 0) return
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
    async stop(timeoutMs) {
      isStopped = true
      clearTimeout(timer)
      clearInterval(sweeper)
      clearInterval(watch)
      clearInterval(databaseWatch)
      let limit: NodeJS.Timeout | undefined
      const timeout = new Promise<void>((resolve) => {
        limit = setTimeout(resolve, timeoutMs)
      })
      await Promise.race([Promise.all([...underWay.deliveries, ...underWay.triages]), timeout])
      clearTimeout(limit)
    },
  }
}

/** Writes down what an event tells: installations that came or went, and pull requests to look at. */
async function take(context: TriageContext, configs: RecentConfigs, event: Event): Promise<void> {
  const { github, inbox, now } = context
  for (const { kind, installationId, repositories } of installationsOf(event)) {
    const ids = repositories?.map(({ id }) => id) ?? null
    if (kind === 'removed') {
      inbox.installations.remove(installationId, ids)
      inbox.triages.settle(installationId, ids, now())
    } else {
      for (const { id, owner, repo } of repositories ?? []) {
        inbox.installations.seen({ repositoryId: id, installationId, owner, repo }, now())
      }
    }
  }
  await readChanged(context, event)
  const trunk = trunkOf(event)
  if (trunk !== null) inbox.triages.wake(trunk, now())
  for (const hint of hintsOf(event, await github.identity())) await follow(context, configs, event, hint)
}

async function follow(
  { github, inbox, now }: TriageContext,
  configs: RecentConfigs,
  event: Event,
  hint: Hint,
): Promise<void> {
  const { installationId, repositoryId, owner, repo, head } = hint
  const ref = { owner, repo }
  inbox.installations.seen({ repositoryId, installationId, owner, repo }, now())
  // Refused sources are read again once for each time that a person asks, not at each attempt.
  if (hint.isAskedFor) inbox.refusedSources.forget(repositoryId, head)
  const octokit = await github.forInstallation(installationId)
  const config = await configs.forceFetch(repositoryId, { context: { octokit, ref } })
  const mayChangeWhatIsShown = isOfFailingTests(event) && inbox.posted.hasHead(repositoryId, head)
  if (!isOfInterest(event, config) && !mayChangeWhatIsShown) return
  const numbers =
    hint.pullRequestNumber === null
      ? await findOpenPullRequests(octokit, ref, head, hint.headLabel)
      : [hint.pullRequestNumber]
  for (const pullRequestNumber of numbers) {
    const target = { installationId, repositoryId, owner, repo, pullRequestNumber, head }
    inbox.triages.wake(target, now(), hint.isAskedFor)
  }
}

function sleepTime(times: readonly (number | null)[], now: number): number {
  const next = Math.min(...times.filter((at) => at !== null), now + LONGEST_SLEEP_MS)
  return next > now ? next - now : BLOCKED_SLEEP_MS
}
