import { statfs } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { ApplicationFunction, Probot } from 'probot'
import { type Arrival, readEvent } from './bot/events/event.ts'
import { repositoryChangesOf } from './bot/events/wakes.ts'
import { resultsTakenIn } from './bot/triage/ci-intake.ts'
import { CommitRanges } from './bot/triage/commit-ranges.ts'
import { takeDataFolder } from './bot/triage/data-folder.ts'
import { type Digests, startDigests } from './bot/triage/digests.ts'
import { loadConfig } from './bot/triage/load-config.ts'
import { Looks } from './bot/triage/looks.ts'
import { profilesBeside } from './bot/triage/profiles-beside.ts'
import { queueMemoryOf } from './bot/triage/queue.ts'
import type { TriageContext } from './bot/triage/triage-context.ts'
import { wantedCopies } from './bot/triage/wanted-copies.ts'
import { withDeadline } from './bot/triage/with-deadline.ts'
import { isFirst, SWEEP_INTERVAL_MS, Worker } from './bot/triage/worker.ts'
import { type Environment, readEnvironment, SWITCHED_OFF } from './config/environment.ts'
import { hostAllowed } from './config/host-allowed.ts'
import { VERSION } from './config/version.ts'
import type { CallLimits } from './github/bounded-fetch.ts'
import { createGitHubApp, type GitHubApp } from './github/github-app.ts'
import { OpenIssues } from './github/open-issues.ts'
import { keptTogether } from './inbox/arrivals.ts'
import { type Inbox, openInbox, openSharedInbox } from './inbox/inbox.ts'
import { DEBOUNCE_MS } from './inbox/triages.ts'
import { openCiDatabases } from './store/checks/ci-databases.ts'
import type { ClickHouseSettings } from './store/client.ts'
import { DatabaseNewer } from './store/migrate.ts'
import { openProfileDatabases } from './store/profiles/profile-databases.ts'
import { openStore, type Store } from './store/store.ts'
import { openHistorySources } from './store/sync/history-sources.ts'
import { type HistorySync, startHistorySync } from './store/sync/history-sync.ts'
import { Metrics, type Readings } from './telemetry/metrics.ts'
import { startTracing } from './telemetry/tracing.ts'
import { toldRepositories } from './web/access/access.ts'
import { limitedLog } from './web/kit/log.ts'
import { pageListener } from './web/server.ts'
import { type Site, siteOf } from './web/site.ts'

/** Settings that a test or the demo has otherwise than a production server. */
export interface BotOptions {
  readonly log: Logger
  readonly now?: () => number
  /** How long hints for one pull request are collected, in milliseconds. */
  readonly debounceMs?: number
  readonly sweepIntervalMs?: number
  /** How often a database that is away is asked whether it is back, in milliseconds. */
  readonly databaseIntervalMs?: number
  /** False only against a local GitHub. */
  readonly paced?: boolean
  /** How long GitHub is waited for. */
  readonly callLimits?: CallLimits
  /** Where it is aborted during the start, what was opened is closed, and `startBot` rejects with its reason. */
  readonly signal?: AbortSignal
  /** Other processes have taken this one for dead, and have its work: it must not go on. */
  readonly onLost?: () => void
}

/** The bot without a server: deliveries are kept in the inbox, and the worker works them off. */
export interface OpenBot {
  readonly github: GitHubApp
  readonly store: Store
  readonly inbox: Inbox
  readonly worker: Worker
  readonly historySync: HistorySync
  /** null: no channel is told. */
  readonly digests: Digests | null
  readonly pages: Site
  /** Counters and clocks of the process. */
  readonly counted: Metrics
  /** The same for Prometheus, as text, with what is read now. */
  metrics(): Promise<string>
  /** The delivery is on disk when the promise resolves. */
  keep(arrival: Arrival): Promise<void>
  /** Takes nothing new and lets what is under way end; may be called again. */
  stopWork(): Promise<void>
  /** The stack of all that has to be closed with the bot, the last one first. */
  readonly opened: Opened
}

/** Probot gives what it has decoded, not what was signed. */
function arrivalOf({ id, name, payload }: { id: string; name: string; payload: object }): Arrival {
  return { guid: id, name, payload: JSON.stringify(payload), event: readEvent(name, payload) }
}

/**
 * For `probot run ./src/app.ts` and `probot receive -e check_run -p payload.json ./src/app.ts`: the whole bot, set up by the
 * environment as `perf-triage serve` is. With `receive` the process ends when the event and all that is due is worked off.
 */
export default async function perfTriage(
  probot: Probot,
  { addHandler }: Parameters<ApplicationFunction>[1],
): Promise<void> {
  let answer: Parameters<typeof addHandler>[0] = () => false
  const hasServer = isTaken(() => addHandler((request, response) => answer(request, response)))
  const environment = readEnvironment(process.env)
  const bot = await openBot(environment, { log: probot.log, ...(hasServer ? {} : { debounceMs: 0 }) })
  const stop = async () => {
    await bot.opened.disposeAsync()
    process.exit()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
  if (!hasServer) {
    probot.onAny(async (delivery) => {
      await bot.keep(arrivalOf(delivery))
      await bot.worker.idle()
      await stop()
    })
    return
  }
  const listener = pageListener(bot.pages, environment.trustedProxies, limitedLog(probot.log))
  answer = async (request, response) => {
    await listener(request, response)
    return true
  }
  probot.onAny((delivery) => bot.keep(arrivalOf(delivery)))
  void bot.worker.sweepInTurn()
}

/** `probot receive` has no server and throws at a handler. */
function isTaken(add: () => void): boolean {
  try {
    add()
    return true
  } catch {
    return false
  }
}

/**
 * The parts of a stop, together below the ten seconds after which a container is killed: what is under way may end, then
 * it is cut off, then the engine ends. What is cut off is done again after the next start.
 */
export const GRACE_MS = 2_000
const CUT_OFF_MS = 2_000

/**
 * Opens inbox, store and worker. Rejects with one readable error when something that it can't do without is not there; a
 * database that is down for now is not among that.
 */
export async function openBot(environment: Environment, options: BotOptions): Promise<OpenBot> {
  const { log, now = Date.now, sweepIntervalMs = SWEEP_INTERVAL_MS, databaseIntervalMs } = options
  if (environment.privateKeyWarning !== null) log.warn(environment.privateKeyWarning)
  if (environment.ciDatabaseWarning !== null) log.warn(environment.ciDatabaseWarning)
  if (!environment.isOn) log.warn(SWITCHED_OFF)
  const opened = new Opened()
  const stopping = new AbortController()
  try {
    if (environment.traces !== null) {
      opened.defer(await startTracing({ ...environment.traces, version: VERSION, log }))
    }
    const context = await openContext(environment, options, opened, stopping.signal)
    const { github, inbox, store } = context
    await makeReady(store, log, options.signal)
    options.signal?.throwIfAborted()
    const worker = await Worker.start(context, {
      sweepIntervalMs,
      isOn: environment.isOn && environment.role !== 'web',
      onLost: () => {
        stopping.abort(new Error('other processes have taken over this one’s work'))
        options.onLost?.()
      },
      ...(databaseIntervalMs === undefined ? {} : { databaseIntervalMs }),
    })
    const historySync = startSync(context, worker, options)
    opened.defer(() => historySync.stop(GRACE_MS))
    const digests = startDigestsOf(environment, context)
    opened.defer(() => digests?.stop())
    let stopped: Promise<void> | null = null
    const stopWork = () => (stopped ??= stopWorker(worker, stopping, inbox, now, log))
    opened.defer(stopWork)
    const keep = keptTogether(async (arrived: readonly Arrival[]) => {
      const receiveAll = async () => {
        for (const arrival of arrived) await receive(inbox, arrival, now())
      }
      await inbox.together(receiveAll, { isSerial: false })
      for (const _ of arrived) context.metrics.delivery('received')
      worker.poke()
    })
    return {
      github,
      store,
      inbox,
      worker,
      historySync,
      digests,
      pages: siteOf(environment, context),
      counted: context.metrics,
      metrics: async () => await context.metrics.text(await readings(context, environment.dataDir)),
      keep,
      stopWork,
      opened,
    }
  } catch (error) {
    await clearUp(opened, log)
    throw error
  }
}

/** How long each answer is waited for when the metrics are asked for. */
const READING_MS = 2_000

async function readings({ inbox, store, now }: TriageContext, dataDir: string): Promise<Readings> {
  const orNull = async <T>(ask: () => Promise<T>) => await withDeadline(ask, READING_MS).catch(() => null)
  const ofDatabase = async () => {
    const isDatabaseUp = await withDeadline(() => store.ping(), READING_MS).then(
      () => true,
      () => false,
    )
    if (!isDatabaseUp) return { isDatabaseUp, tables: null, databaseDisks: null }
    const [tables, databaseDisks] = await Promise.all([orNull(() => store.tableSizes()), orNull(() => store.disks())])
    return { isDatabaseUp, tables, databaseDisks }
  }
  const ofQueue = async () => {
    const { deliveries, triages, oldestSeconds, paused } = await inbox.queue(now())
    return {
      waiting: { deliveries, triages },
      oldestSeconds,
      pausedInstallations: paused.length,
      installations: await inbox.oldestOfInstallations(now()),
      writes: await inbox.writeSlots.most(now()),
    }
  }
  const ofDisk = async () => {
    const { bavail, blocks, bsize } = await statfs(dataDir)
    return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
  }
  const [database, queue, inboxSize, disk] = await Promise.all([
    ofDatabase(),
    orNull(ofQueue),
    // Rows are counted longer than the queue: an inbox that is large is not away.
    orNull(() => inbox.size()),
    orNull(ofDisk),
  ])
  const { rss, heapUsed } = process.memoryUsage()
  return {
    ...database,
    ...{ queue, inboxSize, disk },
    process: { residentBytes: rss, heapBytes: heapUsed, uptimeSeconds: process.uptime() },
  }
}

/** Machines that start together, and a server that is started again, are back within it; a probe of the start waits for 120 s. */
const INBOX_WAIT_MS = 60_000

/** Opens all that a triage works with; what was opened is closed with `opened`. */
async function openContext(
  environment: Environment,
  { log, now = Date.now, debounceMs = DEBOUNCE_MS, paced, callLimits, signal }: BotOptions,
  opened: Opened,
  stopping: AbortSignal,
): Promise<TriageContext> {
  const { appId, privateKey, webhookSecret, githubApiUrl: apiUrl, dataDir, publicUrl, artifactHosts } = environment
  const dataFolder = await takeDataFolder(dataDir)
  opened.defer(() => dataFolder.release())
  signal?.throwIfAborted()
  const inbox = await (environment.inbox.databaseUrl === null
    ? openInbox(dataDir, { debounceMs, artifactHosts })
    : openSharedInbox(environment.inbox.databaseUrl, {
        ...{ debounceMs, artifactHosts, signal, waitMs: INBOX_WAIT_MS },
        onWait: (problem) =>
          log.warn({ err: problem }, `the inbox does not answer; waiting up to ${INBOX_WAIT_MS / 1000} s`),
      }))
  opened.defer(() => inbox.close())
  const metrics = new Metrics(now)
  const github = createGitHubApp({
    metrics,
    ...{ appId, privateKey, webhookSecret, apiUrl, log, stopping },
    ...(paced === undefined ? {} : { paced }),
    ...(paced === false ? {} : { pace: { slots: inbox.writeSlots, now } }),
    ...(callLimits === undefined ? {} : { limits: callLimits }),
  })
  const ci = environment.ciDatabase
  const profileDatabases = ci === null ? null : openProfileDatabases(ci)
  opened.defer(() => profileDatabases?.close())
  const store = await openStore(clickHouseSettings(environment, log, signal), {
    warn: (details, message) => log.warn(details, message),
    now: () => new Date(now()),
    ...(profileDatabases !== null && { profilesBeside: profilesBeside(profileDatabases, inbox) }),
  })
  opened.defer(() => store.close())
  signal?.throwIfAborted()
  const ciDatabase = ci === null ? null : openCiDatabases(ci)
  opened.defer(() => ciDatabase?.close())
  const historySources = ci === null ? null : openHistorySources(ci)
  opened.defer(() => historySources?.close())
  return {
    ...{ github, inbox, store, metrics, ciDatabase, historySources, profileDatabases, publicUrl, now, log, stopping },
    hasSignIn: environment.signIn !== null,
    isAllowedHost: (url) => hostAllowed(url, artifactHosts),
    scratch: dataFolder.scratch,
    commitRanges: new CommitRanges(),
    openIssues: new OpenIssues(),
    looks: new Looks(),
    taken: resultsTakenIn(),
    entriesLookedAt: new Map(),
    mirrored: { upTo: null },
    labelsSeen: new LRUCache({ max: 10_000 }),
  }
}

function startSync(
  { github, inbox, store, historySources: sources, profileDatabases, now, log }: TriageContext,
  worker: Worker,
  { paced }: BotOptions,
): HistorySync {
  return startHistorySync({
    copies: store.historyCopies,
    profileCopies: store.profileCopies,
    wanted: wantedCopies({
      ...{ github, inbox, sources, profileDatabases, now, log },
      readConfig: (octokit, ref, repositoryId) => loadConfig(octokit, ref, repositoryId, inbox.configs, now(), log),
    }),
    mayBegin: () => isFirst({ inbox, now, log }),
    onComplete: async (repositoryId) => {
      try {
        await inbox.triages.lookNow(repositoryId, now())
        worker.poke()
      } catch (error) {
        // Their own time to look again comes later; the other copies go on.
        log.error({ err: error }, 'the inbox could not be read or written')
      }
    },
    ...{ now, log },
    ...(paced === undefined ? {} : { paced }),
  })
}

function startDigestsOf({ slack, isOn }: Environment, context: TriageContext): Digests | null {
  if (slack === null || !isOn) return null
  const { inbox, store, publicUrl, now, log } = context
  return startDigests({
    ...{ slack, inbox, store, publicUrl, now, log },
    mayBegin: () => isFirst(context),
    memory: queueMemoryOf(inbox),
    repositories: async () => await toldRepositories(store.reports, inbox.repositories, slack.repositories),
  })
}

/** A stack of what is to be closed. Node 24 has `AsyncDisposableStack` for it, Node 22 has none. */
class Opened {
  readonly #closers: (() => unknown)[] = []

  defer(close: () => unknown): void {
    this.#closers.push(close)
  }

  /** Closes all, the last one first, also where one of them fails; called again it has nothing left to do. */
  async disposeAsync(): Promise<void> {
    const errors: unknown[] = []
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      try {
        await close()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join('; '))
    if (errors.length === 1) throw errors[0]
  }
}

/** The reason why a start failed is not hidden by what fails then. */
export async function clearUp(opened: Opened, log: Logger): Promise<void> {
  try {
    await opened.disposeAsync()
  } catch (error) {
    log.error({ err: error }, 'a failed start could not be cleaned up')
  }
}

/** A database that does not answer in this time is waited for while webhooks are answered. */
const READY_MS = 3_000

/**
 * Brings the tables up to date before the first result is in, and says early when the database can't be reached.
 * @throws DatabaseNewer
 */
async function makeReady(store: Store, log: Logger, signal: AbortSignal | undefined): Promise<void> {
  const ready = store.ping().catch((error: unknown) => {
    log.warn({ err: error }, 'the database is not ready')
    if (error instanceof DatabaseNewer) throw error
  })
  // A failure that comes after that time must not end the process.
  ready.catch(() => {})
  await Promise.race([ready, sleep(READY_MS, undefined, { ref: false, signal })])
}

async function stopWorker(
  worker: Worker,
  stopping: AbortController,
  inbox: Inbox,
  now: () => number,
  log: Logger,
): Promise<void> {
  await worker.stop(GRACE_MS)
  stopping.abort(new Error('the bot is stopping'))
  await worker.stop(CUT_OFF_MS)
  try {
    await inbox.putBack(now())
  } catch (error) {
    log.error({ err: error }, 'interrupted work could not be put back; the next start will do it')
  }
}

async function receive(inbox: Inbox, { guid, name, payload, event }: Arrival, now: number): Promise<void> {
  // A repository that turns private or is deleted is not shown any more from here on, before GitHub has its answer.
  const changes = repositoryChangesOf(event)
  if (changes.length > 0) await inbox.repositories.heard(changes, now)
  const { installationId } = event
  await inbox.deliveries.receive({ guid, event: name, installationId, payload }, now)
}

function clickHouseSettings(
  { clickHouse }: Environment,
  log: Logger,
  signal: AbortSignal | undefined,
): ClickHouseSettings {
  return { ...clickHouse, signal, onEmbeddedEvent: (event) => log.info({ event }, 'embedded database') }
}
