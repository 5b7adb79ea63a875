import type { CheckRow } from '../intake/imports/checks/check-row.ts'
import type { TrunkRow } from '../intake/imports/history/trunk-row.ts'
import type { DatabaseDisk, TableSize } from '../telemetry/metrics.ts'
import { saveChecks } from './checks/checks.ts'
import { ownCiResults } from './checks/own-ci-results.ts'
import { rememberMassFailures } from './checks/remembered-mass-failures.ts'
import { type ClickHouse, type ClickHouseSettings, openClickHouse } from './client.ts'
import type { Connection } from './connection.ts'
import { insertDecisions, type StoredDecision, selectNewestDecision } from './decisions/decisions.ts'
import { historyCopies } from './history/history-copies.ts'
import { storedTrunkHistory } from './history/stored-trunk-history.ts'
import { saveTrunkRows } from './history/trunk-history-rows.ts'
import { openLedger } from './ledger/ledger.ts'
import { brokenParts, migrate } from './migrate.ts'
import { askedByAll } from './page-asking.ts'
import { profileCopies } from './profiles/profile-copies.ts'
import { hasStacks, storedProfiles } from './profiles/profile-lookup.ts'
import { chainedProfiles, type ProfilesBesideOf } from './profiles/profiles.ts'
import { openReports } from './reports/reports.ts'
import { openQueries } from './runs/queries.ts'
import { openRuns } from './runs/runs.ts'
import { databaseDisks, tableSizes } from './table-sizes.ts'

/** Opens the store by its subjects. Each subject has a folder here, with its tables and statements. */

export interface StoreOptions {
  readonly warn?: Connection['warn']
  readonly now?: Connection['now']
  /** Where else a repository may have profiles, for queries of which none are stored; null: nowhere. */
  readonly profilesBeside?: ProfilesBesideOf
  /** false: the caller has seen that the tables are those of this version, and they are left alone. */
  readonly migrates?: boolean
}

/**
 * Opens the bot's own database. The embedded engine is started here; a server is not asked before the first call, so
 * that the bot starts while its database is down. Migrations are applied before the first call.
 * @throws StoreUnavailable when there is no embedded engine to be had.
 */
export async function openStore(settings: ClickHouseSettings, options: StoreOptions = {}): Promise<Store> {
  return storeOn(await openClickHouse(settings), options)
}

/**
 * The bot's own tables by their subjects, the one store for analytics. Every write may be repeated: after a crash in the
 * middle or a second delivery the same rows stand once. Throws `StoreUnavailable` when the database can't be reached in time.
 */
export type Store = ReturnType<typeof storeOn>

/** Closes `clickhouse` when it is closed. */
export function storeOn(
  clickhouse: ClickHouse,
  { warn = () => {}, now = () => new Date(), profilesBeside = async () => null, migrates = true }: StoreOptions = {},
) {
  const ready = migrates ? migratedOnce(clickhouse, warn) : async () => clickhouse
  const connection: Connection = { ready, now, warn }
  const awaited = async () => void (await ready())
  const runs = openRuns(connection)
  const ciResults = rememberMassFailures(ownCiResults(clickhouse, { ready: awaited }))
  const ownProfiles = storedProfiles(clickhouse, { ready: awaited, now, besideOf: profilesBeside })
  return {
    /** Resolves when the database answers; throws `StoreUnavailable` with what to do otherwise. */
    ping: async (): Promise<void> => await (await ready()).ping(),
    /** What each table takes on the disk of the database, the largest first. */
    tableSizes: async (): Promise<TableSize[]> => await tableSizes(await ready()),
    /** The disks that the database has on the server that is asked. */
    disks: async (): Promise<DatabaseDisk[]> => await databaseDisks(await ready()),
    runs,
    queries: openQueries(connection),
    reports: openReports(connection),
    ledger: openLedger(connection, ciResults),
    decisions: {
      /** Stores decisions of people beside what they are of; the same ones again are there once. */
      save: async (decisions: readonly StoredDecision[]): Promise<void> =>
        await insertDecisions(await ready(), decisions),
      /** When the newest stored one was made, in milliseconds; 0: there is none. */
      newest: async (): Promise<number> => await selectNewestDecision(await ready()),
    },
    /** The CI results that were stored. Its readings throw `CiResultsUnavailable`. */
    ciResults: Object.assign(ciResults, {
      /**
       * The same rows again are there once. Retries of a test within one job are told apart when the job comes in one call: hand
       * over a stream rather than a call for each part of it.
       */
      save: async (repositoryId: number, rows: AsyncIterable<CheckRow> | Iterable<CheckRow>): Promise<void> =>
        void (await saveChecks(await ready(), repositoryId, rows)),
    }),
    /** What the bot has collected of the trunk itself, was imported, or copied. Its readings throw `HistoryUnavailable`. */
    trunkHistory: Object.assign(storedTrunkHistory(clickhouse, awaited), {
      /** Stores measurements of the trunk and gives their number. The same rows again are there once. */
      save: async (repositoryId: number, rows: AsyncIterable<TrunkRow> | Iterable<TrunkRow>): Promise<number> =>
        await saveTrunkRows(await ready(), repositoryId, rows),
    }),
    /** The rows that are copied into the history out of a CI database. */
    historyCopies: historyCopies(clickhouse, awaited),
    /** The stacks of profilers: those that were stored with the runs, then copied ones, then those of the CI database. */
    profiles: Object.assign(chainedProfiles(ownProfiles, profilesBeside, warn, now), {
      /** Whether there may be any of a head (a full commit id); false: there is none of its queries. */
      mayHave: async (repositoryId: number, head: string): Promise<boolean> =>
        (await profilesBeside({ repositoryId })) !== null || (await hasStacks(await ready(), { repositoryId, head })),
    }),
    /** The stacks that are copied out of a CI database. */
    profileCopies: profileCopies(clickhouse, { ready: awaited, now, own: ownProfiles, besideOf: profilesBeside }),
    async close(): Promise<void> {
      await runs.written()
      await clickhouse.close()
    },
  }
}

/** Migrates before the first call; where that failed the next call tries again. */
function migratedOnce(clickhouse: ClickHouse, warn: Connection['warn']): () => Promise<ClickHouse> {
  let migrated: Promise<unknown> | null = null
  return async () => {
    migrated ??= askedByAll(() => migrate(clickhouse)).then(
      () => warnOfBrokenParts(clickhouse, warn),
      (error: unknown) => {
        migrated = null
        throw error
      },
    )
    await migrated
    return clickhouse
  }
}

/** A server that can't say it, for want of a grant, is used all the same. */
async function warnOfBrokenParts(clickhouse: ClickHouse, warn: Connection['warn']): Promise<void> {
  const broken = await brokenParts(clickhouse).catch(() => [])
  if (broken.length > 0) warn({ broken }, 'the database could not read all of its data, so rows are missing')
}
