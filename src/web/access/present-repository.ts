import type { KnownRepository, Repositories } from '../../inbox/repositories.ts'
import type { Store } from '../../store/store.ts'

/** A repository that is there, under the name that was asked for. */
export interface PresentRepository {
  readonly id: number
  readonly isPrivate: boolean
  readonly owner: string
  readonly repo: string
  /** null: not known, so GitHub can't be asked about it. */
  readonly installationId: number | null
}

/** What is known of repositories apart from their reports. */
export type KnownRepositories = Pick<Repositories, 'byName' | 'byId'>

export const NOTHING_KNOWN: KnownRepositories = { byName: () => null, byId: () => null }

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
