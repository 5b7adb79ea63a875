import { z } from 'zod'
import type { Account } from '../../github/people.ts'
import { isCommitId } from '../../text/commits.ts'
import { jsonText } from '../../text/json-text.ts'

/**
 * A delivery of GitHub's, read once: the fields that the bot uses, and no others. Payloads are from outside; one of another
 * form than GitHub's is an event of the kind `other`, like all those that the bot does not use.
 *
 * `check_run` with `head_sha: "ec26c3e…"` has that commit as its `head`; with `head_sha: "main"` it is of the kind `other`.
 */
export type Event = Readonly<z.output<(typeof SCHEMAS)[keyof typeof SCHEMAS]>> | OtherEvent

type EventOf<Kind extends Event['kind']> = Extract<Event, { readonly kind: Kind }>
export type CheckRunEvent = EventOf<'check_run'>
export type LabelEvent = EventOf<'label'>
export type CommentEvent = EventOf<'issue_comment'>
export type TagEvent = EventOf<'tag'>

/** A delivery whose signature was checked, decoded once, and not on disk yet. */
export interface Arrival {
  readonly guid: string
  /** `X-GitHub-Event`. */
  readonly name: string
  /** The JSON; by our own server as it was signed. */
  readonly payload: string
  readonly event: Event
}

/** Every event that can be about a head. */
export type HeadEvent = Extract<Event, { readonly head: string }>

/** A repository in the list of an installation. Both names are empty where the entry has none that GitHub would give. */
export interface ListedRepository {
  readonly id: number
  readonly owner: string
  readonly repo: string
  /** True where the entry does not say that it is public: its pages are not shown then. */
  readonly isPrivate: boolean
}

interface OtherEvent {
  readonly kind: 'other'
  /** null: it names none. */
  readonly installationId: number | null
}

const payloadSchema = jsonText(z.looseObject({}))

/** The event of a delivery, on arrival and for its work. `name`: `X-GitHub-Event`. null: the payload is no JSON object. */
export function decodedEvent(name: string, payload: string): Event | null {
  const decoded = payloadSchema.safeParse(payload)
  return decoded.success ? readEvent(name, decoded.data) : null
}

/** `payload`: what the delivery's JSON holds. */
export function readEvent(name: string, payload: unknown): Event {
  const read = READERS.get(name)?.safeParse(payload)
  if (read?.success) return read.data
  const named = otherSchema.safeParse(payload)
  return { kind: 'other', installationId: named.success ? named.data.installation.id : null }
}

const id = z.int().positive()
const login = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}(?:\[bot\])?$/)
const repositoryName = z.string().regex(/^[A-Za-z0-9._-]{1,100}$/)
/** SHA-1, and SHA-256 where a repository uses it. */
const commitId = z.string().refine(isCommitId)
const branch = z.string().min(1).max(255)
const action = z.string().max(50)
const installation = z.object({ id })
/** GitHub takes no longer one; twice as long takes four times as long to look through. */
export const LONGEST_COMMENT = 65_536
const commentText = z.string().transform((text) => text.slice(0, LONGEST_COMMENT))

const otherSchema = z.object({ installation })

const account = z
  .object({ id, login, type: z.string() })
  .transform(({ id: accountId, login: name, type }): Account => ({ id: accountId, login: name, isBot: type === 'Bot' }))

const envelope = z.object({
  installation,
  repository: z.object({
    id,
    name: repositoryName,
    owner: z.object({ login }),
    default_branch: branch.nullish().catch(null),
  }),
  sender: z
    .union([account, z.object({ login })])
    .nullish()
    .catch(null),
})

function inRepository({ installation: { id: installationId }, repository, sender }: z.output<typeof envelope>) {
  return {
    installationId,
    repositoryId: repository.id,
    owner: repository.owner.login,
    repo: repository.name,
    /** null: GitHub did not say it. */
    defaultBranch: repository.default_branch ?? null,
    /** The login of who caused the event; null: GitHub did not say it. */
    sender: sender?.login ?? null,
  }
}

const pullRequestRef = z.object({ number: id, base: z.object({ repo: z.object({ id }) }) })

/** Pull requests of one head that are read: more are no honest case. An entry of another form is passed over. */
const MOST_PULL_REQUESTS = 50

const pullRequestRefs = z
  .array(z.unknown())
  .nullish()
  .catch([])
  .transform((entries) => fitting((entries ?? []).slice(0, MOST_PULL_REQUESTS), pullRequestRef))

/** A commit can be the head of several pull requests; a check of a branch in a fork names those of its upstream too. */
function numbersIn(refs: z.output<typeof pullRequestRefs>, repository: { readonly id: number }): number[] {
  return [...new Set(refs.filter(({ base }) => base.repo.id === repository.id).map(({ number }) => number))]
}

/** The App that a check run or suite belongs to; `github-actions` is the slug behind every check run of a workflow. */
const app = z
  .object({
    id,
    slug: z
      .string()
      .max(100)
      .nullish()
      .transform((slug) => slug ?? null),
  })
  .nullish()
  .transform((named) => named ?? null)

const checkRunSchema = envelope
  .extend({
    action: z.enum(['created', 'completed', 'rerequested', 'requested_action']),
    check_run: z.object({
      name: z.string(),
      head_sha: commitId,
      conclusion: z.string().nullish().catch(null),
      app,
      pull_requests: pullRequestRefs,
      id: id.nullish().catch(null),
      external_id: z.string().nullish().catch(null),
    }),
    requested_action: z.object({ identifier: z.string() }).nullish().catch(null),
  })
  .transform((payload) => ({
    kind: 'check_run' as const,
    ...inRepository(payload),
    action: payload.action,
    name: payload.check_run.name,
    head: payload.check_run.head_sha,
    conclusion: payload.check_run.conclusion ?? null,
    app: payload.check_run.app,
    /** The pull requests of this repository whose head it is; none for heads in forks. */
    pullRequests: numbersIn(payload.check_run.pull_requests, payload.repository),
    ...buttonOf(payload),
  }))

/** The button of the check run that a person pressed. */
interface Button {
  readonly identifier: string
  readonly checkRunId: number
  /** The pull request, as the bot wrote it there. */
  readonly externalId: string
  readonly by: Account
}

function buttonOf({
  requested_action: pressed,
  check_run: { id: checkRunId, external_id: externalId },
  sender: by,
}: {
  readonly requested_action?: { readonly identifier: string } | null | undefined
  readonly check_run: { readonly id?: number | null | undefined; readonly external_id?: string | null | undefined }
  readonly sender?: Account | { readonly login: string } | null | undefined
}): { readonly button?: Button } {
  if (!pressed || !checkRunId || !by || !('id' in by)) return {}
  return { button: { identifier: pressed.identifier, checkRunId, externalId: externalId ?? '', by } }
}

const checkSuiteSchema = envelope
  .extend({
    action: z.enum(['completed', 'rerequested']),
    check_suite: z.object({
      head_sha: commitId,
      head_branch: branch.nullish().catch(null),
      app,
      pull_requests: pullRequestRefs,
    }),
  })
  .transform((payload) => ({
    kind: 'check_suite' as const,
    ...inRepository(payload),
    action: payload.action,
    head: payload.check_suite.head_sha,
    branch: payload.check_suite.head_branch ?? null,
    app: payload.check_suite.app,
    pullRequests: numbersIn(payload.check_suite.pull_requests, payload.repository),
  }))

const workflowRunSchema = envelope
  .extend({
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
  .transform((payload) => ({
    kind: 'workflow_run' as const,
    ...inRepository(payload),
    action: payload.action,
    name: payload.workflow_run.name ?? null,
    /** `.github/workflows/perf.yml`. */
    path: payload.workflow_run.path ?? null,
    head: payload.workflow_run.head_sha,
    branch: payload.workflow_run.head_branch ?? null,
    /** The owner of the repository that the head is in; null where that is gone. */
    headOwner: payload.workflow_run.head_repository?.owner?.login ?? null,
    pullRequests: numbersIn(payload.workflow_run.pull_requests, payload.repository),
  }))

/** A commit status; it knows no pull request. */
const statusSchema = envelope
  .extend({
    context: z.string(),
    state: z.string().catch(''),
    sha: commitId,
    branches: z
      .array(z.object({ name: branch, commit: z.object({ sha: z.string() }) }))
      .max(100)
      .catch([]),
  })
  .transform((payload) => ({
    kind: 'status' as const,
    ...inRepository(payload),
    context: payload.context,
    state: payload.state,
    head: payload.sha,
    /** The branches of the repository that have this commit as their head. */
    branches: payload.branches.filter(({ commit }) => commit.sha === payload.sha).map(({ name }) => name),
  }))

const pullRequestSchema = envelope
  .extend({
    action: z.enum(['opened', 'synchronize', 'reopened', 'closed', 'edited', 'ready_for_review']),
    changes: z.object({ base: z.unknown() }).partial().nullish(),
    pull_request: z.object({
      number: id,
      head: z.object({ sha: commitId, label: z.string().min(3).max(400).nullish() }),
    }),
  })
  .transform((payload) => ({
    kind: 'pull_request' as const,
    ...inRepository(payload),
    action: payload.action,
    number: payload.pull_request.number,
    head: payload.pull_request.head.sha,
    /** `owner:branch`. */
    headLabel: payload.pull_request.head.label ?? null,
    /** The base was edited. */
    hasNewBase: payload.changes?.base !== undefined,
  }))

/** A label was set on a pull request, or removed. Who did it, and whether it still stands, is read from GitHub. */
const labelSchema = envelope
  .extend({
    action: z.enum(['labeled', 'unlabeled']),
    label: z.object({ name: z.string() }),
    pull_request: z.object({ number: id }),
  })
  .transform((payload) => ({
    kind: 'label' as const,
    ...inRepository(payload),
    action: payload.action,
    number: payload.pull_request.number,
    label: payload.label.name,
  }))

/** A comment in the conversation of a pull request, not on a line of its diff. */
const commentSchema = envelope
  .extend({
    action: z.enum(['created', 'edited']),
    // A plain issue has no such field.
    issue: z.object({ number: id, pull_request: z.object({}) }),
    comment: z.object({ id, body: commentText, user: account, updated_at: z.iso.datetime({ offset: true }) }),
    sender: account,
  })
  .transform((payload) => ({
    kind: 'issue_comment' as const,
    ...inRepository(payload),
    action: payload.action,
    number: payload.issue.number,
    commentId: payload.comment.id,
    body: payload.comment.body,
    author: payload.comment.user,
    /** Who wrote it, or edited it. */
    by: payload.sender,
    /** GitHub's time of the writing or the last edit, in milliseconds. */
    saidAt: Date.parse(payload.comment.updated_at),
  }))

const listedRepository = z
  .object({
    id,
    // An entry hides its repository by the id alone, so that one with a strange name still counts.
    full_name: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,100}\/[A-Za-z0-9._-]{1,100}$/)
      .catch('/'),
    private: z.boolean().catch(true),
  })
  .transform(({ id: repositoryId, full_name, private: isPrivate }): ListedRepository => {
    const [owner, repo] = full_name.split('/')
    return { id: repositoryId, owner: owner!, repo: repo!, isPrivate }
  })

/** An entry of another form is passed over: the others still count. */
const listedRepositories = z
  .array(z.unknown())
  .catch([])
  .transform((entries) => fitting(entries, listedRepository))

const installationSchema = z
  .object({ action, installation, repositories: listedRepositories })
  .transform((payload) => ({
    kind: 'installation' as const,
    /** `created`, `deleted`, `suspend`, `unsuspend`, … */
    action: payload.action,
    installationId: payload.installation.id,
    repositories: payload.repositories,
  }))

const installationRepositoriesSchema = z
  .object({ installation, repositories_added: listedRepositories, repositories_removed: listedRepositories })
  .transform((payload) => ({
    kind: 'installation_repositories' as const,
    installationId: payload.installation.id,
    added: payload.repositories_added,
    removed: payload.repositories_removed,
  }))

const repositorySchema = z
  .object({
    action,
    installation,
    repository: z.object({ id, name: repositoryName, owner: z.object({ login }), private: z.boolean() }),
  })
  .transform((payload) => ({
    kind: 'repository' as const,
    /** `deleted`, `privatized`, `renamed`, … */
    action: payload.action,
    installationId: payload.installation.id,
    repositoryId: payload.repository.id,
    owner: payload.repository.owner.login,
    repo: payload.repository.name,
    // A payload that contradicts itself hides.
    isPrivate: payload.action === 'privatized' || payload.repository.private,
  }))

/** Longest name of a tag that is kept. */
const LONGEST_TAG = 200
const TAGS = 'refs/tags/'

/** A push; one to a branch is of the kind `other`. `after` of an annotated tag is no commit, `head_commit` always is one. */
const tagSchema = envelope
  .extend({
    ref: z
      .string()
      .startsWith(TAGS)
      .min(TAGS.length + 1)
      .max(TAGS.length + LONGEST_TAG),
    deleted: z.boolean().catch(false),
    head_commit: z.object({ id: commitId, timestamp: z.iso.datetime({ offset: true }) }).nullish(),
  })
  .refine(({ deleted, head_commit: head }) => deleted || head != null)
  .transform((payload) => {
    const { deleted, head_commit: head } = payload
    return {
      kind: 'tag' as const,
      ...inRepository(payload),
      tag: payload.ref.slice(TAGS.length),
      /** The commit, and when it was made in milliseconds; null: the tag is gone. */
      names: deleted || head == null ? null : { commit: head.id, time: Date.parse(head.timestamp) },
    }
  })

/** By `X-GitHub-Event`. */
const SCHEMAS = {
  check_run: checkRunSchema,
  check_suite: checkSuiteSchema,
  workflow_run: workflowRunSchema,
  status: statusSchema,
  pull_request: z.union([pullRequestSchema, labelSchema]),
  issue_comment: commentSchema,
  installation: installationSchema,
  installation_repositories: installationRepositoriesSchema,
  repository: repositorySchema,
  push: tagSchema,
}
const READERS: ReadonlyMap<string, z.ZodType<Event>> = new Map(Object.entries(SCHEMAS))

function fitting<Value>(entries: readonly unknown[], schema: z.ZodType<Value>): Value[] {
  return entries.flatMap((entry) => {
    const read = schema.safeParse(entry)
    return read.success ? [read.data] : []
  })
}
