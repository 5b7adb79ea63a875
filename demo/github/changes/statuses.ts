import { statusJson } from '../resources/check.ts'
import { commitJson } from '../resources/commit.ts'
import { fullName, type Repository, type Status } from '../state.ts'
import type { Author, World } from '../world.ts'
import { statusBranches } from './pulls.ts'

export function createStatus(
  world: World,
  repo: Repository,
  by: Author,
  values: {
    readonly sha: string
    readonly state: Status['state']
    readonly context: string
    readonly description: string | null
    readonly targetUrl: string | null
  },
): Status {
  const { state } = world
  const status: Status = { id: state.id('status'), ...values, creator: by.account, createdAt: state.now() }
  repo.statuses.push(status)
  const commit = repo.graph.get(values.sha)
  if (commit === undefined) throw new Error(`no commit ${values.sha} in ${fullName(repo)}`)
  const { id, state: value, context, description, target_url, created_at, updated_at } = statusJson(state, repo, status)
  world.webhooks.emit('status', null, repo, by.account, {
    id,
    sha: values.sha,
    name: fullName(repo),
    avatar_url: null,
    target_url,
    context,
    description,
    state: value,
    commit: commitJson(state, repo, commit),
    branches: statusBranches(world, repo, values.sha),
    created_at,
    updated_at,
  })
  return status
}
