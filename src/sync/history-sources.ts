import type { CiDatabaseEnvironment } from '../config/environment.ts'
import { ExternalDatabase } from '../store/external-database.ts'
import type { CiTrunkTables } from '../store/history/ci-trunk-history.ts'
import { allowedTables } from '../store/history/history-databases.ts'
import { SourceTable } from './source-table.ts'

/** The tables of the CI database that the trunk's history is copied out of, as its operator lets repositories use them. */
export interface HistorySources {
  /** Whether the database holds anything of a repository (`owner/name`). */
  holds(repository: string): boolean
  /**
   * The tables of a repository that its configuration names, medians first. None where the operator does not allow one of
   * them: `forbidden` is its name then.
   */
  of(repository: string, tables: CiTrunkTables): AllowedSources
  close(): Promise<void>
}

export interface AllowedSources {
  readonly tables: readonly SourceTable[]
  readonly forbidden: string | null
}

/** The server is not asked before it is needed. */
export function openHistorySources(environment: CiDatabaseEnvironment): HistorySources {
  const { url, user, password, repositories } = environment
  const database = new ExternalDatabase({ url, user, password, called: 'the CI database' })
  const opened = new Map<string, SourceTable>()
  const open = (name: string, isOfRawRuns: boolean) => {
    const key = JSON.stringify([name, isOfRawRuns])
    const table =
      opened.get(key) ?? (isOfRawRuns ? SourceTable.ofRawRuns(database, name) : SourceTable.ofMedians(database, name))
    opened.set(key, table)
    return table
  }
  return {
    holds: (repository) => repositories === null || repositories.includes(repository.toLowerCase()),
    of(repository, wanted) {
      const allowed = allowedTables(environment, repository, wanted)
      if (allowed === null || allowed.forbidden !== null) return { tables: [], forbidden: allowed?.forbidden ?? null }
      const { table, runsTable } = allowed
      const medians = table === null ? [] : [open(table, false)]
      const rawRuns = runsTable === null ? [] : [open(runsTable, true)]
      return { tables: [...medians, ...rawRuns], forbidden: null }
    },
    close: async () => await database.close(),
  }
}
