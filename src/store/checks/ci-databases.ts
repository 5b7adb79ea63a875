import type { CiDatabaseEnvironment } from '../../config/environment.ts'
import { type CiDatabase, openCiDatabase } from './ci-database.ts'
import { type CiResults, CiResultsUnavailable } from './ci-results.ts'
import { rememberMassFailures } from './remembered-mass-failures.ts'

/** The CI database of the server, as its operator lets repositories use it. */
export interface CiDatabases {
  /**
   * The results of a repository (`owner/name`) in the table that its configuration names; null: the database holds none of
   * this repository. A table that the operator has not named can't be asked.
   */
  of(repository: string, table: string): CiResults | null
  close(): Promise<void>
}

/** Opened for each table at most once; the server is not asked before it is needed. */
export function openCiDatabases(environment: CiDatabaseEnvironment): CiDatabases {
  const { repositories, tables } = environment
  const opened = new Map<string, { readonly database: CiDatabase; readonly results: CiResults }>()
  return {
    of(repository, table) {
      if (!repositories.includes(repository.toLowerCase())) return null
      if (!tables.includes(table)) return refused(table)
      const known = opened.get(table)
      if (known !== undefined) return known.results
      const database = openCiDatabase({ ...environment, table })
      const results = rememberMassFailures(database)
      opened.set(table, { database, results })
      return results
    },
    async close() {
      await Promise.all([...opened.values()].map(({ database }) => database.close()))
    },
  }
}

function refused(table: string): CiResults {
  const refuse = () =>
    Promise.reject(
      new CiResultsUnavailable(
        'access-denied',
        `The table ${table} is not in CIDB_TABLES; add it there to allow reading it.`,
      ),
    )
  return { source: 'ci-database', failuresOf: refuse, historiesOf: refuse, massFailuresOf: refuse }
}
