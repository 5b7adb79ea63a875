import type { RepositoryConfig } from '../../config/repository-config.ts'
import { isWatchedCheck, isWatchedWorkflow } from '../../config/watched.ts'
import type { RepositoryChange } from '../../inbox/repositories.ts'
import type { TrunkTarget } from '../../inbox/triages.ts'
import { isRed } from './check-colour.ts'
import type { Event, HeadEvent, ListedRepository } from './event.ts'

/** The rules by which an event of GitHub's wakes a triage; nothing else. */

/**
 * What an event tells: that something about a pull request may have changed. Nothing in it is believed but the
 * identity; `triage` reads the present state from GitHub.
 */
export interface Hint {
  readonly installationId: number
  readonly repositoryId: number
  readonly owner: string
  readonly repo: string
  /** The pull request when the event names it (same-repository heads); null for forks and commit statuses. */
  readonly pullRequestNumber: number | null
  /** The head commit the event is about: by it the pull request is found when its number is not given. */
  readonly head: string
  /** `owner:branch` of the head where the event states it; the cheapest way to find a fork's pull request. */
  readonly headLabel: string | null
  /** A person pressed "Re-run" on the bot's own check. */
  readonly isAskedFor: boolean
}

/** The App, by which the bot knows what it did itself. */
export interface Self {
  readonly appId: number
  /** `perf-triage[bot]`. */
  readonly botLogin: string
}

/**
 * The pull requests, or heads, that an event says may have changed. None when the event is of no kind that matters, or is
 * our own doing.
 */
export function hintsOf(event: Event, self: Self): Hint[] {
  if (!isOfHead(event) || isOurDoing(event, self)) return []
  // A new title or text changes nothing here, a new base does.
  if (event.kind === 'pull_request' && event.action === 'edited' && !event.hasNewBase) return []
  const { installationId, repositoryId, owner, repo, head } = event
  const named = { installationId, repositoryId, owner, repo, head, isAskedFor: isAskedFor(event) }
  const hint = { ...named, headLabel: headLabelOf(event) }
  const numbers = numbersOf(event)
  if (numbers.length === 0) return [{ ...hint, pullRequestNumber: null }]
  return numbers.map((pullRequestNumber) => ({ ...hint, pullRequestNumber }))
}

/**
 * Whether an event that gave hints can matter to a repository that is configured like this: a check or workflow that
 * the configuration does not name wakes nothing. What a person does (a push, a re-run) always matters.
 */
export function isOfInterest(event: Event, config: RepositoryConfig): boolean {
  if (!isOfHead(event)) return false
  if (event.kind === 'pull_request' || isAskedFor(event)) return true
  if (event.kind === 'workflow_run') return isWatchedWorkflow(config, event)
  if (event.kind === 'status') return isWatchedCheck(config, event.context)
  // Without names to look for, results are artifacts, and only GitHub's own workflows upload any.
  if (config.checks.length === 0) return event.app?.slug === ACTIONS_SLUG
  return event.kind === 'check_run' && isWatchedCheck(config, event.name)
}

/**
 * Whether an event may change what is said of failing tests: a check turned red, or everything of a workflow or App has
 * ended. It matters only to a head of which something is said already.
 */
export function isOfFailingTests(event: Event): boolean {
  if (event.kind === 'status') return isRed(event.state)
  if (event.kind === 'check_run') return event.action === 'completed' && isRed(event.conclusion)
  return (event.kind === 'check_suite' || event.kind === 'workflow_run') && event.action === 'completed'
}

/**
 * The trunk of a repository where a workflow or an App's checks have ended on it; null for every other event. A fork may
 * call its branch as the trunk is called: that it is the repository's own is read from GitHub again.
 */
export function trunkOf(event: Event): TrunkTarget | null {
  if (event.kind !== 'workflow_run' && event.kind !== 'check_suite') return null
  const { installationId, repositoryId, owner, repo, head } = event
  const isOnTrunk = event.branch !== null && event.branch === event.defaultBranch
  if (event.action !== 'completed' || !isOnTrunk) return null
  return { installationId, repositoryId, owner, repo, head, pullRequestNumber: null }
}

/** The news in an event of where the App is, who may see a repository's pages, and under which name; none for most events. */
export function repositoryChangesOf(event: Event): RepositoryChange[] {
  if (event.kind === 'repository') {
    const { installationId, repositoryId, owner, repo, isPrivate } = event
    const repository = { repositoryId, installationId, owner, repo }
    return [event.action === 'deleted' ? { kind: 'gone', ...repository } : { kind: 'there', ...repository, isPrivate }]
  }
  if (event.kind === 'installation_repositories') {
    return [...there(event.installationId, event.added), ...gone(event.installationId, event.removed)]
  }
  if (event.kind !== 'installation') return []
  const { installationId, repositories } = event
  const change = changeOfInstallation(event.action)
  if (change === null) return []
  if (change === 'added') return there(installationId, repositories)
  return [{ kind: 'installation-gone', installationId }, ...gone(installationId, repositories)]
}

function isOfHead(event: Event): event is HeadEvent {
  return 'head' in event
}

function isAskedFor(event: HeadEvent): boolean {
  return 'action' in event && (event.action === 'rerequested' || event.action === 'requested_action')
}

/**
 * The bot's own doing: its check runs and suites beginning and ending, and what it did to a pull request or asked for.
 * What follows from that is none: the runs of a workflow that we started again name us as their sender, and their results are
 * what we wait for. Of our own checks only what a person asks for with a button counts: GitHub sends these two actions to
 * the App that owns the check run, and to no other.
 */
function isOurDoing(event: HeadEvent, self: Self): boolean {
  const isOurs = event.sender?.toLowerCase() === self.botLogin.toLowerCase()
  if (isOurs && (event.kind === 'pull_request' || isAskedFor(event))) return true
  const isOwnCheck = (event.kind === 'check_run' || event.kind === 'check_suite') && event.app?.id === self.appId
  return isOwnCheck && !isAskedFor(event)
}

function numbersOf(event: HeadEvent): readonly number[] {
  if (event.kind === 'status') return []
  return event.kind === 'pull_request' ? [event.number] : event.pullRequests
}

/** `owner:branch` of the head; of a status only where exactly one branch has the commit as its head. */
function headLabelOf(event: HeadEvent): string | null {
  if (event.kind === 'pull_request') return event.headLabel
  if (event.kind === 'workflow_run') {
    return event.headOwner !== null && event.branch !== null ? `${event.headOwner}:${event.branch}` : null
  }
  return event.kind === 'status' && event.branches.length === 1 ? `${event.owner}:${event.branches[0]!}` : null
}

function changeOfInstallation(action: string): 'added' | 'removed' | null {
  if (action === 'created' || action === 'unsuspend') return 'added'
  return action === 'deleted' || action === 'suspend' ? 'removed' : null
}

function there(installationId: number, repositories: readonly ListedRepository[]): RepositoryChange[] {
  return repositories.map(({ id: repositoryId, ...rest }) => ({ kind: 'there', repositoryId, installationId, ...rest }))
}

function gone(installationId: number, repositories: readonly ListedRepository[]): RepositoryChange[] {
  return repositories.map(({ id: repositoryId, owner, repo }) => ({
    kind: 'gone',
    repositoryId,
    installationId,
    owner,
    repo,
  }))
}

/** The App behind every check run of a GitHub workflow. */
const ACTIONS_SLUG = 'github-actions'
