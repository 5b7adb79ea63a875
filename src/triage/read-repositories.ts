import type { Event } from '../events/event.ts'
import { repositoryChangesOf } from '../events/wakes.ts'
import { getRepository, type Repository } from '../github/repository.ts'
import type { RepositoryChange } from '../inbox/repositories.ts'
import type { TriageContext } from './triage-context.ts'

type ReadingContext = Pick<TriageContext, 'github' | 'inbox' | 'now'>

/**
 * Asks GitHub what became of the repositories that an event was about. The event itself has been kept already, as far as
 * it hides something; here is found what it shows. One that can't be read keeps no other from being read. Throws at the
 * end where some have to be asked for again later.
 */
export async function readChanged(context: ReadingContext, event: Event): Promise<void> {
  const errors: unknown[] = []
  for (const change of repositoryChangesOf(event)) {
    const wanted = wantedOf(context, event, change)
    if (wanted !== null) await readAgain(context, wanted).catch((error: unknown) => errors.push(error))
  }
  if (errors.length === 1) throw errors[0]
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} repositories could not be read`)
}

type Wanted = Omit<Extract<RepositoryChange, { kind: 'gone' }>, 'kind'>

function wantedOf({ inbox }: ReadingContext, event: Event, change: RepositoryChange): Wanted | null {
  if (change.kind === 'installation-gone') return null
  const known = inbox.repositories.byId(change.repositoryId)
  if (change.kind === 'gone') {
    // Taken from an installation that it had left for another one: there it still is.
    if (known === null || known.installationId === change.installationId || change.owner === '') return null
    return { ...change, installationId: known.installationId }
  }
  // An installation lists hundreds of repositories: GitHub is asked only for those that were hidden before.
  const wasHidden = known !== null && (known.isGone || (known.isPrivate === true && !change.isPrivate))
  return (event.kind === 'repository' || wasHidden) && change.owner !== '' ? change : null
}

async function readAgain(
  { github, inbox, now }: ReadingContext,
  { repositoryId, installationId, owner, repo }: Wanted,
): Promise<void> {
  const version = inbox.repositories.version(repositoryId)
  const octokit = await github.forInstallation(installationId)
  const repository = await getRepository(octokit, { owner, repo })
  if (repository === null || repository.id !== repositoryId) {
    inbox.repositories.heard([{ kind: 'gone', repositoryId, installationId, owner, repo }], now())
    return
  }
  if (!keepRead({ inbox, now }, installationId, repository, version)) {
    throw new Error('whether the repository may be seen is asked again: something was heard of it just now')
  }
}

/** Keeps what was read from GitHub anyway. `version`: what `inbox.repositories.version` said before it was asked. */
export function keepRead(
  { inbox, now }: Pick<TriageContext, 'inbox' | 'now'>,
  installationId: number,
  { id: repositoryId, owner, name: repo, isPrivate }: Pick<Repository, 'id' | 'owner' | 'name' | 'isPrivate'>,
  version: number,
): boolean {
  return inbox.repositories.read({ repositoryId, installationId, owner, repo, isPrivate }, version, now())
}
