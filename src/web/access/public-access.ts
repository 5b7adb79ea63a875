import type { Store } from '../../clickhouse/store.ts'
import type { Access } from './access.ts'

/** Repositories that are public may be seen, by what their newest report says of them; there is no sign-in. */
export function publicAccess(store: Pick<Store, 'repositoryByName'>): Access {
  return {
    async visible(_context, owner, repo) {
      const repository = await store.repositoryByName(owner, repo)
      return repository === null || repository.isPrivate ? null : repository
    },
  }
}
