import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Environment } from './config/environment.ts'
import { hostAllowed } from './config/host-allowed.ts'
import { VERSION } from './config/version.ts'
import { ScratchFolder } from './download/scratch-folder.ts'
import { readEvent } from './events/event.ts'
import { repositoryChangesOf } from './events/wakes.ts'
import type { CallLimits } from './github/bounded-fetch.ts'
import { createGitHubApp, type GitHubApp } from './github/github-app.ts'
import { OpenIssues } from './github/open-issues.ts'
import { mayReadPrivate } from './github/permission.ts'
import { lastGoodConfig } from './inbox/configs.ts'
import { type Inbox, openInbox } from './inbox/inbox.ts'
import { DEBOUNCE_MS } from './inbox/triages.ts'
import { openCiDatabases } from './store/checks/ci-databases.ts'
import { openStore } from './store/clickhouse-store.ts'
import type { ClickHouseSettings } from './store/client.ts'
import { openHistoryDatabases } from './store/history/history-databases.ts'
import { DatabaseNewer } from './store/migrate.ts'
import { openProfileDatabases } from './store/profiles/profile-databases.ts'
import type { Store } from './store/store.ts'
import { openHistorySources } from './sync/history-sources.ts'
import { type HistorySync, startHistorySync } from './sync/history-sync.ts'
import { wantedCopies } from './sync/wanted-copies.ts'
import { TakenIn } from './triage/ci-intake-memory.ts'
import { CommitRanges } from './triage/commit-ranges.ts'
import { takeDataFolder } from './triage/data-folder.ts'
import { loadConfig } from './triage/load-config.ts'
import { profilesBeside } from './triage/profiles-beside.ts'
import type { TriageContext } from './triage/triage-context.ts'
import { SWEEP_INTERVAL_MS, startWorker, type Worker } from './triage/worker.ts'
import { type Access, publicAccess } from './web/access/access.ts'
import { githubAccess } from './web/access/github-access.ts'
import { type AskGitHub, rememberedPermissions } from './web/access/permissions.ts'
import { createSignIn, type SignIn } from './web/access/sign-in.ts'
import { type Log, limitedLog } from './web/kit/log.ts'
import { type TimelineOf, timelineOf } from './web/pages/ledger/timeline-of-entry.ts'
import { type TrunkHistoryOf, trunkHistoryOf } from './web/pages/query/trunk-of-repository.ts'
import { pages } from './web/pages.ts'
import { type RunningServer, startServer } from './web/server.ts'
import { storeInTime } from './web/store-in-time.ts'
import { createWebhook } from './web/webhook.ts'

/** What a test or the demo sets otherwise than a production server. */
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
}

export interface Bot {
  /** Where it listens, without a slash at the end. */
  readonly url: string
  readonly store: Store
  readonly inbox: Inbox
  readonly worker: Worker
  readonly historySync: HistorySync
  /** Takes nothing new, lets what is under way end, closes everything. */
  stop(): Promise<void>
}

/**
 * The parts of a stop, together below the ten seconds after which a container is killed: what is under way may end, then
 * it is cut off, then the engine ends. What is cut off is done again after the next start.
 */
const GRACE_MS = 2_000
const CUT_OFF_MS = 2_000

/**
 * The bot as one process: inbox, store, worker, server. Rejects with one readable error when something that it can't do
 * without is not there; a database that is down for now is not among that.
 */
export async function startBot(environment: Environment, options: BotOptions): Promise<Bot> {
  const { log, now = Date.now, debounceMs = DEBOUNCE_MS, sweepIntervalMs = SWEEP_INTERVAL_MS } = options
  const { dataDir, publicUrl, artifactHosts } = environment
  if (environment.privateKeyWarning !== null) log.warn(environment.privateKeyWarning)
  // What was opened is closed again, last first, when the bot stops or when something after it can't be opened.
  const opened: (() => unknown)[] = []
  const stopping = new AbortController()
  const goOn = () => options.signal?.throwIfAborted()
  // One that fails keeps none of the others open.
  const closeAll = async () => {
    const errors: unknown[] = []
    for (const close of opened.splice(0).toReversed()) {
      try {
        await close()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'the bot was not stopped in order')
  }
  try {
    const dataFolder = await takeDataFolder(dataDir)
    opened.push(() => dataFolder.release())
    goOn()
    const inbox = openInbox(dataDir, { debounceMs })
    opened.push(() => inbox.close())
    const github = createGitHubApp({
      appId: environment.appId,
      privateKey: environment.privateKey,
      webhookSecret: environment.webhookSecret,
      apiUrl: environment.githubApiUrl,
      log,
      ...(options.paced === undefined ? {} : { paced: options.paced }),
      ...(options.callLimits === undefined ? {} : { limits: options.callLimits }),
      stopping: stopping.signal,
    })
    const profileDatabase = environment.ciDatabase === null ? null : openProfileDatabases(environment.ciDatabase)
    opened.push(() => profileDatabase?.close())
    const store = await openStore(clickHouseSettings(environment, log, options.signal), {
      warn: (details, message) => log.warn(details, message),
      now: () => new Date(now()),
      ...(profileDatabase !== null && { profilesBeside: profilesBeside(profileDatabase, inbox) }),
    })
    opened.push(() => store.close())
    goOn()
    const ciDatabase = environment.ciDatabase === null ? null : openCiDatabases(environment.ciDatabase)
    opened.push(() => ciDatabase?.close())
    const historyDatabase = environment.ciDatabase === null ? null : openHistoryDatabases(environment.ciDatabase)
    opened.push(() => historyDatabase?.close())
    const historySources = environment.ciDatabase === null ? null : openHistorySources(environment.ciDatabase)
    opened.push(() => historySources?.close())
    const context: TriageContext = {
      github,
      inbox,
      store,
      publicUrl,
      hasSignIn: environment.signIn !== null,
      isAllowedHost: (url) => hostAllowed(url, artifactHosts),
      scratch: new ScratchFolder(dataFolder.scratch),
      now,
      log,
      stopping: stopping.signal,
      ciDatabase,
      historyDatabase,
      commitRanges: new CommitRanges(),
      openIssues: new OpenIssues(),
      taken: new TakenIn(),
      entriesLookedAt: new Map(),
    }
    await makeReady(store, log, options.signal)
    goOn()
    const worker = startWorker(context, {
      sweepIntervalMs,
      ...(options.databaseIntervalMs === undefined ? {} : { databaseIntervalMs: options.databaseIntervalMs }),
    })
    const historySync = startHistorySync({
      copies: store.historyCopies,
      wanted: wantedCopies({
        inbox,
        github,
        readConfig: (octokit, ref, repositoryId) => loadConfig(octokit, ref, repositoryId, inbox.configs, now(), log),
        sources: historySources,
        now,
        log,
      }),
      now,
      log,
      ...(options.paced === undefined ? {} : { paced: options.paced }),
    })
    opened.push(() => historySync.stop(GRACE_MS))
    let stopped: Promise<void> | null = null
    const stopWork = () => (stopped ??= stopWorker(worker, stopping, inbox, now, log))
    opened.push(stopWork)
    const configOf = (repositoryId: number) => lastGoodConfig(inbox.configs, repositoryId)
    const shown = storeInTime(store)
    const trunk = trunkHistoryOf({ store: shown, configOf, databases: historyDatabase, log, now })
    const timeline = timelineOf({ store: shown, configOf, databases: ciDatabase, log, now })
    const server = await listen(environment, github, inbox, shown, worker, { trunk, timeline }, log, now)
    opened.push(() => Promise.all([server.close(), stopWork()]))
    goOn()
    log.info({ url: server.url, publicUrl, dataDir }, 'listening')
    void worker.sweep()
    return { url: server.url, store, inbox, worker, historySync, stop: closeAll }
  } catch (error) {
    await closeAll().catch((closing: unknown) => log.error({ err: closing }, 'a start that failed was not cleared up'))
    throw error
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
  // Also when it comes later than that.
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
  stopping.abort(new Error('the bot stops'))
  await worker.stop(CUT_OFF_MS)
  try {
    inbox.putBack(now())
  } catch (error) {
    log.error({ err: error }, 'what was cut off could not be put back: the next start does it')
  }
}

/** A webhook is answered once it is on disk; everything else happens afterwards. */
async function listen(
  environment: Environment,
  github: GitHubApp,
  inbox: Inbox,
  store: Store,
  worker: Worker,
  { trunk, timeline }: { readonly trunk: TrunkHistoryOf; readonly timeline: TimelineOf },
  log: Logger,
  now: () => number,
): Promise<RunningServer> {
  const webLog = limitedLog(log)
  const webhook = createWebhook({
    verify: (body, signature) => github.isSigned(body, signature),
    keep(arrived) {
      inbox.together(() => {
        for (const { delivery, payload } of arrived) {
          // Before it is answered: what turns private or is deleted is not shown any more from here on.
          const event = readEvent(delivery.event, payload)
          const changes = repositoryChangesOf(event)
          if (changes.length > 0) inbox.repositories.heard(changes, now())
          inbox.deliveries.receive({ ...delivery, installationId: event.installationId }, now())
        }
      })
      worker.poke()
    },
    log: webLog,
  })
  const publicUrl = environment.publicUrl ?? `http://localhost:${environment.port}`
  const signIn =
    environment.signIn === null ? null : createSignIn({ ...environment, ...environment.signIn, publicUrl, now })
  return await startServer({
    host: environment.host,
    port: environment.port,
    webhook,
    pages: pages({
      store,
      access: accessOf(github, inbox, store, signIn, webLog, now),
      signIn,
      trunkHistoryOf: trunk,
      timelineOf: timeline,
      githubUrl: environment.githubUrl,
      now,
      publicUrl,
      version: VERSION,
      log: webLog,
    }),
    readiness: [
      { name: 'inbox', check: async () => inbox.ping(), keptFor: 10_000 },
      { name: 'clickhouse', check: () => store.ping() },
    ],
    details: () => {
      const { deliveries, triages, oldestSeconds } = inbox.queue(now())
      return { queue: { deliveries, triages, oldestSeconds } }
    },
    trustedProxies: environment.trustedProxies,
    limits: { shutdown: GRACE_MS },
    log,
  })
}

function accessOf(
  github: GitHubApp,
  inbox: Inbox,
  store: Store,
  signIn: SignIn | null,
  log: Log,
  now: () => number,
): Access {
  const known = inbox.repositories
  if (signIn === null) return publicAccess(store, known)
  const ask: AskGitHub = async ({ id, owner, repo, installationId }, user) =>
    mayReadPrivate(await github.forInstallation(installationId), { owner, repo }, id, user)
  return githubAccess({
    store,
    known,
    userOf: (context) => signIn.sessions.userOf(context),
    mayRead: rememberedPermissions({ ask, versionOf: (id) => known.version(id), now, log }),
  })
}

function clickHouseSettings(
  { clickHouse }: Environment,
  log: Logger,
  signal: AbortSignal | undefined,
): ClickHouseSettings {
  return { ...clickHouse, signal, onEmbeddedEvent: (event) => log.info({ event }, 'embedded database') }
}
