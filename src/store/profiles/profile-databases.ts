import type { CiDatabaseEnvironment } from '../../config/environment.ts'
import { DEFAULT_STACKS_TABLE } from '../../config/repository-config.ts'
import { StoreUnavailable } from '../store-unavailable.ts'
import { type ExternalProfiles, openExternalProfiles } from './external-profiles.ts'
import type { ProfilesBeside } from './profiles.ts'

/** The profiles in the CI database of the server, as its operator lets repositories use it. */
export interface ProfileDatabases {
  /**
   * The profiles of a repository (`owner/name`) in the table that its configuration names; null: the database holds none of
   * this repository. A table that the operator has not named can't be asked; the default one, which nobody may have asked
   * for, is then not there.
   */
  of(repository: string, table: string | null): ProfilesBeside | null
  close(): Promise<void>
}

/** Milliseconds: somebody waits for a page, and it is of use without a profile. */
const TIMEOUT = 5000

/** Opened for each table at most once; the server is not asked before it is needed. */
export function openProfileDatabases(environment: CiDatabaseEnvironment): ProfileDatabases {
  const { repositories, tables, url, user, password } = environment
  const opened = new Map<string, ExternalProfiles>()
  return {
    of(repository, table) {
      if (!repositories.includes(repository.toLowerCase())) return null
      if (table === null) return null
      if (!tables.includes(table)) return table === DEFAULT_STACKS_TABLE ? null : refused(table)
      const known = opened.get(table) ?? openExternalProfiles({ url, user, password, table, timeout: TIMEOUT })
      opened.set(table, known)
      return known
    },
    async close() {
      await Promise.all([...opened.values()].map((profiles) => profiles.close()))
    },
  }
}

function refused(table: string): ProfilesBeside {
  const refuse = () =>
    Promise.reject(new StoreUnavailable(`The table ${table} is not in CIDB_TABLES; add it there to allow reading it.`))
  return { summariesOf: refuse, stacksOf: refuse, copiedFrom: null }
}
