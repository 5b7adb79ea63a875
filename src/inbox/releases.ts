import { z } from 'zod'
import { type Database, statementsOf } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

/** A tag of a repository and the commit that it names. */
export interface Release {
  readonly tag: string
  /** Full commit id. */
  readonly commit: string
  /** When it was committed, in milliseconds. */
  readonly time: number
}

const releaseRow = z.object({ tag: z.string(), commit: z.string(), time: z.int() })

/** Tags that are kept of a repository, the newest commits: nightly ones would fill any chart. */
export const MOST_RELEASES = 500

/** The tags that were pushed since the bot was there. */
export class Releases {
  readonly #database: Database
  readonly #statements

  constructor(database: Database) {
    this.#database = database
    this.#statements = statementsOf('records.sql', ['addRelease', 'dropOldReleases', 'removeRelease', 'releasesOf'])
  }

  /** A tag that was moved names its new commit. */
  async add(repositoryId: number, release: Release, now: Time): Promise<void> {
    await this.#database.run(this.#statements.addRelease, { repositoryId, ...release, now: milliseconds(now) })
    await this.#database.run(this.#statements.dropOldReleases, { repositoryId, most: MOST_RELEASES })
  }

  async remove(repositoryId: number, tag: string): Promise<void> {
    await this.#database.run(this.#statements.removeRelease, { repositoryId, tag })
  }

  /** By the time of their commits, the newest first. */
  async of(repositoryId: number): Promise<Release[]> {
    return await this.#database.rows(this.#statements.releasesOf, releaseRow, { repositoryId })
  }
}
