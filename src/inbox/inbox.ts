import { join } from 'node:path'
import { type Configs, createConfigs } from './configs.ts'
import { openDatabase, prepareAll, write } from './database.ts'
import { createDecisions, type Decisions } from './decisions.ts'
import { createDeliveries, type Deliveries } from './deliveries.ts'
import { createInstallations, type Installations } from './installations.ts'
import { createPosted, type Posted } from './posted.ts'
import { createRefusedSources, type RefusedSources } from './refused-sources.ts'
import { createRepositories, type Repositories } from './repositories.ts'
import { milliseconds, type Time } from './retry.ts'
import { createTriages, type Triages } from './triages.ts'

/** The file in the data folder. */
export const INBOX_FILE = 'inbox.sqlite'

/** What must not be forgotten: one SQLite file, written through to the disk. Belongs to one process. */
export interface Inbox {
  readonly deliveries: Deliveries
  readonly triages: Triages
  readonly posted: Posted
  readonly decisions: Decisions
  readonly configs: Configs
  readonly installations: Installations
  readonly repositories: Repositories
  readonly refusedSources: RefusedSources
  /** When the bot first ran on this data folder, in milliseconds since 1970: kept from the first call. */
  firstStart(now: Time): number
  /** At start, before anything is claimed: what a dead process had begun is due again at once. */
  recoverAfterCrash(now: Time): { readonly deliveries: number; readonly triages: number }
  /** Drops what nobody will ask for any more. */
  prune(now: Time): { readonly deliveries: number; readonly triages: number }
  /** Writes, and throws when that can't be done: for readiness. */
  ping(): void
  /** Nothing may be called after it. */
  close(): void
}

export interface InboxOptions {
  /** How long hints for one pull request are collected before the triage, in milliseconds; 30 s by default. */
  readonly debounceMs?: number
}

/** Opens or creates `inbox.sqlite` in the folder. Throws what `openDatabase` throws. */
export function openInbox(dataDir: string, options: InboxOptions = {}): Inbox {
  const file = join(dataDir, INBOX_FILE)
  const database = openDatabase(file)
  const deliveries = createDeliveries(database)
  const triages = createTriages(database, options.debounceMs)
  const refusedSources = createRefusedSources(database)
  const statements = prepareAll(database, 'records.sql', ['firstStart'])
  return {
    deliveries,
    triages,
    posted: createPosted(database),
    decisions: createDecisions(database),
    configs: createConfigs(database),
    installations: createInstallations(database),
    repositories: createRepositories(database),
    refusedSources,
    firstStart(now) {
      return statements.firstStart.get({ now: milliseconds(now) })!['at'] as number
    },
    recoverAfterCrash(now) {
      const at = milliseconds(now)
      return { deliveries: deliveries.recoverAfterCrash(at), triages: triages.recoverAfterCrash(at) }
    },
    prune(now) {
      refusedSources.prune(now)
      return { deliveries: deliveries.prune(now), triages: triages.prune(now) }
    },
    ping() {
      write(database, file)
    },
    close() {
      database.close()
    },
  }
}
