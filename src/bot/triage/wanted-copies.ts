import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { RepositoryConfig } from '../../config/repository-config.ts'
import type { GitHubApp } from '../../github/github-app.ts'
import type { Octokit, RepositoryRef } from '../../github/octokit.ts'
import { getRepository, type Repository } from '../../github/repository.ts'
import { lastGoodConfig } from '../../inbox/configs.ts'
import type { Inbox } from '../../inbox/inbox.ts'
import type { InstalledRepository } from '../../inbox/installations.ts'
import type { ProfileDatabases } from '../../store/profiles/profile-databases.ts'
import { copiedMetrics } from '../../store/sync/copied-history.ts'
import type { AllowedSources, HistorySources } from '../../store/sync/history-sources.ts'
import type { HistorySyncOptions, RepositoryCopies } from '../../store/sync/history-sync.ts'

/** How long a repository's name and default branch are taken for known. Milliseconds. */
const REPOSITORY_KNOWN_MS = 3_600_000

/** How long GitHub is not asked again about a repository of which it could not or would not tell the trunk. Milliseconds. */
const FAILURE_KNOWN_MS = 15 * 60_000

const MOST_KNOWN = 10_000

export interface WantedCopiesContext {
  readonly inbox: Pick<Inbox, 'installations' | 'repositories' | 'configs'>
  readonly github: Pick<GitHubApp, 'forInstallation'>
  /** Reads the configuration of a repository from GitHub and keeps it among `inbox.configs`. */
  readonly readConfig: (octokit: Octokit, ref: RepositoryRef, repositoryId: number) => Promise<unknown>
  /** null: there is no CI database, and nothing may be copied. */
  readonly sources: Pick<HistorySources, 'holds' | 'of'> | null
  /** The profiles in it; null: there is none. */
  readonly profileDatabases: Pick<ProfileDatabases, 'of'> | null
  readonly now: () => number
  readonly log: Logger
}

/**
 * The histories of the repositories that have the App which may be copied out of the CI database, by its operator's word and their last good
 * configurations: the metric that decides and those of `history.metrics`, and where their profiles may be copied from. GitHub is asked once an hour for the name of the trunk,
 * and for the configuration, which those hear of sooner whom an event wakes.
 */
export function wantedCopies(context: WantedCopiesContext): HistorySyncOptions['wanted'] {
  const { inbox, sources, profileDatabases, now, log } = context
  const known = new LRUCache<number, Repository | 'not-known'>({
    max: MOST_KNOWN,
    ttl: REPOSITORY_KNOWN_MS,
    ttlResolution: 0,
    perf: { now },
  })

  const repositoryOf = async ({ repositoryId, installationId, owner, repo }: InstalledRepository) => {
    const before = known.get(repositoryId)
    if (before !== undefined) return before
    const octokit = await context.github.forInstallation(installationId)
    const repository = await getRepository(octokit, { owner, repo })
    // Another one may have its name by now.
    if (repository === null || repository.id !== repositoryId) {
      known.set(repositoryId, 'not-known', { ttl: FAILURE_KNOWN_MS })
      return 'not-known'
    }
    await context.readConfig(octokit, { owner: repository.owner, repo: repository.name }, repositoryId)
    known.set(repositoryId, repository)
    return repository
  }

  const copiesOf = async (installed: InstalledRepository) => {
    const { repositoryId, owner, repo } = installed
    const nothing: RepositoryCopies = { repositoryId, name: `${owner}/${repo}`, copies: [], profilesFrom: null }
    if (sources?.holds(nothing.name) !== true) return nothing
    try {
      const repository = await repositoryOf(installed)
      if (repository === 'not-known') return { repositoryId, copies: null }
      const name = `${repository.owner}/${repository.name}`
      const config = await lastGoodConfig(inbox.configs, repositoryId)
      const allowed = sources.of(name, config.history)
      const profilesFrom = profileDatabases?.of(name, config.profiles.table)?.copiedFrom ?? null
      return { repositoryId, name, copies: copiesIn(allowed?.tables ?? [], repository, config), profilesFrom }
    } catch (error) {
      log.warn(
        { err: error, repository: nothing.name },
        'the main branch of a repository whose history is copied is not known',
      )
      known.set(repositoryId, 'not-known', { ttl: FAILURE_KNOWN_MS })
      return { repositoryId, copies: null }
    }
  }

  return async (held) => {
    const found: Awaited<ReturnType<HistorySyncOptions['wanted']>>[number][] = []
    for (const one of await inbox.installations.list()) {
      if ((await inbox.repositories.byId(one.repositoryId))?.isGone !== true) found.push(await copiesOf(one))
    }
    const listed = new Set(found.map(({ repositoryId }) => repositoryId))
    for (const repositoryId of held.filter((id) => !listed.has(id))) {
      const known = await inbox.repositories.byId(repositoryId)
      // An inbox that has not heard that a repository has lost the App can't say so: it may be a new one.
      if (known?.isGone !== true) found.push({ repositoryId, copies: null })
      else found.push({ repositoryId, name: `${known.owner}/${known.repo}`, copies: [], profilesFrom: null })
    }
    return found
  }
}

function copiesIn(
  tables: AllowedSources['tables'],
  { id, defaultBranch }: Repository,
  config: RepositoryConfig,
): RepositoryCopies['copies'] {
  const { days } = config.history
  return copiedMetrics(config).flatMap((metric) =>
    tables.map((source) => ({ repositoryId: id, source, metric, trunk: [defaultBranch], days })),
  )
}
