import { join } from 'node:path'
import { z } from 'zod'
import { Commands } from './commands.ts'
import { Configs } from './configs.ts'
import { inTransaction, openDatabase, prepareAll, readRow, write } from './database.ts'
import { Decisions } from './decisions.ts'
import { Deliveries } from './deliveries.ts'
import { Digests } from './digests.ts'
import { Installations } from './installations.ts'
import { Merges } from './merges.ts'
import { Posted } from './posted.ts'
import { RefusedSources } from './refused-sources.ts'
import { Repositories } from './repositories.ts'
import { Reruns } from './reruns.ts'
import { milliseconds, type Time } from './retry.ts'
import { StepMarks } from './step-marks.ts'
import { Triages } from './triages.ts'
import { TrunkSteps } from './trunk-steps.ts'
import { type PausedInstallation, Turns } from './turns.ts'

/** The file in the data folder. */
export const INBOX_FILE = 'inbox.sqlite'

/** The state that must not be forgotten: one SQLite file, written through to the disk. Belongs to one process. */
export interface Inbox {
  readonly deliveries: Deliveries
  readonly triages: Triages
  readonly posted: Posted
  readonly decisions: Decisions
  readonly commands: Commands
  readonly reruns: Reruns
  readonly merges: Merges
  readonly trunkSteps: TrunkSteps
  readonly stepMarks: StepMarks
  readonly digests: Digests
  readonly configs: Configs
  readonly installations: Installations
  readonly repositories: Repositories
  readonly refusedSources: RefusedSources
  /** Writes all that `work` writes or nothing of it, with one wait for the disk. */
  together(work: () => void): void
  /** When the bot first ran on this data folder, in milliseconds since 1970: kept from the first call. */
  firstStart(now: Time): number
  /** At start, before anything is claimed: what a dead process had begun is due again at once. */
  recoverAfterCrash(now: Time): { readonly deliveries: number; readonly triages: number }
  /** At the end, when nothing goes on: what was cut off is due at once after the next start, and has not failed. */
  putBack(now: Time): void
  /** Drops what nobody will ask for any more. */
  prune(now: Time): { readonly deliveries: number; readonly triages: number }
  /** The work that waits, and for how long: for readiness and the log. */
  queue(now: Time): QueueState
  /** The ten installations whose work waits longest, and for how long: for the metrics. */
  oldestOfInstallations(now: Time): { readonly installationId: number; readonly oldestSeconds: number }[]
  /** Writes, and throws when that can't be done: for readiness. */
  ping(): void
  /** Closes the file; nothing may be called afterwards. */
  close(): void
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
}

const firstStartRow = z.object({ at: z.int() })

/** Opens or creates `inbox.sqlite` in the folder. Throws what `openDatabase` throws. */
export function openInbox(dataDir: string, options: InboxOptions = {}): Inbox {
  const file = join(dataDir, INBOX_FILE)
  const database = openDatabase(file)
  const turns = new Turns(database)
  const deliveries = new Deliveries(database, turns)
  const triages = new Triages(database, turns, options.debounceMs)
  const refusedSources = new RefusedSources(database)
  const commands = new Commands(database)
  const statements = prepareAll(database, 'records.sql', ['firstStart'])
  return {
    deliveries,
    triages,
    posted: new Posted(database),
    decisions: new Decisions(database),
    commands,
    reruns: new Reruns(database),
    merges: new Merges(database),
    trunkSteps: new TrunkSteps(database),
    stepMarks: new StepMarks(database),
    digests: new Digests(database),
    configs: new Configs(database),
    installations: new Installations(database),
    repositories: new Repositories(database),
    refusedSources,
    together(work) {
      inTransaction(database, work)
    },
    firstStart(now) {
      return readRow(statements.firstStart, firstStartRow, { now: milliseconds(now) })!.at
    },
    recoverAfterCrash(now) {
      const at = milliseconds(now)
      return { deliveries: deliveries.recoverAfterCrash(at), triages: triages.recoverAfterCrash(at) }
    },
    putBack(now) {
      const at = milliseconds(now)
      deliveries.putBack(at)
      triages.putBack(at)
    },
    prune(now) {
      refusedSources.prune(now)
      commands.prune(now)
      return { deliveries: deliveries.prune(now), triages: triages.prune(now) }
    },
    queue(now) {
      const at = milliseconds(now)
      const parts = [deliveries.oldest(at), triages.oldest(at)] as const
      const oldest = Math.min(at, ...parts.flatMap(({ since }) => (since === null ? [] : [since])))
      return {
        deliveries: parts[0].waiting,
        triages: parts[1].waiting,
        oldestSeconds: Math.round((at - oldest) / 1000),
        paused: turns.paused(at),
      }
    },
    oldestOfInstallations(now) {
      const at = milliseconds(now)
      const since = new Map<number, number>()
      for (const one of [...deliveries.oldestOfInstallations(at), ...triages.oldestOfInstallations(at)])
        since.set(one.installationId, Math.min(one.since, since.get(one.installationId) ?? at))
      return [...since]
        .map(([installationId, begun]) => ({ installationId, oldestSeconds: Math.round((at - begun) / 1000) }))
        .toSorted((a, b) => b.oldestSeconds - a.oldestSeconds)
        .slice(0, 10)
    },
    ping() {
      write(database, file)
    },
    close() {
      database.close()
    },
  }
}
