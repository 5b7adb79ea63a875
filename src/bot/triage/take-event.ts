import { findOpenPullRequests } from '../../github/pull-requests.ts'
import { getRepository, type Repository } from '../../github/repository.ts'
import type { RepositoryChange } from '../../inbox/repositories.ts'
import type { CheckRunEvent, CommentEvent, Event, LabelEvent, TagEvent } from '../events/event.ts'
import { type Hint, hintsOf, isOfFailingTests, isOfInterest, repositoryChangesOf, trunkOf } from '../events/wakes.ts'
import { mayHoldCommand } from '../slash/comment-commands.ts'
import { hearButton, hearComment, hearLabel } from '../slash/hear.ts'
import type { Hearing } from '../slash/saying.ts'
import { alikeFailures } from './alike-failures.ts'
import { siteOf } from './links.ts'
import { loadConfig, type RecentConfigs } from './load-config.ts'
import { passInQueue, queuedPullRequest } from './merge-queue.ts'
import type { TriageContext } from './triage-context.ts'
import { workflowsOfHead } from './workflows-of-head.ts'

/** Writes down what an event tells: installations that came or went, and pull requests to look at. */
export async function takeEvent(context: TriageContext, configs: RecentConfigs, event: Event): Promise<void> {
  const { github, inbox, now } = context
  const changes = repositoryChangesOf(event)
  // An event of one repository does not say where the App is installed.
  if (changes.length > 0 && event.kind !== 'repository') {
    await inbox.together(async () => {
      for (const change of changes) await keepInstalled(context, change)
    })
  }
  await readChanged(context, event, changes)
  if (event.kind === 'issue_comment' || event.kind === 'label' || isButton(event)) await hear(context, event)
  if (event.kind === 'tag') await keepTag(context, event)
  const trunk = trunkOf(event)
  if (trunk !== null) await inbox.triages.wake(trunk, now())
  for (const hint of hintsOf(event, await github.identity())) await follow(context, configs, event, hint)
}

/** The App came to a repository, or left it. An entry without a name only hides its repository. */
async function keepInstalled({ inbox, now }: TriageContext, change: RepositoryChange): Promise<void> {
  const { installationId } = change
  if (change.kind === 'there') {
    const { repositoryId, owner, repo } = change
    if (owner !== '') await inbox.installations.seen({ repositoryId, installationId, owner, repo }, now())
    return
  }
  const ids = change.kind === 'gone' ? [change.repositoryId] : null
  await inbox.installations.remove(installationId, ids)
  await inbox.triages.settle(installationId, ids, now())
}

function isButton(event: Event): event is CheckRunEvent {
  return event.kind === 'check_run' && event.button !== undefined
}

/** The charts of the trunk mark it. */
async function keepTag({ inbox, now }: TriageContext, { repositoryId, tag, names }: TagEvent): Promise<void> {
  if (names === null) await inbox.releases.remove(repositoryId, tag)
  else await inbox.releases.add(repositoryId, { tag, ...names }, now())
}

async function hear(context: TriageContext, event: CommentEvent | LabelEvent | CheckRunEvent): Promise<void> {
  if (event.kind === 'issue_comment' && !mayHoldCommand(event.body)) return
  const { github, inbox, now, log } = context
  const octokit = await github.forInstallation(event.installationId)
  const { owner, repo, repositoryId } = event
  // Who may do what is as it stands now, not as it stood a minute ago.
  const { config } = await loadConfig(octokit, { owner, repo }, repositoryId, inbox.configs, now(), log)
  // Nobody is answered where nothing is written.
  if (!config.enabled || config.mode === 'shadow') return
  const self = await github.identity()
  const hearing: Hearing = {
    ...context,
    octokit,
    self,
    config,
    metBefore: (pullRequest, failures) => alikeFailures(context, octokit, config, pullRequest, failures),
    workflowsOf: (pullRequest) => workflowsOfHead(octokit, config, pullRequest, self.appId),
    siteOf: (repository) => siteOf(context, repository),
  }
  if (event.kind === 'issue_comment') await hearComment(hearing, event)
  else if (event.kind === 'label') await hearLabel(hearing, event)
  else await hearButton(hearing, event)
}

async function follow(
  { github, inbox, now }: TriageContext,
  configs: RecentConfigs,
  event: Event,
  hint: Hint,
): Promise<void> {
  const { installationId, repositoryId, owner, repo, head } = hint
  const ref = { owner, repo }
  await inbox.installations.seen({ repositoryId, installationId, owner, repo }, now())
  // Refused sources are read again once for each time that a person asks, not at each attempt.
  if (hint.isAskedFor) await inbox.refusedSources.forget(repositoryId, head)
  const octokit = await github.forInstallation(installationId)
  const config = await configs.forceFetch(repositoryId, { context: { octokit, ref } })
  const queued = queuedPullRequest(owner, hint.headLabel)
  if (hint.pullRequestNumber === null && queued !== null) {
    const isSilent = !config.enabled || config.mode === 'shadow'
    if (!isSilent) await passInQueue(octokit, ref, head, queued, (await github.identity()).appId)
    return
  }
  const mayChangeWhatIsShown = isOfFailingTests(event) && (await inbox.posted.hasHead(repositoryId, head))
  if (!isOfInterest(event, config) && !mayChangeWhatIsShown) return
  const numbers =
    hint.pullRequestNumber === null
      ? await findOpenPullRequests(octokit, ref, head, hint.headLabel)
      : [hint.pullRequestNumber]
  for (const pullRequestNumber of numbers) {
    const target = { installationId, repositoryId, owner, repo, pullRequestNumber, head }
    await inbox.triages.wake(target, now(), hint.isAskedFor)
  }
}

type ReadingContext = Pick<TriageContext, 'github' | 'inbox' | 'now'>

/**
 * Asks GitHub what became of the repositories that an event was about. The event itself has been kept already, as far as
 * it hides something; here is found what it shows. One that can't be read keeps no other from being read. Throws at the
 * end where some have to be asked for again later.
 */
async function readChanged(context: ReadingContext, event: Event, changes: readonly RepositoryChange[]): Promise<void> {
  const errors: unknown[] = []
  for (const change of changes) {
    const wanted = await wantedOf(context, event, change)
    if (wanted !== null) await readAgain(context, wanted).catch((error: unknown) => errors.push(error))
  }
  if (errors.length === 1) throw errors[0]
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} repositories could not be read`)
}

type Wanted = Omit<Extract<RepositoryChange, { kind: 'gone' }>, 'kind'>

async function wantedOf({ inbox }: ReadingContext, event: Event, change: RepositoryChange): Promise<Wanted | null> {
  if (change.kind === 'installation-gone') return null
  const known = await inbox.repositories.byId(change.repositoryId)
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
  const version = await inbox.repositories.version(repositoryId)
  const octokit = await github.forInstallation(installationId)
  const repository = await getRepository(octokit, { owner, repo })
  if (repository === null || repository.id !== repositoryId) {
    await inbox.repositories.heard([{ kind: 'gone', repositoryId, installationId, owner, repo }], now())
    return
  }
  if (!(await keepRead({ inbox, now }, installationId, repository, version))) {
    throw new Error('access to the repository is checked again: an event about it has just arrived')
  }
}

/** Keeps what was read from GitHub anyway. `version`: what `inbox.repositories.version` said before it was asked. */
export async function keepRead(
  { inbox, now }: Pick<TriageContext, 'inbox' | 'now'>,
  installationId: number,
  { id: repositoryId, owner, name: repo, isPrivate }: Pick<Repository, 'id' | 'owner' | 'name' | 'isPrivate'>,
  version: number,
): Promise<boolean> {
  return await inbox.repositories.read({ repositoryId, installationId, owner, repo, isPrivate }, version, now())
}
