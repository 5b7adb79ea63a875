import { installationJson } from '../resources/app.ts'
import { repositoryReference } from '../resources/repository.ts'
import type { Installation, Permissions, Repository } from '../state.ts'
import type { World } from '../world.ts'

export interface InstallValues {
  /** Login of the owner of the repositories. */
  readonly account: string
  readonly permissions: Permissions
  readonly events: readonly string[]
  /** Default: all repositories of the account. */
  readonly repositories?: readonly Repository[]
  /** Who installs it. */
  readonly by?: string
}

/** The permissions, any of which GitHub asks for before an app may subscribe to an event. */
const permissionsOfEvents: Readonly<Record<string, readonly string[]>> = {
  check_run: ['checks'],
  check_suite: ['checks'],
  issue_comment: ['issues', 'pull_requests'],
  pull_request: ['pull_requests'],
  push: ['contents'],
  status: ['statuses'],
  workflow_run: ['actions'],
  repository: ['metadata'],
}

/** @throws for an event without its permission, which GitHub would not let an app register */
export function install(world: World, values: InstallValues): Installation {
  const { state } = world
  const permissions: Permissions = { ...values.permissions, metadata: 'read' }
  for (const event of values.events) {
    const needed = permissionsOfEvents[event]
    if (needed === undefined) throw new Error(`the local GitHub knows no event ${event}`)
    if (!needed.some((name) => permissions[name] !== undefined)) {
      throw new Error(`the event ${event} needs the permission ${needed.join(' or ')}`)
    }
  }
  const installation: Installation = {
    id: state.id('installation'),
    account: state.account(values.account, 'Organization'),
    permissions,
    events: values.events,
    repositoryIds: values.repositories === undefined ? null : new Set(values.repositories.map((repo) => repo.id)),
    suspendedAt: null,
    createdAt: state.now(),
  }
  state.app.permissions = permissions
  state.app.events = values.events
  state.installations.push(installation)
  tell(world, 'created', installation, values.by ?? 'octo-admin')
  return installation
}

export function suspend(world: World, installation: Installation, suspended: boolean): void {
  installation.suspendedAt = suspended ? world.state.now() : null
  tell(world, suspended ? 'suspend' : 'unsuspend', installation, 'octo-admin')
}

export function selectRepository(world: World, installation: Installation, repo: Repository, selected: boolean): void {
  const { state, webhooks } = world
  if (installation.repositoryIds === null) throw new Error('the installation is on all repositories')
  if (selected) installation.repositoryIds.add(repo.id)
  else installation.repositoryIds.delete(repo.id)
  webhooks.emitInstallation(
    'installation_repositories',
    selected ? 'added' : 'removed',
    installation,
    state.account('octo-admin'),
    {
      installation: installationJson(state, installation),
      repository_selection: 'selected',
      repositories_added: selected ? [repositoryReference(repo)] : [],
      repositories_removed: selected ? [] : [repositoryReference(repo)],
      requester: null,
    },
  )
}

export function uninstall(world: World, installation: Installation): void {
  const { installations } = world.state
  installations.splice(installations.indexOf(installation), 1)
  tell(world, 'deleted', installation, 'octo-admin')
}

function tell(world: World, action: string, installation: Installation, by: string): void {
  const { state, webhooks } = world
  const sender = state.account(by)
  const repositories = state.repositories.filter(
    (repo) =>
      repo.owner === installation.account &&
      (installation.repositoryIds === null || installation.repositoryIds.has(repo.id)),
  )
  webhooks.emitInstallation('installation', action, installation, sender, {
    installation: installationJson(state, installation),
    repositories: repositories.map(repositoryReference),
    ...(action === 'created' ? { requester: null } : {}),
  })
}
