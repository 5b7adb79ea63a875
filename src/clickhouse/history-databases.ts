import type { CiDatabaseEnvironment } from '../config/environment.ts'
import { type CiTrunkHistory, openCiTrunkHistory } from './ci-trunk-history.ts'
import { withRememberedThresholds } from './remembered-thresholds.ts'
import { HistoryUnavailable, type TrunkHistory } from './trunk-history.ts'

/** The trunk's measurements in the CI database of the server, as its operator lets repositories use it. */
export interface HistoryDatabases {
  /**
   * The history of a repository (`owner/name`) in the table that its configuration names; null: the database holds none of
   * this repository. A table that the operator has not named can't be asked.
   */
  of(repository: string, table: string): TrunkHistory | null
  close(): Promise<void>
}

/** Opened for each table at most once; the server is not asked before it is needed. */
export function openHistoryDatabases(environment: CiDatabaseEnvironment): HistoryDatabases {
  const { repositories, tables, url, user, password } = environment
  const opened = new Map<string, CiTrunkHistory>()
  return {
    of(repository, table) {
      if (repositories !== null && !repositories.includes(repository.toLowerCase())) return null
      if (!tables.includes(table)) return refused(table)
      const known = opened.get(table) ?? withRememberedThresholds(openCiTrunkHistory({ url, user, password, table }))
      opened.set(table, known)
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
