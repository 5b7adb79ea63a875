import { accountJson } from '../resources/account.ts'
import { type Account, fullName, type Repository } from '../state.ts'
import type { World } from '../world.ts'

/** The old name redirects from now on. */
export function renameRepository(world: World, repo: Repository, name: string): void {
  const from = repo.name
  world.state.formerNames.set(fullName(repo).toLowerCase(), repo)
  repo.name = name
  world.webhooks.emit('repository', 'renamed', repo, repo.owner, {
    changes: { repository: { name: { from } } },
  })
}

/** Sends `repository.privatized` or `repository.publicized`. */
export function setPrivate(world: World, repo: Repository, isPrivate: boolean): void {
  repo.private = isPrivate
  world.webhooks.emit('repository', isPrivate ? 'privatized' : 'publicized', repo, repo.owner, {})
}

/** The old name redirects from now on; the event goes to the new owner's installation alone. */
export function transferRepository(world: World, repo: Repository, owner: Account): void {
  const from = accountJson(world.state, repo.owner)
  world.state.formerNames.set(fullName(repo).toLowerCase(), repo)
  repo.owner = owner
  world.webhooks.emit('repository', 'transferred', repo, owner, { changes: { owner: { from: { user: from } } } })
}

export function deleteRepository(world: World, repo: Repository): void {
  const { repositories } = world.state
  repositories.splice(repositories.indexOf(repo), 1)
  world.webhooks.emit('repository', 'deleted', repo, repo.owner, {})
}
