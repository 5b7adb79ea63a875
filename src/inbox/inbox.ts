import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { VERSION } from '../config/version.ts'
import { Answers } from './answers.ts'
import { Commands } from './commands.ts'
import { Configs } from './configs.ts'
import { type Database, type DatabaseSize, InboxUnusable, statementsOf, type TransactionOptions } from './database.ts'
import { Decisions } from './decisions.ts'
import { Deliveries } from './deliveries.ts'
import { Digests } from './digests.ts'
import { Installations } from './installations.ts'
import { Merges } from './merges.ts'
import { InboxPeople } from './people.ts'
import { Posted } from './posted.ts'
import { Processes } from './processes.ts'
import { RefusedSources } from './refused-sources.ts'
import { Releases } from './releases.ts'
import { Repositories } from './repositories.ts'
import { Reruns } from './reruns.ts'
import { milliseconds, type Time } from './retry.ts'
import { openSqlite } from './sqlite.ts'
import { Triages } from './triages.ts'
import { StepMarks, TrunkSteps } from './trunk-steps.ts'
import { type PausedInstallation, Turns } from './turns.ts'
import { WriteSlots } from './write-slots.ts'

/** The file in the data folder. */
export const INBOX_FILE = 'inbox.sqlite'

/** The state that must not be forgotten, written through to the disk: in a SQLite file of one process, or in a PostgreSQL of several. */
export interface Inbox {
  readonly deliveries: Deliveries
  readonly triages: Triages
  readonly posted: Posted
  readonly decisions: Decisions
  readonly commands: Commands
  readonly answers: Answers
  readonly reruns: Reruns
  readonly merges: Merges
  readonly people: InboxPeople
  readonly releases: Releases
  readonly trunkSteps: TrunkSteps
  readonly stepMarks: StepMarks
  readonly digests: Digests
  readonly configs: Configs
  readonly installations: Installations
  readonly repositories: Repositories
  readonly refusedSources: RefusedSources
  readonly processes: Processes
  readonly writeSlots: WriteSlots
  /** Other processes may work it off too. */
  readonly isShared: boolean
  /** Writes all that `work` writes or nothing of it, with one wait for the disk. */
  together(work: () => Promise<void>, options?: TransactionOptions): Promise<void>
  /** When the bot first ran on this data folder, in milliseconds since 1970: kept from the first call. */
  firstStart(now: Time): Promise<number>
  /** What dead processes had begun is due again at once. */
  recoverAfterCrash(now: Time): Promise<{ readonly deliveries: number; readonly triages: number }>
  /** At the end, when nothing goes on: what was cut off is due at once, here after the next start, and has not failed. */
  putBack(now: Time): Promise<void>
  /** Drops what nobody will ask for any more. */
  prune(now: Time): Promise<{ readonly deliveries: number; readonly triages: number }>
  /** The work that waits, and for how long: for readiness and the log. */
  queue(now: Time): Promise<QueueState>
  /** The ten installations whose work waits longest, and for how long: for the metrics. */
  oldestOfInstallations(now: Time): Promise<{ readonly installationId: number; readonly oldestSeconds: number }[]>
  /** Its size, for the metrics. Rows of PostgreSQL are about so many. */
  size(): Promise<DatabaseSize>
  /** Writes, and rejects when that can't be done: for readiness. */
  ping(): Promise<void>
  /** Nothing may be called afterwards. */
  close(): Promise<void>
}

export interface QueueState {
  /** Deliveries whose time has come and whose work is not done. */
  readonly deliveries: number
  /** Triages whose time has come and whose work has not begun. */
  readonly triages: number
  /** The age of the oldest of them all; 0 when there is none. */
  readonly oldestSeconds: number
  /** Installations that GitHub does not answer or has asked to wait, the longest first, ten at the most. */
  readonly paused: readonly PausedInstallation[]
}

export interface InboxOptions {
  /** How long hints for one pull request are collected before the triage, in milliseconds; 30 s by default. */
  readonly debounceMs?: number
  /** Hosts that results may be fetched from. */
  readonly artifactHosts?: readonly string[]
  /** Other processes may work it off too. */
  readonly isShared?: boolean
}

const firstStartRow = z.object({ at: z.int() })

/** Opens or creates `inbox.sqlite` in the folder. Rejects with what `openSqlite` throws. */
export async function openInbox(dataDir: string, options: InboxOptions = {}): Promise<Inbox> {
  return inboxIn(openSqlite(join(dataDir, INBOX_FILE)), options)
}

export interface SharedInboxOptions extends InboxOptions {
  /** How long a server that is away is waited for, in milliseconds; not at all by default. */
  readonly waitMs?: number
  /** Told once, with what is wrong, when the wait begins. */
  readonly onWait?: (problem: Error) => void
  /** Where it is aborted the wait ends, and the promise rejects with its reason. */
  readonly signal?: AbortSignal | undefined
}

/** How often a server that is away is asked again, in milliseconds. */
const ASK_AGAIN_MS = 1_000

/** The inbox in a PostgreSQL that other processes may share. Rejects with what `openPostgres` rejects with, at the end of the wait. */
export async function openSharedInbox(
  url: string,
  { waitMs = 0, onWait, signal, ...options }: SharedInboxOptions = {},
): Promise<Inbox> {
  // Loaded where it is used: on one machine nobody needs it.
  const { openPostgres } = await import('./postgres.ts')
  const { mayAnswerSoon } = await import('./postgres-errors.ts')
  const until = Date.now() + waitMs
  for (let tries = 1; ; tries++) {
    try {
      return inboxIn(await openPostgres(url), { ...options, isShared: true })
    } catch (error) {
      if (!(error instanceof InboxUnusable) || !mayAnswerSoon(error.cause) || Date.now() >= until) throw error
      if (tries === 1) onWait?.(error)
    }
    await sleep(ASK_AGAIN_MS, undefined, { signal })
  }
}

/** The inbox in a database whose tables are up to date. */
export function inboxIn(database: Database, { debounceMs, artifactHosts, isShared = false }: InboxOptions = {}): Inbox {
  const process = randomUUID()
  const processes = new Processes(database, process, isShared)
  const turns = new Turns(database)
  const deliveries = new Deliveries(database, turns, process)
  const triages = new Triages(database, turns, debounceMs, process)
  const refusedSources = new RefusedSources(database, VERSION, artifactHosts)
  const commands = new Commands(database)
  const answers = new Answers(database, process)
  const writeSlots = new WriteSlots(database)
  const people = new InboxPeople(database)
  const statements = statementsOf('records.sql', ['firstStart'])
  return {
    deliveries,
    triages,
    posted: new Posted(database),
    decisions: new Decisions(database),
    commands,
    answers,
    reruns: new Reruns(database),
    merges: new Merges(database),
    people,
    releases: new Releases(database),
    trunkSteps: new TrunkSteps(database),
    stepMarks: new StepMarks(database),
    digests: new Digests(database),
    configs: new Configs(database),
    installations: new Installations(database),
    repositories: new Repositories(database),
    refusedSources,
    processes,
    writeSlots,
    isShared,
    together: (work, of) => database.transaction(work, of),
    async firstStart(now) {
      return (await database.row(statements.firstStart, firstStartRow, { now: milliseconds(now) }))!.at
    },
    recoverAfterCrash: (now) =>
      database.transaction(async () => {
        await processes.forgetDead(now)
        await answers.recoverAfterCrash()
        return { deliveries: await deliveries.recoverAfterCrash(now), triages: await triages.recoverAfterCrash(now) }
      }),
    putBack: (now) =>
      database.transaction(async () => {
        await deliveries.putBack(now)
        await triages.putBack(now)
        await answers.putBack()
        await processes.leave()
      }),
    async prune(now) {
      await refusedSources.prune(now)
      await commands.prune(now)
      await answers.prune(now)
      await writeSlots.prune(now)
      await people.prune(now)
      return { deliveries: await deliveries.prune(now), triages: await triages.prune(now) }
    },
    async queue(now) {
      const at = milliseconds(now)
      const parts = [await deliveries.oldest(at), await triages.oldest(at)] as const
      const oldest = Math.min(at, ...parts.flatMap(({ since }) => (since === null ? [] : [since])))
      return {
        deliveries: parts[0].waiting,
        triages: parts[1].waiting,
        oldestSeconds: Math.round((at - oldest) / 1000),
        paused: await turns.paused(at),
      }
    },
    async oldestOfInstallations(now) {
      const at = milliseconds(now)
      const since = new Map<number, number>()
      for (const one of [...(await deliveries.oldestOfInstallations(at)), ...(await triages.oldestOfInstallations(at))])
        since.set(one.installationId, Math.min(one.since, since.get(one.installationId) ?? at))
      return [...since]
        .map(([installationId, begun]) => ({ installationId, oldestSeconds: Math.round((at - begun) / 1000) }))
        .toSorted((a, b) => b.oldestSeconds - a.oldestSeconds)
        .slice(0, 10)
    },
    size: () => database.size(),
    ping: () => database.ping(),
    close: () => database.close(),
  }
}
