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

const repositoryRow: z.ZodType<InstalledRepository> = z.object({
  repositoryId: z.int(),
  installationId: z.int(),
  owner: z.string(),
  repo: z.string(),
  firstSeenAt: z.int(),
})
const firstSeenRow = z.object({ firstSeenAt: z.int() })

export class Installations {
  readonly #database: DatabaseSync
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#statements = prepareAll(database, 'records.sql', [
      'addRepository',
      'seenAsNow',
      'removeInstallation',
      'removeRepository',
      'repositories',
      'firstSeenAt',
    ])
  }

  /** Keeps the time of the first call for a repository and the names of the last one; returns that time. Writes only what is new. */
  seen({ repositoryId, installationId, owner, repo }: Omit<InstalledRepository, 'firstSeenAt'>, now: Time): number {
    const named = { repositoryId, installationId, owner, repo }
    const known = readRow(this.#statements.seenAsNow, firstSeenRow, named)
    const row = known ?? readRow(this.#statements.addRepository, firstSeenRow, { ...named, now: milliseconds(now) })!
    return row.firstSeenAt
  }

  /** Forgets repositories, or with null the whole installation: when it comes back it is new. */
  remove(installationId: number, repositoryIds: readonly number[] | null): void {
    inTransaction(this.#database, () => {
      if (repositoryIds === null) this.#statements.removeInstallation.run({ installationId })
      for (const repositoryId of repositoryIds ?? []) {
        this.#statements.removeRepository.run({ installationId, repositoryId })
      }
    })
  }

  /** When the repository was first seen; null when it never was. */
  firstSeenAt(repositoryId: number): number | null {
    return readRow(this.#statements.firstSeenAt, firstSeenRow, { repositoryId })?.firstSeenAt ?? null
  }

  list(): InstalledRepository[] {
    return readRows(this.#statements.repositories, repositoryRow)
  }
}
