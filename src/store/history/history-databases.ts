import type { CiDatabaseEnvironment } from '../../config/environment.ts'
import { DEFAULT_RUNS_TABLE } from '../../config/repository-config.ts'
import { type CiTrunkHistory, type CiTrunkTables, openCiTrunkHistory } from './ci-trunk-history.ts'
import { HistoryUnavailable, type TrunkHistory } from './trunk-history.ts'

/** The trunk's measurements in the CI database of the server, as its operator lets repositories use it. */
export interface HistoryDatabases {
  /**
   * The history of a repository (`owner/name`) in the tables that its configuration names; null: the database holds none of
   * this repository. A table that the operator has not named can't be asked. The default one of raw runs, which nobody may
   * have asked for, is then left out, and also where there is no table of medians for it to add to.
   */
  of(repository: string, tables: CiTrunkTables): TrunkHistory | null
  close(): Promise<void>
}

/** The tables of the trunk's history that a repository may read; one of them that the operator has not named. */
export interface AllowedTables {
  readonly table: string | null
  readonly runsTable: string | null
  readonly forbidden: string | null
}

/** As `HistoryDatabases.of` says it; null: the database holds none of this repository. */
export function allowedTables(
  { repositories, tables }: Pick<CiDatabaseEnvironment, 'repositories' | 'tables'>,
  repository: string,
  { table, runsTable = null }: CiTrunkTables,
): AllowedTables | null {
  if (repositories !== null && !repositories.includes(repository.toLowerCase())) return null
  const isLeftOut = runsTable === DEFAULT_RUNS_TABLE && (table === null || !tables.includes(DEFAULT_RUNS_TABLE))
  const runs = isLeftOut ? null : runsTable
  const named = [table, runs].filter((name) => name !== null)
  if (named.length === 0) return null
  return { table, runsTable: runs, forbidden: named.find((name) => !tables.includes(name)) ?? null }
}

/** Opened for each table at most once; the server is not asked before it is needed. */
export function openHistoryDatabases(environment: CiDatabaseEnvironment): HistoryDatabases {
  const { url, user, password } = environment
  const opened = new Map<string, CiTrunkHistory>()
  return {
    of(repository, wanted) {
      const allowed = allowedTables(environment, repository, wanted)
      if (allowed === null) return null
      const { table, runsTable, forbidden } = allowed
      if (forbidden !== null) return refused(forbidden)
      const key = JSON.stringify([table, runsTable])
      const known =
        opened.get(key) ?? openCiTrunkHistory({ url, user, password, table, runsTable, remembersThresholds: true })
      opened.set(key, known)
      return known
    },
    async close() {
      await Promise.all([...opened.values()].map((history) => history.close()))
    },
  }
}

function refused(table: string): TrunkHistory {
  const unavailable = () =>
    new HistoryUnavailable(
      'access-denied',
      `The table ${table} is not one of CIDB_TABLES: add it there to let it be read.`,
    )
  const refuse = () => Promise.reject(unavailable())
  return {
    source: 'ci-database',
    learnedThresholds: refuse,
    moves: refuse,
    series: refuse,
    allSeries: () => ({ [Symbol.asyncIterator]: () => ({ next: refuse }) }),
    pairedStepsOfAll: refuse,
  }
}
