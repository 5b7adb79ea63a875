import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { inTransaction, prepareAll, readRow, readRows } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

export interface InstalledRepository {
  readonly repositoryId: number
  readonly installationId: number
  readonly owner: string
  readonly repo: string
  /** Runs that finished before are not triaged: nobody wants a comment on every old pull request. */
  readonly firstSeenAt: number
}

export interface Installations {
  /** Keeps the time of the first call for a repository and the names of the last one; returns that time. Writes only what is new. */
  seen(repository: Omit<InstalledRepository, 'firstSeenAt'>, now: Time): number
  /** Forgets repositories, or with null the whole installation: when it comes back it is new. */
  remove(installationId: number, repositoryIds: readonly number[] | null): void
  list(): InstalledRepository[]
  /** When the repository was first seen; null when it never was. */
  firstSeenAt(repositoryId: number): number | null
}

const repositoryRow: z.ZodType<InstalledRepository> = z.object({
  repositoryId: z.int(),
  installationId: z.int(),
  owner: z.string(),
  repo: z.string(),
  firstSeenAt: z.int(),
})
const firstSeenRow = z.object({ firstSeenAt: z.int() })

export function createInstallations(database: DatabaseSync): Installations {
  const statements = prepareAll(database, 'records.sql', [
    'addRepository',
    'seenAsNow',
    'removeInstallation',
    'removeRepository',
    'repositories',
    'firstSeenAt',
  ])
  return {
    seen({ repositoryId, installationId, owner, repo }, now) {
      const named = { repositoryId, installationId, owner, repo }
      const known = readRow(statements.seenAsNow, firstSeenRow, named)
      const row = known ?? readRow(statements.addRepository, firstSeenRow, { ...named, now: milliseconds(now) })!
      return row.firstSeenAt
    },

    remove(installationId, repositoryIds) {
      inTransaction(database, () => {
        if (repositoryIds === null) statements.removeInstallation.run({ installationId })
        for (const repositoryId of repositoryIds ?? []) {
          statements.removeRepository.run({ installationId, repositoryId })
        }
      })
    },

    firstSeenAt(repositoryId) {
      return readRow(statements.firstSeenAt, firstSeenRow, { repositoryId })?.firstSeenAt ?? null
    },

    list() {
      return readRows(statements.repositories, repositoryRow)
    },
  }
}
