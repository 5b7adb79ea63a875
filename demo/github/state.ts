/**
 * What the local GitHub remembers. Plain mutable records; the JSON that goes over the wire is built from them in
 * `resources/`, the changes that cause webhooks are in `changes/`.
 */
import { CommitGraph } from './commit-graph.ts'
import type { Enterprise } from './enterprise.ts'

export interface Account {
  readonly id: number
  readonly login: string
  readonly type: 'User' | 'Bot' | 'Organization'
}

export type Access = 'read' | 'write' | 'admin'
export type Permissions = Readonly<Record<string, Access>>

export interface App {
  readonly id: number
  readonly slug: string
  readonly name: string
  readonly owner: Account
  /** The account that the app's writes appear under, `slug[bot]`. */
  readonly bot: Account
  permissions: Permissions
  events: readonly string[]
  /** Where a browser goes on after an installation; null: nowhere. */
  setupUrl: string | null
  readonly createdAt: Date
}

/** What an App is asked to be registered with. */
export interface Manifest {
  readonly name: string
  readonly url: string
  readonly hook_attributes: { readonly url: string; readonly active: boolean }
  readonly redirect_url: string
  readonly callback_urls: readonly string[]
  readonly setup_url?: string | undefined
  readonly default_events: readonly string[]
  readonly default_permissions: Permissions
}

/** What only the owner of the App is told, once. */
export interface Credentials {
  readonly privateKey: string
  readonly clientId: string
  readonly clientSecret: string
}

export interface Installation {
  readonly id: number
  readonly account: Account
  permissions: Permissions
  events: readonly string[]
  /** null: all repositories of the account. */
  repositoryIds: Set<number> | null
  suspendedAt: Date | null
  readonly createdAt: Date
}

const roles = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const

export type PermissionLevel = (typeof roles)[number]

/** Whether a role holds what another one may. */
export function reaches(role: PermissionLevel, least: PermissionLevel): boolean {
  return roles.indexOf(role) >= roles.indexOf(least)
}

export interface Repository {
  readonly id: number
  owner: Account
  name: string
  private: boolean
  readonly defaultBranch: string
  readonly fork: boolean
  readonly createdAt: Date
  /** Shared by a repository and its forks, as the objects of a fork network are on GitHub. */
  readonly graph: CommitGraph
  readonly branches: Map<string, string>
  readonly tags: Map<string, string>
  readonly labels: Map<string, Label>
  readonly pulls: Map<number, PullRequest>
  /** Those that are no pull requests; both count with `lastNumber`. */
  readonly issues: Map<number, Issue>
  readonly permissions: Map<string, PermissionLevel>
  readonly suites: CheckSuite[]
  readonly checkRuns: CheckRun[]
  readonly workflowRuns: WorkflowRun[]
  readonly statuses: Status[]
  lastNumber: number
  pushedAt: Date
}

export interface Label {
  readonly id: number
  name: string
  readonly color: string
  readonly description: string | null
}

export interface PullRequest {
  readonly id: number
  readonly number: number
  readonly repo: Repository
  title: string
  body: string | null
  readonly author: Account
  state: 'open' | 'closed'
  draft: boolean
  base: { readonly ref: string; sha: string }
  head: { readonly repo: Repository; readonly ref: string; sha: string }
  mergeCommitSha: string | null
  mergedBy: Account | null
  mergedAt: Date | null
  closedAt: Date | null
  readonly createdAt: Date
  updatedAt: Date
  readonly labels: Label[]
  readonly comments: Comment[]
  readonly events: IssueEvent[]
}

/** A plain issue. Its comments and events are nobody's concern here. */
export interface Issue {
  readonly id: number
  readonly number: number
  readonly repo: Repository
  readonly title: string
  readonly body: string | null
  readonly author: Account
  state: 'open' | 'closed'
  readonly labels: readonly Label[]
  readonly createdAt: Date
  updatedAt: Date
  closedAt: Date | null
}

export interface Comment {
  readonly id: number
  readonly pull: PullRequest
  readonly author: Account
  readonly app: App | null
  body: string
  readonly createdAt: Date
  updatedAt: Date
  readonly reactions: { readonly id: number; readonly user: Account; readonly content: string; readonly at: Date }[]
}

export interface IssueEvent {
  readonly id: number
  readonly event: 'labeled' | 'unlabeled' | 'closed' | 'reopened' | 'merged' | 'head_ref_force_pushed'
  readonly actor: Account
  readonly app: App | null
  readonly label: Label | null
  readonly commitId: string | null
  readonly at: Date
}

export type CheckStatus = 'queued' | 'in_progress' | 'completed'
export type Conclusion =
  | 'action_required'
  | 'cancelled'
  | 'failure'
  | 'neutral'
  | 'success'
  | 'skipped'
  | 'stale'
  | 'timed_out'

export interface CheckSuite {
  readonly id: number
  readonly repo: Repository
  readonly app: App
  readonly headSha: string
  /** null where the commit was pushed to a fork only: GitHub sees no branch of the repository then. */
  readonly headBranch: string | null
  readonly before: string | null
  status: CheckStatus
  conclusion: Conclusion | null
  readonly createdAt: Date
  updatedAt: Date
}

export interface Annotation {
  readonly path: string
  readonly start_line: number
  readonly end_line: number
  readonly start_column?: number
  readonly end_column?: number
  readonly annotation_level: 'notice' | 'warning' | 'failure'
  readonly message: string
  readonly title?: string
  readonly raw_details?: string
}

export interface CheckRun {
  readonly id: number
  readonly suite: CheckSuite
  name: string
  externalId: string
  detailsUrl: string | null
  status: CheckStatus
  conclusion: Conclusion | null
  startedAt: Date
  completedAt: Date | null
  output: { title: string | null; summary: string | null; text: string | null }
  readonly annotations: Annotation[]
  actions: readonly { readonly label: string; readonly description: string; readonly identifier: string }[]
  /** Of a job that ran here; null: any other check. */
  job: JobRecord | null
}

/** A job's log, summary and steps, beside its check run. */
export interface JobRecord {
  log: string
  /** Markdown. */
  summary: string
  readonly steps: StepRecord[]
}

export interface StepRecord {
  readonly name: string
  conclusion: Conclusion | null
  readonly startedAt: Date
  completedAt: Date | null
}

export interface WorkflowRun {
  readonly id: number
  readonly repo: Repository
  readonly suite: CheckSuite
  readonly name: string
  readonly workflowId: number
  readonly path: string
  readonly number: number
  readonly event: string
  readonly actor: Account
  readonly headRepo: Repository
  readonly headBranch: string
  readonly headSha: string
  /** The labels of the runners that its jobs ask for. */
  readonly runsOn: readonly string[]
  attempt: number
  status: CheckStatus
  conclusion: Conclusion | null
  readonly createdAt: Date
  updatedAt: Date
  startedAt: Date
  readonly artifacts: Artifact[]
}

export interface Artifact {
  readonly id: number
  readonly run: WorkflowRun
  readonly name: string
  /** The zip: in memory, or a file that is streamed. */
  readonly content: Uint8Array | string
  readonly bytes: number
  readonly digest: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

export interface Status {
  readonly id: number
  readonly sha: string
  readonly state: 'error' | 'failure' | 'pending' | 'success'
  readonly context: string
  readonly description: string | null
  readonly targetUrl: string | null
  readonly creator: Account
  readonly createdAt: Date
}

/** Where the ids of each kind begin: past 32 bits where GitHub's are, so that a narrow column shows. */
const firstIds = {
  account: 5_000_000,
  app: 900_000,
  installation: 60_000_000,
  repository: 800_000_000,
  label: 7_000_000_000,
  pull: 2_900_000_000,
  issue: 3_700_000_000,
  comment: 3_500_000_000,
  event: 20_000_000_000,
  reaction: 300_000_000,
  suite: 45_000_000_000,
  checkRun: 50_000_000_000,
  workflow: 180_000_000,
  workflowRun: 19_000_000_000,
  artifact: 4_000_000_000,
  status: 38_000_000_000,
  delivery: 190_000_000_000,
}

export class State {
  readonly accounts = new Map<string, Account>()
  readonly repositories: Repository[] = []
  /** Who writes on the pages by hand; nobody: they have no forms. */
  readonly people: Account[] = []
  readonly installations: Installation[] = []
  readonly app: App
  readonly actionsApp: App
  /** null: github.com. */
  readonly enterprise: Enterprise | null
  /** `http://127.0.0.1:port`: the API's address and that of the pages. */
  origin = ''
  /** Former full names, which redirect. */
  readonly formerNames = new Map<string, Repository>()
  readonly manifestCodes = new Map<string, { readonly manifest: Manifest; readonly until: number }>()
  credentials: Credentials | null = null
  readonly #lastIds = new Map<string, number>()
  readonly #apps = new Map<string, App>()
  #offset = 0

  constructor(
    app: { readonly id: number; readonly slug: string; readonly name: string },
    enterprise: Enterprise | null = null,
  ) {
    this.enterprise = enterprise
    this.actionsApp = this.#makeApp({ id: 15_368, slug: 'github-actions', name: 'GitHub Actions' }, 'github')
    this.app = this.#makeApp(app, 'perf-tools')
  }

  /** What the addresses in answers and webhooks begin with. */
  get apiUrl(): string {
    return this.enterprise === null ? this.origin : `${this.origin}/api/v3`
  }

  /** GitHub's time: the machine's, plus what a test moved it by. */
  now(): Date {
    return new Date(Date.now() + this.#offset)
  }

  advance(milliseconds: number): void {
    this.#offset += milliseconds
  }

  id(kind: keyof typeof firstIds): number {
    const id = (this.#lastIds.get(kind) ?? firstIds[kind]) + 1
    this.#lastIds.set(kind, id)
    return id
  }

  account(login: string, type: Account['type'] = login.endsWith('[bot]') ? 'Bot' : 'User'): Account {
    const known = this.accounts.get(login.toLowerCase())
    if (known !== undefined) return known
    const account: Account = { id: this.id('account'), login, type }
    this.accounts.set(login.toLowerCase(), account)
    return account
  }

  /** A person's role; strangers read what is public. */
  roleOf(repo: Repository, { login }: Account): PermissionLevel {
    return repo.permissions.get(login.toLowerCase()) ?? (repo.private ? 'none' : 'read')
  }

  /** Another app, by its slug: the writer of check runs that are not our own. */
  appOf(slug: string): App {
    return this.#apps.get(slug) ?? this.#makeApp({ id: this.id('app'), slug, name: slug }, 'ci-vendor')
  }

  repository(owner: string, name: string): Repository | undefined {
    return this.repositories.find(
      (repo) =>
        repo.owner.login.toLowerCase() === owner.toLowerCase() && repo.name.toLowerCase() === name.toLowerCase(),
    )
  }

  repositoryById(id: number): Repository | undefined {
    return this.repositories.find((repo) => repo.id === id)
  }

  newRepository(values: {
    readonly owner: Account
    readonly name: string
    readonly private: boolean
    readonly defaultBranch: string
    readonly forkOf: Repository | null
  }): Repository {
    const now = this.now()
    const repo: Repository = {
      id: this.id('repository'),
      owner: values.owner,
      name: values.name,
      private: values.private,
      defaultBranch: values.defaultBranch,
      fork: values.forkOf !== null,
      createdAt: now,
      graph: values.forkOf?.graph ?? new CommitGraph(),
      branches: new Map(values.forkOf?.branches ?? []),
      tags: new Map(values.forkOf?.tags ?? []),
      labels: new Map(),
      pulls: new Map(),
      issues: new Map(),
      permissions: new Map([[values.owner.login.toLowerCase(), 'admin']]),
      suites: [],
      checkRuns: [],
      workflowRuns: [],
      statuses: [],
      lastNumber: 0,
      pushedAt: now,
    }
    this.repositories.push(repo)
    return repo
  }

  #makeApp(app: { readonly id: number; readonly slug: string; readonly name: string }, owner: string): App {
    const made: App = {
      ...app,
      owner: this.account(owner, 'Organization'),
      bot: this.account(`${app.slug}[bot]`, 'Bot'),
      permissions: { metadata: 'read' },
      events: [],
      setupUrl: null,
      createdAt: this.now(),
    }
    this.#apps.set(app.slug, made)
    return made
  }
}

/** Commits by the refs that name them: branches, tags, and those of pull requests, which GitHub keeps by itself. */
export function refsOf({ branches, tags, pulls }: Repository): Map<string, string> {
  const refs = new Map<string, string>()
  for (const [name, sha] of branches) refs.set(`refs/heads/${name}`, sha)
  for (const [name, sha] of tags) refs.set(`refs/tags/${name}`, sha)
  for (const { number, head, mergeCommitSha, state } of pulls.values()) {
    refs.set(`refs/pull/${number}/head`, head.sha)
    if (mergeCommitSha !== null && state !== 'closed') refs.set(`refs/pull/${number}/merge`, mergeCommitSha)
  }
  return refs
}

export function emailOf({ id, login }: Account): string {
  return `${id}+${login}@users.noreply.localhost`
}

export function fullName(repo: Repository): string {
  return `${repo.owner.login}/${repo.name}`
}

/** Open and closed pull requests whose head is this commit, in this repository. */
export function pullsWithHead(repo: Repository, sha: string): PullRequest[] {
  return [...repo.pulls.values()].filter((pull) => pull.head.sha === sha)
}

/**
 * What GitHub lists as `pull_requests` of a check run, check suite or workflow run: open pull requests with this head
 * whose branch is in the repository itself. A pull request from a fork is never listed.
 */
export function listedPulls(repo: Repository, sha: string): PullRequest[] {
  return pullsWithHead(repo, sha).filter((pull) => pull.state === 'open' && pull.head.repo === repo)
}

export function labelOf(repo: Repository, name: string): Label | undefined {
  return repo.labels.get(name.toLowerCase())
}
