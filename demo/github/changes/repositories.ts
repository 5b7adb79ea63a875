import { fullName, type Repository } from '../state.ts'
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
