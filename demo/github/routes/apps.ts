import { ApiError, notFound } from '../api-error.ts'
import { permits } from '../auth.ts'
import { convert } from '../changes/manifests.ts'
import { appJson, installationJson } from '../resources/app.ts'
import { time } from '../resources/json.ts'
import { repositoryJson } from '../resources/repository.ts'
import { type Call, paged, type Route, repositoryOf } from '../route.ts'
import type { Installation, Permissions, Repository } from '../state.ts'

export const appRoutes: readonly Route[] = [
  {
    operation: 'apps/get-authenticated',
    needs: 'app',
    answer: ({ state }) => ({
      status: 200,
      body: { ...appJson(state, state.app), installations_count: state.installations.length },
    }),
  },
  {
    operation: 'apps/list-installations',
    needs: 'app',
    answer: (call) =>
      paged(call, call.state.installations, (page) => page.map((item) => installationJson(call.state, item))),
  },
  {
    operation: 'apps/get-installation',
    needs: 'app',
    answer: (call) => ({ status: 200, body: installationJson(call.state, installationOf(call)) }),
  },
  {
    operation: 'apps/get-repo-installation',
    needs: 'app',
    answer: (call) => {
      const installation = call.webhooks.installationOf(repositoryOf(call))
      if (installation === undefined) throw notFound()
      return { status: 200, body: installationJson(call.state, installation) }
    },
  },
  {
    operation: 'apps/create-from-manifest',
    needs: 'any',
    answer: (call) => ({ status: 201, body: convert(call, call.path['code'] ?? '', call.state.credentials) }),
  },
  { operation: 'apps/create-installation-access-token', needs: 'app', answer: createToken },
  {
    operation: 'apps/list-repos-accessible-to-installation',
    needs: 'installation',
    answer: (call) => {
      const { actor, state } = call
      if (actor.kind !== 'installation') throw notFound()
      const all = covered(state.repositories, actor.installation).filter(
        (repo) => actor.repositoryIds === null || actor.repositoryIds.has(repo.id),
      )
      return paged(call, all, (page) => ({
        total_count: all.length,
        repository_selection: actor.installation.repositoryIds === null ? 'all' : 'selected',
        repositories: page.map((repo) => repositoryJson(state, repo)),
      }))
    },
  },
  {
    operation: 'rate-limit/get',
    needs: 'any',
    answer: ({ limiter, limitOwner, state }) => ({
      status: 200,
      body: limiter.overview(limitOwner, state.now().getTime()),
    }),
  },
]

interface TokenRequest {
  readonly repositories?: readonly string[]
  readonly repository_ids?: readonly number[]
  readonly permissions?: Permissions
}

function createToken(call: Call) {
  const { state, authentication } = call
  const installation = installationOf(call)
  if (installation.suspendedAt !== null) throw new ApiError(403, 'This installation has been suspended')
  const wanted = (call.body ?? {}) as TokenRequest
  const permissions = wanted.permissions ?? installation.permissions
  for (const [name, level] of Object.entries(permissions)) {
    if (!permits(installation.permissions, `${name}:${level}`)) {
      throw new ApiError(422, 'The permissions requested are not granted to this installation.')
    }
  }
  const repositories = wantedRepositories(wanted, covered(state.repositories, installation))
  const ids = repositories === null ? null : new Set(repositories.map((repo) => repo.id))
  const { token, expiresAt } = authentication.grant(installation, { metadata: 'read', ...permissions }, ids)
  return {
    status: 201,
    body: {
      token,
      expires_at: time(expiresAt),
      permissions,
      repository_selection: repositories === null && installation.repositoryIds === null ? 'all' : 'selected',
      ...(repositories === null ? {} : { repositories: repositories.map((repo) => repositoryJson(state, repo)) }),
    },
  }
}

function wantedRepositories(wanted: TokenRequest, all: readonly Repository[]): Repository[] | null {
  if (wanted.repositories === undefined && wanted.repository_ids === undefined) return null
  const names = (wanted.repositories ?? []).map((name) => all.find((repo) => repo.name === name))
  const ids = (wanted.repository_ids ?? []).map((id) => all.find((repo) => repo.id === id))
  return [...names, ...ids].map((repo) => {
    if (repo !== undefined) return repo
    throw new ApiError(
      422,
      'There is at least one repository that does not exist or is not accessible to the parent installation.',
    )
  })
}

function covered(all: readonly Repository[], installation: Installation): Repository[] {
  return all.filter(
    (repo) =>
      repo.owner === installation.account &&
      (installation.repositoryIds === null || installation.repositoryIds.has(repo.id)),
  )
}

function installationOf(call: Call): Installation {
  const id = Number(call.path['installation_id'])
  const installation = call.state.installations.find((known) => known.id === id)
  if (installation === undefined) throw notFound()
  return installation
}
