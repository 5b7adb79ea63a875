import { z } from 'zod'
import { type Database, statementsOf } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

/** Repositories that have the App, as far as webhooks and calls have shown. */

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
  readonly #database: Database
  readonly #statements

  constructor(database: Database) {
    this.#database = database
    this.#statements = statementsOf('records.sql', [
      'addRepository',
      'seenAsNow',
      'removeInstallation',
      'removeRepository',
      'repositories',
      'firstSeenAt',
    ])
  }

  /** Keeps the time of the first call for a repository and the names of the last one; returns that time. Writes only what is new. */
  async seen(
    { repositoryId, installationId, owner, repo }: Omit<InstalledRepository, 'firstSeenAt'>,
    now: Time,
  ): Promise<number> {
    const named = { repositoryId, installationId, owner, repo }
    const known = await this.#database.row(this.#statements.seenAsNow, firstSeenRow, named)
    const row =
      known ??
      (await this.#database.row(this.#statements.addRepository, firstSeenRow, { ...named, now: milliseconds(now) }))!
    return row.firstSeenAt
  }

  /** Forgets repositories, or with null the whole installation: when it comes back it is new. */
  async remove(installationId: number, repositoryIds: readonly number[] | null): Promise<void> {
    await this.#database.transaction(async () => {
      if (repositoryIds === null) await this.#database.run(this.#statements.removeInstallation, { installationId })
      for (const repositoryId of repositoryIds ?? []) {
        await this.#database.run(this.#statements.removeRepository, { installationId, repositoryId })
      }
    })
  }

  /** When the repository was first seen; null when it never was. */
  async firstSeenAt(repositoryId: number): Promise<number | null> {
    const row = await this.#database.row(this.#statements.firstSeenAt, firstSeenRow, { repositoryId })
    return row?.firstSeenAt ?? null
  }

  async list(): Promise<InstalledRepository[]> {
    return await this.#database.rows(this.#statements.repositories, repositoryRow)
  }
}
