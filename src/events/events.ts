import { z } from 'zod'
import type { RepositoryConfig } from '../config/repository-config.ts'
import { isWatchedCheck, isWatchedWorkflow } from '../config/watched.ts'
import type { RepositoryChange } from '../inbox/repositories.ts'
import { isCommitId } from '../text/commit-id.ts'
import { isRed } from './check-colour.ts'
import type { Hint } from './hint.ts'

/** Which GitHub event wakes which triage; nothing else. */

/** By what our own writes are known. */
export interface Self {
  readonly appId: number
  /** `perf-triage[bot]`. */
  readonly botLogin: string
}

/**
 * The pull requests, or heads, that an event says may have changed. None when the event is of no kind that matters, is
 * our own doing, names no installation, or does not hold what an event of its kind holds.
 */
export function hintsOf(event: string, payload: unknown, self: Self): Hint[] {
  const envelope = envelopeSchema.safeParse(payload)
  if (!envelope.success || isOurDoing(event, envelope.data, self)) return []
  const subjects = subjectsOf(event, payload, envelope.data, self)
  const { action, installation, repository } = envelope.data
  return subjects.map((subject) => ({
    installationId: installation.id,
    repositoryId: repository.id,
    owner: repository.owner.login,
    repo: repository.name,
    ...subject,
    isAskedFor: action === 'rerequested' || action === 'requested_action',
  }))
}

/**
 * Whether an event that gave hints can matter to a repository that is configured like this: a check or workflow that
 * the configuration does not name wakes nothing. What a person does (a push, a re-run) always matters.
 */
export function isOfInterest(event: string, payload: unknown, config: RepositoryConfig): boolean {
  switch (event) {
    case 'check_run': {
      const parsed = checkRunSchema.safeParse(payload)
      if (!parsed.success) return false
      const { action, check_run: run } = parsed.data
      if (action === 'rerequested' || action === 'requested_action') return true
      // Without names to look for, results are artifacts, and only GitHub's own workflows upload any.
      return config.checks.length === 0 ? run.app?.slug === ACTIONS_SLUG : isWatchedCheck(config, run.name)
    }
    case 'check_suite': {
      const parsed = checkSuiteSchema.safeParse(payload)
      if (!parsed.success) return false
      if (parsed.data.action === 'rerequested') return true
      return config.checks.length === 0 && parsed.data.check_suite.app?.slug === ACTIONS_SLUG
    }
    case 'workflow_run': {
      const parsed = workflowRunSchema.safeParse(payload)
      return parsed.success && isWatchedWorkflow(config, parsed.data.workflow_run)
    }
    case 'status': {
      const parsed = statusSchema.safeParse(payload)
      return parsed.success && isWatchedCheck(config, parsed.data.context)
    }
    default:
      return true
  }
}

/**
 * Whether an event may change what is said of failing tests: a check turned red, or everything of a workflow or App has
 * ended. It matters only to a head of which something is said already.
 */
export function isOfFailingTests(event: string, payload: unknown): boolean {
  switch (event) {
    case 'check_run': {
      const parsed = checkRunSchema.safeParse(payload)
      return parsed.success && parsed.data.action === 'completed' && isRed(parsed.data.check_run.conclusion ?? '')
    }
    case 'check_suite': {
      const parsed = checkSuiteSchema.safeParse(payload)
      return parsed.success && parsed.data.action === 'completed'
    }
    case 'workflow_run': {
      const parsed = workflowRunSchema.safeParse(payload)
      return parsed.success && parsed.data.action === 'completed'
    }
    case 'status': {
      const parsed = statusSchema.safeParse(payload)
      return parsed.success && isRed(parsed.data.state)
    }
    default:
      return false
  }
}

/** The repository on whose trunk a workflow or an App's checks have ended; null for every other event. */
export function trunkOf(
  event: string,
  payload: unknown,
): Pick<Hint, 'installationId' | 'repositoryId' | 'owner' | 'repo' | 'head'> | null {
  const envelope = envelopeSchema.safeParse(payload)
  if (!envelope.success) return null
  const { installation, repository } = envelope.data
  const head = trunkHeadOf(event, payload, repository)
  if (head === null) return null
  return {
    installationId: installation.id,
    repositoryId: repository.id,
    owner: repository.owner.login,
    repo: repository.name,
    head,
  }
}

/** A fork may call its branch as the trunk is called: that it is the repository's own is read from GitHub again. */
function trunkHeadOf(event: string, payload: unknown, { default_branch: trunk }: Envelope['repository']) {
  const ended = endedOf(event, payload)
  return ended !== null && trunk && ended.head_branch === trunk ? ended.head_sha : null
}

function endedOf(event: string, payload: unknown) {
  if (event === 'workflow_run') {
    const parsed = workflowRunSchema.safeParse(payload)
    return parsed.success && parsed.data.action === 'completed' ? parsed.data.workflow_run : null
  }
  if (event !== 'check_suite') return null
  const parsed = checkSuiteSchema.safeParse(payload)
  return parsed.success && parsed.data.action === 'completed' ? parsed.data.check_suite : null
}

/** Whose event it is; null: it names no installation. */
export function installationOf(payload: unknown): number | null {
  const parsed = z.object({ installation: z.object({ id }) }).safeParse(payload)
  return parsed.success ? parsed.data.installation.id : null
}

/** Where the App came to be or ceased to be. */
export interface InstallationChange {
  readonly kind: 'added' | 'removed'
  readonly installationId: number
  /** null: every repository of the installation. */
  readonly repositories: readonly { readonly id: number; readonly owner: string; readonly repo: string }[] | null
}

/** What `installation` and `installation_repositories` events tell; none for any other. */
export function installationsOf(event: string, payload: unknown): InstallationChange[] {
  if (event !== 'installation' && event !== 'installation_repositories') return []
  const parsed = installationEventSchema.safeParse(payload)
  if (!parsed.success) return []
  const { action, installation, repositories, repositories_added, repositories_removed } = parsed.data
  const change = (kind: InstallationChange['kind'], listed: typeof repositories): InstallationChange => ({
    kind,
    installationId: installation.id,
    repositories: listed?.map(toRepository).filter(({ owner }) => kind === 'removed' || owner !== '') ?? null,
  })

  if (event === 'installation') {
    if (action === 'created' || action === 'unsuspend') return [change('added', repositories ?? [])]
    if (action === 'deleted' || action === 'suspend') return [change('removed', undefined)]
    return []
  }
  return [change('added', repositories_added ?? []), change('removed', repositories_removed ?? [])].filter(
    ({ repositories: listed }) => listed !== null && listed.length > 0,
  )
}

/** What an event says of who may see a repository's pages, and under which name; none for most events. */
export function repositoryChangesOf(event: string, payload: unknown): RepositoryChange[] {
  if (event === 'repository') return changeOfRepository(payload)
  if (event !== 'installation' && event !== 'installation_repositories') return []
  const parsed = installationEventSchema.safeParse(payload)
  if (!parsed.success) return []
  const { action, installation, repositories = [], repositories_added = [], repositories_removed = [] } = parsed.data
  const installationId = installation.id
  const change = (kind: 'there' | 'gone', listed: typeof repositories): RepositoryChange[] =>
    listed.map((repository) => {
      const { id: repositoryId, owner, repo } = toRepository(repository)
      const named = { repositoryId, installationId, owner, repo }
      // What does not say that it is public is not shown.
      return kind === 'gone' ? { kind, ...named } : { kind, ...named, isPrivate: repository.private ?? true }
    })

  if (event === 'installation_repositories') {
    return [...change('there', repositories_added), ...change('gone', repositories_removed)]
  }
  if (action === 'created' || action === 'unsuspend') return change('there', repositories)
  if (action !== 'deleted' && action !== 'suspend') return []
  return [{ kind: 'installation-gone', installationId }, ...change('gone', repositories)]
}

function changeOfRepository(payload: unknown): RepositoryChange[] {
  const parsed = repositoryEventSchema.safeParse(payload)
  if (!parsed.success) return []
  const { action, installation, repository } = parsed.data
  const named = {
    repositoryId: repository.id,
    installationId: installation.id,
    owner: repository.owner.login,
    repo: repository.name,
  }
  if (action === 'deleted') return [{ kind: 'gone', ...named }]
  return [{ kind: 'there', ...named, isPrivate: action === 'privatized' || repository.private }]
}

type Subject = Pick<Hint, 'pullRequestNumber' | 'head' | 'headLabel'>

function subjectsOf(event: string, payload: unknown, envelope: Envelope, self: Self): Subject[] {
  switch (event) {
    case 'check_run':
      return subjectsOfCheckRun(payload, envelope, self)
    case 'check_suite':
      return subjectsOfCheckSuite(payload, envelope, self)
    case 'workflow_run':
      return subjectsOfWorkflowRun(payload, envelope)
    case 'status':
      return subjectsOfStatus(payload, envelope)
    case 'pull_request':
      return subjectsOfPullRequest(payload)
    default:
      return []
  }
}

/**
 * Others' checks when they begin and end. Of our own only what a person asks for with a button: GitHub sends these two
 * to the App that owns the check run, and to no other.
 */
function subjectsOfCheckRun(payload: unknown, envelope: Envelope, self: Self): Subject[] {
  const parsed = checkRunSchema.safeParse(payload)
  if (!parsed.success) return []
  const { action, check_run: run } = parsed.data
  if (run.app?.id === self.appId && (action === 'created' || action === 'completed')) return []
  return ofHead(run.head_sha, run.pull_requests, envelope, null)
}

function subjectsOfCheckSuite(payload: unknown, envelope: Envelope, self: Self): Subject[] {
  const parsed = checkSuiteSchema.safeParse(payload)
  if (!parsed.success) return []
  const { action, check_suite: suite } = parsed.data
  if (suite.app?.id === self.appId && action === 'completed') return []
  return ofHead(suite.head_sha, suite.pull_requests, envelope, null)
}

function subjectsOfWorkflowRun(payload: unknown, envelope: Envelope): Subject[] {
  const parsed = workflowRunSchema.safeParse(payload)
  if (!parsed.success) return []
  const { head_sha, head_branch, head_repository, pull_requests } = parsed.data.workflow_run
  const owner = head_repository?.owner?.login
  const label = owner && head_branch ? `${owner}:${head_branch}` : null
  return ofHead(head_sha, pull_requests, envelope, label)
}

/** Knows no pull request; the branch only where exactly one has this commit as its head. */
function subjectsOfStatus(payload: unknown, envelope: Envelope): Subject[] {
  const parsed = statusSchema.safeParse(payload)
  if (!parsed.success) return []
  const { sha, branches } = parsed.data
  const heads = branches.filter((branch) => branch.commit.sha === sha)
  const label = heads.length === 1 ? `${envelope.repository.owner.login}:${heads[0]!.name}` : null
  return ofHead(sha, [], envelope, label)
}

function subjectsOfPullRequest(payload: unknown): Subject[] {
  const parsed = pullRequestSchema.safeParse(payload)
  if (!parsed.success) return []
  const { action, changes, pull_request: pull } = parsed.data
  // A new title or text changes nothing here, a new base does.
  if (action === 'edited' && changes?.base === undefined) return []
  return [{ pullRequestNumber: pull.number, head: pull.head.sha, headLabel: pull.head.label ?? null }]
}

/** A commit can be the head of several pull requests; a check of a branch in a fork names those of its upstream too. */
function ofHead(
  head: string,
  pullRequests: readonly z.output<typeof pullRequestRef>[],
  { repository }: Envelope,
  headLabel: string | null,
): Subject[] {
  const here = pullRequests.filter(({ base }) => base.repo.id === repository.id)
  const numbers = new Set(here.map(({ number }) => number))
  if (numbers.size === 0) return [{ pullRequestNumber: null, head, headLabel }]
  return [...numbers].map((pullRequestNumber) => ({ pullRequestNumber, head, headLabel }))
}

/**
 * What we did to a pull request, or asked for ourselves. Not what follows from it: the runs of a workflow that we started
 * again name us as their sender, and their results are what we wait for. Our own check runs are told by their App.
 */
function isOurDoing(event: string, { action, sender }: Envelope, self: Self): boolean {
  if (sender?.login.toLowerCase() !== self.botLogin.toLowerCase()) return false
  return event === 'pull_request' || action === 'rerequested' || action === 'requested_action'
}

/** The App behind every check run of a GitHub workflow. */
const ACTIONS_SLUG = 'github-actions'

// Payloads are from outside. Picked is what is needed; what has another form than GitHub's gives no hint.

const id = z.int().positive()
const login = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}(?:\[bot\])?$/)
const repositoryName = z.string().regex(/^[A-Za-z0-9._-]{1,100}$/)
/** SHA-1, and SHA-256 where a repository uses it. */
const commitId = z.string().refine(isCommitId)
const branch = z.string().min(1).max(255)

const envelopeSchema = z.object({
  action: z.string().max(50).optional(),
  installation: z.object({ id }),
  repository: z.object({
    id,
    name: repositoryName,
    owner: z.object({ login }),
    default_branch: branch.nullish().catch(null),
  }),
  sender: z.object({ login }).nullish().catch(null),
})
type Envelope = z.output<typeof envelopeSchema>

const pullRequestRef = z.object({ number: id, base: z.object({ repo: z.object({ id }) }) })

/** More pull requests of one head are no honest case; an entry of another form is passed over. */
const MOST_PULL_REQUESTS = 50

const pullRequestRefs = z
  .array(z.unknown())
  .nullish()
  .catch([])
  .transform((entries) =>
    (entries ?? []).slice(0, MOST_PULL_REQUESTS).flatMap((entry) => {
      const parsed = pullRequestRef.safeParse(entry)
      return parsed.success ? [parsed.data] : []
    }),
  )

const appRef = z.object({ id, slug: z.string().max(100).optional() }).nullish()

const checkRunSchema = z.object({
  action: z.enum(['created', 'completed', 'rerequested', 'requested_action']),
  check_run: z.object({
    name: z.string(),
    head_sha: commitId,
    conclusion: z.string().nullish().catch(null),
    app: appRef,
    pull_requests: pullRequestRefs,
  }),
})

const checkSuiteSchema = z.object({
  action: z.enum(['completed', 'rerequested']),
  check_suite: z.object({
    head_sha: commitId,
    head_branch: branch.nullish().catch(null),
    app: appRef,
    pull_requests: pullRequestRefs,
  }),
})

const workflowRunSchema = z.object({
  action: z.enum(['requested', 'in_progress', 'completed']),
  workflow_run: z.object({
    name: z.string().nullish(),
    path: z.string().nullish(),
    head_sha: commitId,
    head_branch: branch.nullish().catch(null),
    head_repository: z
      .object({ owner: z.object({ login }).nullish() })
      .nullish()
      .catch(null),
    pull_requests: pullRequestRefs,
  }),
})

const statusSchema = z.object({
  context: z.string(),
  state: z.string().catch(''),
  sha: commitId,
  branches: z
    .array(z.object({ name: branch, commit: z.object({ sha: z.string() }) }))
    .max(100)
    .catch([]),
})

const pullRequestSchema = z.object({
  action: z.enum(['opened', 'synchronize', 'reopened', 'closed', 'edited', 'ready_for_review']),
  changes: z.object({ base: z.unknown() }).partial().nullish(),
  pull_request: z.object({
    number: id,
    head: z.object({ sha: commitId, label: z.string().min(3).max(400).nullish() }),
  }),
})

const installedRepository = z.object({
  id,
  // A name that is none is no name; what hides a repository needs its number alone.
  full_name: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,100}\/[A-Za-z0-9._-]{1,100}$/)
    .catch('/'),
  private: z.boolean().optional().catch(undefined),
})

/** An entry of another form is passed over: the others still count. */
const installedRepositories = z
  .array(z.unknown())
  .optional()
  .catch(undefined)
  .transform((entries) =>
    entries?.flatMap((entry) => {
      const parsed = installedRepository.safeParse(entry)
      return parsed.success ? [parsed.data] : []
    }),
  )

const installationEventSchema = z.object({
  action: z.string(),
  installation: z.object({ id }),
  repositories: installedRepositories,
  repositories_added: installedRepositories,
  repositories_removed: installedRepositories,
})

const repositoryEventSchema = z.object({
  action: z.string().max(50),
  installation: z.object({ id }),
  repository: z.object({ id, name: repositoryName, owner: z.object({ login }), private: z.boolean() }),
})

/** Both names are empty where the entry has none that may be one. */
function toRepository({ id, full_name }: z.output<typeof installedRepository>) {
  const [owner, repo] = full_name.split('/')
  return { id, owner: owner!, repo: repo! }
}
