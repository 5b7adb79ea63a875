import type { Context } from 'hono'
import type { KnownRepository, Repositories } from '../../inbox/repositories.ts'
import type { RepositoryName, Store } from '../../store/store.ts'

/** The right to see a repository. Asked before anything else is looked up, by every route that belongs to a repository. */
export interface Access {
  /**
   * The repository, for whoever asks; null where there is none of that name and where this visitor may not see it: the
   * two can't be told apart.
   */
  visible(context: Context, owner: string, repo: string): Promise<RepositoryName | null>
}

/** A repository that is there, under the name that was asked for. */
export interface PresentRepository {
  readonly id: number
  readonly isPrivate: boolean
  readonly owner: string
  readonly repo: string
  /** null: not known, so GitHub can't be asked about it. */
  readonly installationId: number | null
}

/** Facts about repositories apart from their reports. */
export type KnownRepositories = Pick<Repositories, 'byName' | 'byId'>

const NOTHING_KNOWN: KnownRepositories = { byName: () => null, byId: () => null }

/**
 * The repository of a name, by what was last heard of it or read from GitHub; where nothing was, by its newest report. The
 * store is asked once in any case, so that no answer takes longer than another. Throws `StoreUnavailable`.
 */
export async function presentRepository(
  store: Pick<Store, 'repositoryByName'>,
  known: KnownRepositories,
  owner: string,
  repo: string,
): Promise<PresentRepository | null> {
  const reported = await store.repositoryByName(owner, repo)
  // Looked up after the store has answered: what was heard meanwhile counts.
  const found = known.byName(owner, repo) ?? (reported === null ? null : known.byId(reported.id))
  if (found === null) return reported === null ? null : { ...reported, owner, repo, installationId: null }
  if (found.isGone || !isNamed(found, owner, repo)) return null
  const { repositoryId: id, installationId } = found
  const isPrivate = found.isPrivate ?? (reported?.id === id ? reported.isPrivate : true)
  return { id, isPrivate, owner, repo, installationId }
}

function isNamed(found: KnownRepository, owner: string, repo: string): boolean {
  return found.owner.toLowerCase() === owner.toLowerCase() && found.repo.toLowerCase() === repo.toLowerCase()
}

/** Repositories that are public may be seen; there is no sign-in. */
export function publicAccess(store: Pick<Store, 'repositoryByName'>, known: KnownRepositories = NOTHING_KNOWN): Access {
  return {
    async visible(_context, owner, repo) {
      const repository = await presentRepository(store, known, owner, repo)
      return repository === null || repository.isPrivate ? null : { id: repository.id, isPrivate: false }
    },
  }
}
