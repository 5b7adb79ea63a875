import { z } from 'zod'
import { type Database, flag, statementsOf } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

/** A repository as it was last heard of or read. */
export interface KnownRepository {
  readonly repositoryId: number
  readonly installationId: number
  /** Owner and name are empty while the present name is not known for sure. */
  readonly owner: string
  readonly repo: string
  /** null: not known, what the newest report says stands. */
  readonly isPrivate: boolean | null
  /** Deleted, or the App is not there any more: nobody sees its pages. */
  readonly isGone: boolean
}

/** News of a repository from an event. Events may come late, twice and in any order. */
export type RepositoryChange =
  | {
      readonly kind: 'there'
      readonly repositoryId: number
      readonly installationId: number
      readonly owner: string
      readonly repo: string
      readonly isPrivate: boolean
    }
  /** Deleted, or taken from the installation. */
  | {
      readonly kind: 'gone'
      readonly repositoryId: number
      readonly installationId: number
      readonly owner: string
      readonly repo: string
    }
  /** Every repository of the installation. */
  | { readonly kind: 'installation-gone'; readonly installationId: number }

/** A repository as GitHub answered when it was asked. */
export type ReadRepository = Omit<Extract<RepositoryChange, { kind: 'there' }>, 'kind'>

/**
 * How long after an event that hid a repository an answer that shows it is not believed: GitHub may give it from a copy
 * that the change has not reached. Seconds would do: 60 s of a wrong 404 are better than one of a wrong page.
 */
export const SETTLING_MS = 60_000

interface Row extends KnownRepository {
  readonly closedAt: number | null
  readonly version: number
}

const repositoryRow: z.ZodType<Row> = z.object({
  repositoryId: z.int(),
  installationId: z.int(),
  owner: z.string(),
  repo: z.string(),
  isPrivate: flag.nullable(),
  isGone: flag,
  closedAt: z.int().nullable(),
  version: z.int(),
})

/**
 * Which repositories there are, under which name, and whether they are private: for who may see a page. An event only
 * ever hides (at once, in whatever order events come); what shows again is what was read from GitHub afterwards.
 */
export class Repositories {
  readonly #database: Database
  readonly #statements

  constructor(database: Database) {
    this.#database = database
    this.#statements = statementsOf('repositories.sql', [
      'byId',
      'byName',
      'put',
      'takeName',
      'addInstalled',
      'leaveInstallation',
    ])
  }

  /** Finds a repository by its present name, compared without case as GitHub does. A repository that is gone has no name. */
  async byName(owner: string, repo: string): Promise<KnownRepository | null> {
    return known(await this.#byName(owner, repo))
  }

  async byId(repositoryId: number): Promise<KnownRepository | null> {
    return known(await this.#rowOf(repositoryId))
  }

  /** Keeps the changes, all of them or none; they are on disk when it returns. */
  async heard(changes: readonly RepositoryChange[], now: Time): Promise<void> {
    const at = milliseconds(now)
    await this.#database.transaction(async () => {
      for (const change of changes) {
        if (change.kind === 'there') await this.#heardThere(change, at)
        else if (change.kind === 'gone') await this.#heardGone(change, at)
        else await this.#heardInstallationGone(change.installationId, at)
      }
    })
  }

  /** The version to ask for before GitHub is asked, which `read` is given with the answer; 0 for an unknown repository. */
  async version(repositoryId: number): Promise<number> {
    return (await this.#rowOf(repositoryId))?.version ?? 0
  }

  /**
   * Keeps what GitHub answered. False, and only what hides is kept, when something was heard since the `version` or too
   * short a time ago: ask again later.
   */
  async read(repository: ReadRepository, version: number, now: Time): Promise<boolean> {
    const at = milliseconds(now)
    return await this.#database.transaction(async () => {
      const { repositoryId, installationId, owner, repo, isPrivate } = repository
      const row = await this.#rowOf(repositoryId)
      const fresh = { repositoryId, installationId, owner, repo, isPrivate, isGone: false }
      if (row !== null && isSame(row, fresh)) return true
      if ((row?.version ?? 0) !== version) {
        if (isPrivate && row !== null) await this.#put({ ...row, isPrivate, closedAt: at, version: row.version + 1 })
        return false
      }
      const shows = row !== null && (row.isGone || row.isPrivate === true) && !isPrivate
      if (shows && row.closedAt !== null && at - row.closedAt < SETTLING_MS) return false
      await this.#database.run(this.#statements.takeName, { repositoryId, owner, repo })
      await this.#put({ ...fresh, closedAt: isPrivate ? at : (row?.closedAt ?? null), version: version + 1 })
      return true
    })
  }

  /** The name that an event says, unless it is known as that of another repository: one of the two is out of date. */
  async #nameIn({
    repositoryId,
    owner,
    repo,
  }: ReadRepository): Promise<{ readonly owner: string; readonly repo: string }> {
    const holder = await this.#byName(owner, repo)
    return holder === null || holder.repositoryId === repositoryId ? { owner, repo } : { owner: '', repo: '' }
  }

  async #heardThere(repository: ReadRepository, now: number): Promise<void> {
    const { repositoryId, installationId, isPrivate } = repository
    const row = await this.#rowOf(repositoryId)
    await this.#put({
      repositoryId,
      installationId,
      ...(await this.#nameIn(repository)),
      isPrivate: isPrivate ? true : (row?.isPrivate ?? null),
      isGone: row?.isGone ?? false,
      closedAt: isPrivate ? now : (row?.closedAt ?? null),
      version: (row?.version ?? 0) + 1,
    })
  }

  async #heardGone(change: Extract<RepositoryChange, { kind: 'gone' }>, now: number): Promise<void> {
    const { repositoryId, installationId, owner, repo } = change
    const kept = (await this.#rowOf(repositoryId)) ?? {
      repositoryId,
      installationId,
      owner,
      repo,
      isPrivate: null,
      version: 0,
    }
    await this.#put({ ...kept, isGone: true, closedAt: now, version: kept.version + 1 })
  }

  async #heardInstallationGone(installationId: number, now: number): Promise<void> {
    await this.#database.run(this.#statements.addInstalled, { installationId })
    await this.#database.run(this.#statements.leaveInstallation, { installationId, now })
  }

  async #rowOf(repositoryId: number) {
    return await this.#database.row(this.#statements.byId, repositoryRow, { repositoryId })
  }

  async #byName(owner: string, repo: string) {
    return await this.#database.row(this.#statements.byName, repositoryRow, { owner, repo })
  }

  async #put({ isPrivate, isGone, ...row }: Row) {
    return await this.#database.run(this.#statements.put, {
      ...row,
      isPrivate: isPrivate === null ? null : Number(isPrivate),
      isGone: Number(isGone),
    })
  }
}

function isSame(row: KnownRepository, other: KnownRepository): boolean {
  return (Object.keys(other) as (keyof KnownRepository)[]).every((key) => row[key] === other[key])
}

function known(row: Row | null): KnownRepository | null {
  if (row === null) return null
  const { closedAt: _, version: __, ...repository } = row
  return repository
}
