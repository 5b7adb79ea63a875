import type { Store } from '../../store/store.ts'
import type { Access } from './access.ts'
import { type KnownRepositories, NOTHING_KNOWN, presentRepository } from './present-repository.ts'

/** Repositories that are public may be seen; there is no sign-in. */
export function publicAccess(store: Pick<Store, 'repositoryByName'>, known: KnownRepositories = NOTHING_KNOWN): Access {
  return {
    async visible(_context, owner, repo) {
      const repository = await presentRepository(store, known, owner, repo)
      return repository === null || repository.isPrivate ? null : { id: repository.id, isPrivate: false }
    },
  }
}
