import { setTimeout as sleep } from 'node:timers/promises'
import { redeliverFailed } from '../../github/deliveries.ts'
import { isRefused } from '../../github/octokit.ts'
import { outageOf } from '../../github/outage.ts'
import type { AnswerClaim } from '../../inbox/answers.ts'
import { RowUnusable } from '../../inbox/database.ts'
import type { DeliveryClaim } from '../../inbox/deliveries.ts'
import { BEAT_MS, DEAD_AFTER_MS } from '../../inbox/processes.ts'
import type { TriageClaim } from '../../inbox/triages.ts'
import { WORK_AT_ONCE } from '../../inbox/turns.ts'
import { StoreUnavailable } from '../../store/store-unavailable.ts'
import { traced } from '../../telemetry/tracing.ts'
import { decodedEvent } from '../events/event.ts'
import { answerComment } from '../slash/answer-comment.ts'
import { type RecentConfigs, recentConfigs } from './load-config.ts'
import { takeEvent } from './take-event.ts'
import { triage } from './triage.ts'
import type { TriageContext } from './triage-context.ts'
import { triageTrunk } from './trunk.ts'
import { withDeadline } from './with-deadline.ts'

/** Takes due targets from the inbox and triages each, some at once. Which target comes first is the inbox’s rule. */

export interface WorkerOptions {
  readonly sweepIntervalMs: number
  /** How often a database that is away is asked whether it is back. */
  readonly databaseIntervalMs?: number
  /** false: what comes in is kept, and nothing is begun. Default true. */
  readonly isOn?: boolean
  /** Other processes have taken this one for dead, and have its work: it must not go on. */
  readonly onLost?: () => void
}

export const SWEEP_INTERVAL_MS = 5 * 60_000

/** Answers of all installations; of each one at a time. */
const ANSWERS_AT_ONCE = 10
/** Work that is due and could not begin waits for a free place, which wakes the worker by itself. */
const BLOCKED_SLEEP_MS = 1000
const LONGEST_SLEEP_MS = 30_000
/** Nobody says what other processes have brought. */
const SHARED_SLEEP_MS = 1000
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
const LONGEST_MISSED_PAUSE_MS = 60_000
/** GitHub gives up a delivery after ten seconds, and lists it then. */
const ENTERED_MS = 15_000
/** A delivery may be entered late, and one that fails again and again is asked for once an hour. */
const REDELIVERY_OVERLAP_MS = 2 * 3600_000

const REFUSED = 'triage failed: GitHub refuses what it needs; `perf-triage doctor` names the missing permission'

/**
 * Takes what is in the inbox and works it off, in the order that the inbox gives: each pull request serially, different
 * ones and deliveries side by side.
 */
export class Worker {
  readonly #context: TriageContext
  readonly #configs: RecentConfigs
  readonly #firstStart: number
  readonly #onLost: (() => void) | undefined
  readonly #underWay = {
    deliveries: new Set<Promise<void>>(),
    triages: new Set<Promise<void>>(),
    answers: new Set<Promise<void>>(),
  }
  readonly #intervals: readonly NodeJS.Timeout[]
  #timer: NodeJS.Timeout | undefined
  /** Deliveries of before this time have been looked through. */
  #sweptUntil = 0
  /** Since when deliveries were not taken, in milliseconds; null: all were. */
  #missedSince: number | null = null
  #missedTimer: NodeJS.Timeout | undefined
  #missedPause = INBOX_INTERVAL_MS
  #missedAskedAt = 0
  #isStopped = false
  #isAskingDatabase = false
  #isBeating = false
  /** Times of `performance.now`: of the last beat, and since when none has failed or was late. */
  #lastBeat = Number.NEGATIVE_INFINITY
  #steadySince = 0
  /** Ends of work that could not be written, on a full disk for example. */
  #unwritten: (() => Promise<unknown>)[] = []
  /** A round is to follow the one that is under way. */
  #isPoked = false
  #rounds: Promise<void> | null = null

  /** Makes due what a dead process had begun, and begins. Of a shared inbox nobody can say at once who is dead. */
  static async start(context: TriageContext, options: WorkerOptions): Promise<Worker> {
    const { inbox, now } = context
    const firstStart = await inbox.firstStart(now())
    if (options.isOn !== false || !inbox.isShared) await inbox.processes.enter(now())
    if (!inbox.isShared) await inbox.recoverAfterCrash(now())
    if (options.isOn !== false) await inbox.refusedSources.lookAtOtherHosts(now())
    return new Worker(context, options, firstStart)
  }

  private constructor(
    context: TriageContext,
    { sweepIntervalMs, databaseIntervalMs = DATABASE_INTERVAL_MS, isOn = true, onLost }: WorkerOptions,
    firstStart: number,
  ) {
    this.#context = context
    this.#onLost = onLost
    this.#configs = recentConfigs(context)
    this.#firstStart = firstStart
    this.#isStopped = !isOn
    if (!isOn) {
      this.#intervals = []
      return
    }
    this.#intervals = [
      setInterval(() => void this.sweepInTurn(), sweepIntervalMs),
      ...(context.inbox.isShared ? [setInterval(() => void this.#beat(), BEAT_MS)] : []),
      setInterval(() => void this.#survive(() => this.#sayWhatWaits()), WATCH_INTERVAL_MS),
      setInterval(() => void this.#askDatabase(), databaseIntervalMs),
    ]
    this.poke()
  }

  /** Starts what is due and can start now instead of at the next tick, and sleeps until something else is. */
  poke(): void {
    if (this.#isStopped) return
    this.#isPoked = true
    this.#rounds ??= this.#goRound()
  }

  /** One round at a time, and one more for whoever comes meanwhile. */
  async #goRound(): Promise<void> {
    while (this.#isPoked && !this.#isStopped) {
      this.#isPoked = false
      clearTimeout(this.#timer)
      const sleep = await this.#round()
      if (!this.#isStopped) this.#timer = setTimeout(() => this.poke(), sleep)
    }
    this.#rounds = null
  }

  /** Begins what can begin. Milliseconds until there may be more. */
  async #round(): Promise<number> {
    const { inbox, now } = this.#context
    let sleep = INBOX_INTERVAL_MS
    await this.#survive(async () => {
      for (const write of this.#unwritten.splice(0)) await this.#end(write)
      await this.#begin()
      const times = [await inbox.deliveries.nextAt(), await inbox.triages.nextAt(), await inbox.answers.nextAt()]
      if (this.#unwritten.length === 0)
        sleep = sleepTime(times, now(), inbox.isShared ? SHARED_SLEEP_MS : LONGEST_SLEEP_MS)
    })
    return sleep
  }

  /** The sweep, where no other process does it. */
  async sweepInTurn(): Promise<void> {
    if (await isFirst(this.#context)) await this.sweep()
  }

  /**
   * A delivery was not taken, or a connection to GitHub was lost with one: it is asked for as soon as the inbox can keep it, also
   * by a process that does no other work. Strangers can have it called as often as they like, and a delivery may fail each time:
   * the more often, the longer it waits.
   */
  missed(): void {
    const at = this.#context.now()
    this.#missedSince ??= at
    if (at - this.#missedAskedAt > 2 * LONGEST_MISSED_PAUSE_MS) this.#missedPause = INBOX_INTERVAL_MS
    this.#askForMissedIn(this.#missedPause)
  }

  #askForMissedIn(milliseconds: number): void {
    if (this.#missedTimer !== undefined || this.#context.stopping.aborted) return
    this.#missedTimer = setTimeout(() => {
      this.#missedTimer = undefined
      void this.#askForMissed()
    }, milliseconds).unref()
  }

  async #askForMissed(): Promise<void> {
    const { inbox, now, log, stopping } = this.#context
    const since = this.#missedSince
    if (since === null || stopping.aborted) return
    if (!(await this.#survive(() => inbox.ping()))) return this.#askForMissedIn(INBOX_INTERVAL_MS)
    this.#missedSince = null
    this.#missedAskedAt = now()
    this.#missedPause = Math.min(2 * this.#missedPause, LONGEST_MISSED_PAUSE_MS)
    try {
      await this.#redeliver(since - CLOCK_SKEW_MS)
      await sleep(ENTERED_MS, undefined, { ref: false, signal: stopping })
      await this.#redeliver(since - CLOCK_SKEW_MS)
    } catch (error) {
      if (stopping.aborted) return
      log.warn({ err: error }, 'what was missed could not be asked for yet')
      this.#missedSince = since
      this.#askForMissedIn(this.#missedPause)
    }
  }

  /** Asks GitHub again for the deliveries that failed since then. Returns how many. */
  async #redeliver(since: number): Promise<number> {
    const { github, now, log } = this.#context
    const asked = await redeliverFailed(await github.asApp(), new Date(since), new Date(now()), (delivery, error) =>
      log.warn({ err: error, delivery }, 'GitHub does not send a delivery again'),
    )
    if (asked > 0) log.info({ asked }, 'failed deliveries were requested again')
    return asked
  }

  /** Looks at unfinished triages, asks GitHub again for deliveries that failed, drops what is long done. */
  async sweep(): Promise<void> {
    if (this.#isStopped) return
    const { inbox, now, log } = this.#context
    try {
      await inbox.prune(now())
      const begun = now()
      await this.#redeliver(this.#since())
      this.#sweptUntil = begun - REDELIVERY_OVERLAP_MS
    } catch (error) {
      log.warn({ err: error }, 'the sweep was not completed')
    }
    this.poke()
  }

  /** Resolves when nothing is due and nothing is under way. What waits for a shard is not due. */
  async idle(): Promise<void> {
    const { inbox } = this.#context
    for (;;) {
      await this.#allUnderWay()
      // In this order: what a delivery has woken is there before its own work is done.
      const deliveries = await inbox.deliveries.counts()
      const triages = await inbox.triages.counts()
      const answers = await inbox.answers.due(this.#context.now())
      if (deliveries.received + deliveries.working + triages.due + triages.working + answers === 0) return
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  /** Takes nothing new and resolves when what is under way has ended, at the latest after `timeoutMs`; may be called again. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    for (const interval of this.#intervals) clearInterval(interval)
    // What goes on is cut off.
    await withDeadline(() => this.#allUnderWay(), timeoutMs).catch(() => {})
  }

  async #allUnderWay(): Promise<void> {
    await this.#rounds
    await Promise.all(Object.values(this.#underWay).flatMap((set) => [...set]))
  }

  #track(set: Set<Promise<void>>, work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => this.#context.log.error({ err: error }, 'the worker failed'))
      .finally(() => {
        set.delete(tracked)
        this.poke()
      })
    set.add(tracked)
  }

  /** A disk that is full now has room later: what throws here would end the process. */
  async #survive(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      this.#context.log.error({ err: error }, 'the inbox could not be read or written')
      return false
    }
  }

  /** Work whose end stays unwritten would hold its place until its lease runs out. */
  async #end(write: () => Promise<unknown>): Promise<void> {
    if (!(await this.#survive(write))) this.#unwritten.push(write)
  }

  async #begin(): Promise<void> {
    const { inbox, now } = this.#context
    const { deliveries, triages, answers } = this.#underWay
    await inbox.triages.dueForSweep(now())
    while (deliveries.size < WORK_AT_ONCE && !this.#isStopped) {
      const delivery = await inbox.deliveries.claimNext(now())
      // Put back, where the worker was stopped meanwhile.
      if (delivery === null || this.#isStopped) break
      this.#track(deliveries, this.#workOffDelivery(delivery))
    }
    while (triages.size < WORK_AT_ONCE && !this.#isStopped) {
      const claim = await inbox.triages.claimNext(now())
      if (claim === null || this.#isStopped) break
      this.#track(triages, this.#workOff(claim))
    }
    while (answers.size < ANSWERS_AT_ONCE && !this.#isStopped) {
      const claim = await inbox.answers.claimNext(now())
      if (claim === null || this.#isStopped) break
      this.#track(answers, this.#answer(claim))
    }
  }

  async #workOffDelivery(delivery: DeliveryClaim): Promise<void> {
    const { inbox, now, log, stopping } = this.#context
    try {
      await traced('delivery', { event: delivery.event, guid: delivery.guid }, async () => {
        const event = decodedEvent(delivery.event, delivery.payload)
        if (event === null) throw new RowUnusable('the payload of a delivery is not a JSON object')
        await takeEvent(this.#context, this.#configs, event)
      })
      this.#context.metrics.delivery('done')
      await this.#end(() => inbox.deliveries.finish(delivery, now()))
    } catch (error) {
      // Put back, with everything else that did not end.
      if (stopping.aborted) return
      this.#context.metrics.delivery('failed')
      const outage = outageOf(error, now())
      const { guid, event, installationId: installation } = delivery
      await this.#end(async () => {
        const fate = await inbox.deliveries.fail(delivery, error, now(), outage)
        log.warn({ err: error, delivery: guid, event, installation, outage, fate }, 'a delivery could not be processed')
      })
    }
  }

  async #answer(claim: AnswerClaim): Promise<void> {
    const { github, inbox, now, log, stopping } = this.#context
    try {
      const octokit = await github.forInstallation(claim.installationId)
      const context = { octokit, self: await github.identity(), inbox, now, log }
      await answerComment(context, claim, () => inbox.answers.granted(claim))
      await this.#end(() => inbox.answers.answered(claim, now()))
    } catch (error) {
      if (stopping.aborted) return
      const outage = outageOf(error, now())
      await this.#end(async () => {
        await inbox.answers.fail(claim, outage, now())
        const { installationId: installation, commentId: comment } = claim
        log.warn({ err: error, comment, installation, outage }, 'an answer could not be written')
      })
    }
  }

  async #workOff(claim: TriageClaim): Promise<void> {
    const { inbox, now, log, stopping, metrics } = this.#context
    const { owner, repo, pullRequestNumber } = claim
    const subject = { repository: `${owner}/${repo}`, pullRequest: pullRequestNumber }
    const renewal = setInterval(() => {
      if (!this.#isStopped) void this.#survive(() => inbox.triages.renew(claim, now()))
    }, RENEW_INTERVAL_MS)
    const started = performance.now()
    try {
      const outcome = await metrics.timed(
        'whole',
        () => (claim.pullRequestNumber === null ? triageTrunk(this.#context, claim) : triage(this.#context, claim)),
        { installation: claim.installationId, repository: claim.repositoryId, pull_request: pullRequestNumber ?? 0 },
      )
      metrics.triage('done')
      const milliseconds = Math.round(performance.now() - started)
      await this.#end(async () => {
        await inbox.triages.finish(claim, outcome, now())
        log.info({ ...subject, milliseconds, ...outcome }, 'triaged')
      })
    } catch (error) {
      if (stopping.aborted) return
      metrics.triage('failed')
      const isAway = error instanceof StoreUnavailable && (await this.#isDatabaseAway())
      const outage = isAway ? 'database' : error instanceof StoreUnavailable ? null : outageOf(error, now())
      if (stopping.aborted) return
      await this.#end(async () => {
        const fate = await inbox.triages.fail(claim, error, now(), outage)
        const words = isRefused(error) ? REFUSED : 'triage failed'
        log.warn({ err: error, ...subject, installation: claim.installationId, outage, fate }, words)
      })
    } finally {
      clearInterval(renewal)
    }
  }

  /**
   * Says that this process lives, and takes up what dead ones had in hand. After an outage of the inbox, or a pause of our own,
   * nobody has been heard for a while: all have their time to be heard again.
   */
  async #beat(): Promise<void> {
    if (this.#isBeating || this.#isStopped) return
    const { inbox, now, log } = this.#context
    this.#isBeating = true
    try {
      if (!(await inbox.processes.beat(now()))) {
        log.fatal('other processes took this one for dead and have its work, so it ends')
        this.#isStopped = true
        this.#onLost?.()
        return
      }
      const at = performance.now()
      if (at - this.#lastBeat > 2 * BEAT_MS) this.#steadySince = at
      this.#lastBeat = at
      if (at - this.#steadySince < DEAD_AFTER_MS) return
      const { deliveries, triages } = await inbox.recoverAfterCrash(now())
      if (deliveries + triages === 0) return
      log.warn({ deliveries, triages }, 'taking over the work of a dead process')
      this.poke()
    } catch (error) {
      log.error({ err: error }, 'the inbox could not be read or written')
    } finally {
      this.#isBeating = false
    }
  }

  /** One statement may take too long or need too much in a database that answers: that is a failure of its own. */
  async #isDatabaseAway(): Promise<boolean> {
    try {
      await withDeadline(() => this.#context.store.ping(), DATABASE_ANSWER_MS)
      return false
    } catch {
      return true
    }
  }

  /** Triages that failed for want of the database begin at once when it is back. */
  async #askDatabase(): Promise<void> {
    if (this.#isAskingDatabase || this.#isStopped) return
    const { inbox, now, log } = this.#context
    this.#isAskingDatabase = true
    try {
      if (!(await inbox.triages.wantsDatabase(now()))) return
      if ((await this.#isDatabaseAway()) || this.#isStopped) return
      await inbox.triages.databaseIsBack(now())
      this.poke()
    } catch (error) {
      log.error({ err: error }, 'the inbox could not be read or written')
    } finally {
      this.#isAskingDatabase = false
    }
  }

  async #sayWhatWaits(): Promise<void> {
    const { inbox, now, log } = this.#context
    const queue = await inbox.queue(now())
    if (queue.oldestSeconds > OLD_SECONDS) log.warn(queue, 'work waits')
  }

  /** The time since which deliveries are looked through, never before the bot first ran: a comment on those is not waited for. */
  #since(): number {
    const windowBegins = this.#context.now() - REDELIVERY_WINDOW_MS
    return Math.max(this.#firstStart - CLOCK_SKEW_MS, windowBegins, this.#sweptUntil)
  }
}

/** Whether this process does what one alone should do. Not known: no. */
export async function isFirst({ inbox, now, log }: Pick<TriageContext, 'inbox' | 'now' | 'log'>): Promise<boolean> {
  try {
    return await inbox.processes.isFirst(now())
  } catch (error) {
    log.error({ err: error }, 'the inbox could not be read or written')
    return false
  }
}

function sleepTime(times: readonly (number | null)[], now: number, longest: number): number {
  const next = Math.min(...times.filter((at) => at !== null), now + longest)
  return next > now ? next - now : BLOCKED_SLEEP_MS
}
