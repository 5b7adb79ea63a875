import { generateKeyPairSync } from 'node:crypto'
import { Api } from './api.ts'
import { Authentication } from './auth.ts'
import { BlobHost } from './blob-host.ts'
import {
  type CheckRunValues,
  createCheckRun,
  suiteOf,
  tellOfRun,
  tellOfSuite,
  updateCheckRun,
} from './changes/checks.ts'
import { createComment, deleteComment, editComment } from './changes/comments.ts'
import { type InstallValues, install, selectRepository, suspend, uninstall } from './changes/installations.ts'
import { closeIssue, openIssue } from './changes/issues.ts'
import { addLabels, removeLabel } from './changes/labels.ts'
import { closePull, moveBranch, openPull, pushCommit, pushTag, reopenPull } from './changes/pulls.ts'
import { deleteRepository, renameRepository, setPrivate, transferRepository } from './changes/repositories.ts'
import { createStatus } from './changes/statuses.ts'
import {
  type ArtifactValues,
  beginWorkflowRun,
  finishWorkflowRun,
  rerunWorkflow,
  startWorkflowRun,
  uploadArtifact,
} from './changes/workflows.ts'
import type { Commit, FileChanges } from './commit-graph.ts'
import { ENTERPRISE_WEBHOOK_TIMEOUT, type Enterprise } from './enterprise.ts'
import { type Fault, Faults } from './faults.ts'
import { Forms } from './forms.ts'
import { GitHost } from './git-host.ts'
import { githubLimits, type Limits, RateLimiter } from './limits.ts'
import { OAuth } from './oauth.ts'
import { Pages } from './pages.ts'
import { type LoggedRequest, Servers } from './server.ts'
import {
  type Artifact,
  type CheckRun,
  type CheckStatus,
  type Comment,
  type Conclusion,
  fullName,
  type Installation,
  type Issue,
  labelOf,
  type PermissionLevel,
  type Permissions,
  type PullRequest,
  type Repository,
  State,
  type Status,
  type WorkflowRun,
} from './state.ts'
import { type Delivery, type HeardEvent, Webhooks, type WebhookTarget } from './webhooks.ts'
import { type Author, appAuthor, type World } from './world.ts'

export interface LocalGitHubOptions {
  readonly app?: { readonly id: number; readonly slug: string; readonly name: string }
  /** PEM of the app's private key; without one a pair is made. */
  readonly privateKey?: string
  /** Where deliveries go; may be set later with `setWebhook`. */
  readonly webhook?: WebhookTarget
  /** Milliseconds that a webhook may take. GitHub: 10 seconds, an Enterprise Server less. */
  readonly webhookTimeout?: number
  readonly limits?: Partial<Limits>
  /** Absent: it does as github.com does. */
  readonly enterprise?: Enterprise
  /** Default: a free one. */
  readonly port?: number
}

export interface AppCredentials {
  readonly appId: number
  readonly privateKey: string
  /** For the sign-in. */
  readonly clientId: string
  readonly clientSecret: string
}

/** Starts a GitHub on the loopback interface with one registered app and nothing else in it. */
export async function startLocalGitHub(options: LocalGitHubOptions = {}): Promise<LocalGitHub> {
  const github = new LocalGitHub(options)
  await github.start(options.port ?? 0)
  return github
}

/**
 * The world outside of the bot: what people, continuous integration and GitHub itself do. Each action changes the
 * state and sends the webhooks that GitHub would send.
 */
export class LocalGitHub {
  /** Every deviation from GitHub's description, by whichever side. A test ends with this being empty. */
  readonly violations: string[] = []
  readonly state: State
  readonly credentials: AppCredentials
  readonly #world: World
  readonly #webhooks: Webhooks
  readonly #servers: Servers
  readonly #oauth: OAuth
  readonly #authentication: Authentication
  readonly #blobs: BlobHost
  readonly #git: GitHost
  readonly #faults = new Faults()

  constructor(options: LocalGitHubOptions) {
    const app = options.app ?? { id: 900_001, slug: 'perf-triage', name: 'perf-triage' }
    const privateKey = options.privateKey ?? generatedKey()
    this.state = new State(app, options.enterprise ?? null)
    this.#oauth = new OAuth(this.state)
    const { clientId, clientSecret } = this.#oauth
    this.credentials = { appId: app.id, privateKey, clientId, clientSecret }
    this.state.credentials = this.credentials
    this.#webhooks = new Webhooks(
      this.state,
      this.violations,
      options.webhook ?? null,
      options.webhookTimeout ?? (this.state.enterprise === null ? 10_000 : ENTERPRISE_WEBHOOK_TIMEOUT),
    )
    this.#world = { state: this.state, webhooks: this.#webhooks }
    this.#blobs = new BlobHost(this.state)
    const limiter = new RateLimiter({ ...githubLimits, ...options.limits })
    this.#authentication = new Authentication(this.state, privateKey, this.#oauth)
    const api = new Api(this.#world, this.#authentication, limiter, this.#blobs, this.violations)
    this.#git = new GitHost(this.state, this.#authentication)
    const forms = new Forms(this.#world)
    this.#servers = new Servers(
      api,
      new Pages(this.state),
      forms,
      this.#oauth,
      this.#git,
      this.#blobs,
      this.#faults,
      this.state.enterprise,
    )
  }

  /** @see startLocalGitHub */
  async start(port: number): Promise<void> {
    const origins = await this.#servers.start(port)
    this.state.origin = origins.api
    this.#blobs.origin = origins.blobs
  }

  async stop(): Promise<void> {
    await this.#webhooks.stop()
    await this.#servers.stop()
    await this.#git.stop()
  }

  /** Origin of the API (also under `/api/v3`, of an Enterprise Server only there) and of the pages. */
  get url(): string {
    return this.state.origin
  }

  /** Origin that artifact downloads are redirected to. */
  get blobUrl(): string {
    return this.#blobs.origin
  }

  /** Every request so far, oldest first; empty the array to begin counting anew. */
  get requests(): LoggedRequest[] {
    return this.#servers.requests
  }

  /** Every delivery that was tried, oldest first. */
  get deliveries(): readonly Delivery[] {
    return this.#webhooks.log
  }

  /** Deliveries held back by `pauseDeliveries`. */
  get waitingDeliveries(): readonly Delivery[] {
    return this.#webhooks.waiting
  }

  setWebhook(target: WebhookTarget | null): void {
    this.#webhooks.target = target
  }

  /** Hears each event of a repository, whether or not the App does, as a CI does. */
  onEvent(listener: (event: HeardEvent) => void): void {
    this.#webhooks.listeners.push(listener)
  }

  /** Resolves when every delivery was answered, refused or timed out. Those that are paused are not waited for. */
  idle(): Promise<void> {
    return this.#webhooks.idle()
  }

  pauseDeliveries(): void {
    this.#webhooks.pause()
  }

  /** @param order gives the waiting deliveries in the order to send them now; one left out is lost */
  resumeDeliveries(order?: (waiting: readonly Delivery[]) => readonly Delivery[]): void {
    this.#webhooks.resume(order)
  }

  /** Sends a delivery again under the same GUID. */
  redeliver(guid: string): void {
    const delivery = this.deliveries.find((known) => known.guid === guid)
    if (delivery === undefined) throw new Error(`no delivery ${guid}`)
    this.#webhooks.redeliver(delivery)
  }

  fault(fault: Fault): void {
    this.#faults.plan(fault)
  }

  clearFaults(): void {
    this.#faults.clear()
  }

  /** Moves GitHub's time forward: tokens expire, addresses of downloads end, limits begin anew. */
  advance(milliseconds: number): void {
    this.state.advance(milliseconds)
  }

  createRepository(values: {
    readonly owner: string
    readonly name: string
    readonly private?: boolean
    readonly defaultBranch?: string
    readonly files?: FileChanges
  }): Repository {
    const defaultBranch = values.defaultBranch ?? 'master'
    const owner = this.state.account(values.owner, 'Organization')
    const repo = this.state.newRepository({
      owner,
      name: values.name,
      private: values.private ?? false,
      defaultBranch,
      forkOf: null,
    })
    this.commit(repo, { branch: defaultBranch, files: values.files ?? { 'README.md': '# ' + values.name + '\n' } })
    return repo
  }

  renameRepository(repo: Repository, name: string): void {
    renameRepository(this.#world, repo, name)
  }

  /** Sends `repository.privatized` or `repository.publicized`. */
  setPrivate(repo: Repository, isPrivate: boolean): void {
    setPrivate(this.#world, repo, isPrivate)
  }

  /** Sends `repository.transferred` to the new owner's installation, if there is one. */
  transferRepository(repo: Repository, owner: string): void {
    transferRepository(this.#world, repo, this.state.account(owner, 'Organization'))
  }

  /** Sends `repository.deleted`. */
  deleteRepository(repo: Repository): void {
    deleteRepository(this.#world, repo)
  }

  /**
   * Who sits at the browser that is sent to `/login/oauth/authorize`; null: nobody is signed in to GitHub.
   * @param answers what the person says to the App's request
   */
  atBrowser(login: string | null, answers: 'yes' | 'no' = 'yes'): void {
    this.#oauth.person = login === null ? null : this.state.account(login)
    this.#oauth.refuses = answers === 'no'
  }

  /** Installs the app for an account; sends `installation.created`. */
  install(values: InstallValues): Installation {
    return install(this.#world, values)
  }

  suspend(installation: Installation, suspended: boolean): void {
    suspend(this.#world, installation, suspended)
  }

  /** For an installation on selected repositories; sends `installation_repositories.added` or `.removed`. */
  selectRepository(installation: Installation, repo: Repository, selected: boolean): void {
    selectRepository(this.#world, installation, repo, selected)
  }

  uninstall(installation: Installation): void {
    uninstall(this.#world, installation)
  }

  /** Pushes one commit to a branch of the repository, which is made if it isn't there. */
  commit(
    repo: Repository,
    values: {
      readonly branch?: string
      readonly files: FileChanges
      readonly message?: string
      readonly parents?: readonly string[]
      readonly author?: string
    },
  ): Commit {
    return pushCommit(this.#world, repo, {
      branch: values.branch ?? repo.defaultBranch,
      files: values.files,
      message: values.message ?? 'A commit',
      ...(values.parents === undefined ? {} : { parents: values.parents }),
      author: this.state.account(values.author ?? 'alice'),
    })
  }

  /** Pushes a tag. */
  tag(repo: Repository, name: string, sha: string, author = 'maria'): void {
    pushTag(this.#world, repo, name, [null, sha], this.state.account(author))
  }

  /** `sha`: the commit that it named. */
  deleteTag(repo: Repository, name: string, sha: string, author = 'maria'): void {
    pushTag(this.#world, repo, name, [sha, null], this.state.account(author))
  }

  /** Sets a branch to another commit, as a force-push does. */
  forcePush(repo: Repository, branch: string, sha: string, author = 'alice'): void {
    moveBranch(this.#world, repo, branch, sha, this.state.account(author))
  }

  /**
   * Opens a pull request. `head` names a branch; when it doesn't exist a commit with `files` is pushed to it first.
   * @param values.fork the head is in a fork by this owner
   */
  openPullRequest(values: {
    readonly repo: Repository
    readonly head: string
    readonly base?: string
    readonly fork?: { readonly owner: string }
    readonly author?: string
    readonly title?: string
    readonly body?: string
    readonly draft?: boolean
    readonly files?: FileChanges
  }): PullRequest {
    const { repo } = values
    const author = this.state.account(values.author ?? values.fork?.owner ?? 'alice')
    const headRepo = values.fork === undefined ? repo : this.#forkOf(repo, values.fork.owner)
    if (!headRepo.branches.has(values.head) || values.files !== undefined) {
      this.commit(headRepo, {
        branch: values.head,
        files: values.files ?? { [`src/${values.head}.cpp`]: `// ${values.head}\n` },
        message: values.title ?? `Work on ${values.head}`,
        author: author.login,
      })
    }
    return openPull(this.#world, {
      repo,
      base: values.base ?? repo.defaultBranch,
      head: { repo: headRepo, ref: values.head },
      author,
      title: values.title ?? `Work on ${values.head}`,
      body: values.body ?? null,
      draft: values.draft ?? false,
    })
  }

  /** A new head for the pull request; sends `pull_request.synchronize`. */
  push(pull: PullRequest, files: FileChanges, message = 'Another commit'): Commit {
    const { repo, ref } = pull.head
    return this.commit(repo, { branch: ref, files, message, author: pull.author.login })
  }

  closePullRequest(pull: PullRequest, options: { readonly merge?: boolean; readonly by?: string } = {}): void {
    closePull(this.#world, pull, this.state.account(options.by ?? pull.author.login), options.merge ?? false)
  }

  reopenPullRequest(pull: PullRequest, by = pull.author.login): void {
    reopenPull(this.#world, pull, this.state.account(by))
  }

  openIssue(
    repo: Repository,
    values: {
      readonly title: string
      readonly body?: string
      readonly labels?: readonly string[]
      readonly author?: string
    },
  ): Issue {
    return openIssue(this.state, repo, {
      title: values.title,
      body: values.body ?? null,
      labels: values.labels ?? [],
      author: this.state.account(values.author ?? 'alice'),
    })
  }

  closeIssue(issue: Issue): void {
    closeIssue(this.state, issue)
  }

  comment(pull: PullRequest, by: string, body: string): Comment {
    this.#read()
    return createComment(this.#world, pull, this.#person(by), body)
  }

  editComment(comment: Comment, by: string, body: string): void {
    this.#read()
    editComment(this.#world, comment, this.#person(by), body)
  }

  deleteComment(comment: Comment, by: string): void {
    deleteComment(this.#world, comment, this.#person(by))
  }

  addLabel(pull: PullRequest, by: string, name: string): void {
    this.#read()
    addLabels(this.#world, pull, this.#person(by), [name])
  }

  removeLabel(pull: PullRequest, by: string, name: string): void {
    const label = labelOf(pull.repo, name)
    if (label === undefined || !pull.labels.includes(label)) throw new Error(`no label ${name} on #${pull.number}`)
    removeLabel(this.#world, pull, this.#person(by), label)
  }

  /** A person who answers has read what stands there, which takes a second at least. */
  #read(): void {
    this.state.advance(1000)
  }

  setPermission(repo: Repository, user: string, level: PermissionLevel): void {
    this.state.account(user)
    repo.permissions.set(user.toLowerCase(), level)
  }

  /** Lets somebody write on the pages: each pull request has a comment box, labels and buttons for them. */
  seat(login: string): void {
    this.state.people.push(this.state.account(login))
  }

  /** A token with which a person uses the API. */
  personalToken(login: string): string {
    return this.#authentication.personalToken(this.state.account(login))
  }

  /** The token of a job: it acts as `github-actions[bot]`, may what is given, and starts no workflow. */
  jobToken(repo: Repository, permissions: Permissions): string {
    return this.#authentication.jobToken(repo, { metadata: 'read', ...permissions })
  }

  /** It holds no longer. */
  endJobToken(token: string): void {
    this.#authentication.endJobToken(token)
  }

  setStatus(
    repo: Repository,
    sha: string,
    values: {
      readonly state: Status['state']
      readonly context: string
      readonly description?: string
      readonly targetUrl?: string
      readonly by?: string
    },
  ): Status {
    return createStatus(this.#world, repo, this.#person(values.by ?? 'ci-robot'), {
      sha,
      state: values.state,
      context: values.context,
      description: values.description ?? null,
      targetUrl: values.targetUrl ?? null,
    })
  }

  /**
   * A check run of another app. For GitHub Actions, the default, name the workflow run it is a job of, if any.
   * @param values.app the slug of the app
   */
  startCheckRun(
    repo: Repository,
    values: {
      readonly name: string
      readonly headSha: string
      readonly app?: string
      readonly workflowRun?: WorkflowRun
      readonly status?: CheckStatus
      readonly detailsUrl?: string
      readonly externalId?: string
    },
  ): CheckRun {
    const app = values.app === undefined ? this.state.actionsApp : this.state.appOf(values.app)
    const suite = values.workflowRun?.suite ?? suiteOf(this.#world, repo, app, values.headSha)
    const run = createCheckRun(this.#world, suite, appAuthor(app), {
      name: values.name,
      status: values.status ?? 'in_progress',
      detailsUrl: values.detailsUrl,
      externalId: values.externalId,
    })
    if (values.workflowRun !== undefined && values.detailsUrl === undefined) {
      run.detailsUrl = `${this.url}/${fullName(repo)}/actions/runs/${values.workflowRun.id}/job/${run.id}`
    }
    return run
  }

  finishCheckRun(run: CheckRun, conclusion: Conclusion, output?: CheckRunValues['output']): void {
    updateCheckRun(this.#world, run, appAuthor(run.suite.app), {
      conclusion,
      ...(output === undefined ? {} : { output }),
    })
  }

  /** A person asks for a check run again; sends `check_run.rerequested`. */
  rerequestCheckRun(run: CheckRun, by: string): void {
    tellOfRun(this.#world, 'rerequested', run, this.#person(by))
  }

  /** A person asks for all checks of an app again; sends `check_suite.rerequested`. */
  rerequestCheckSuite(run: CheckRun, by: string): void {
    tellOfSuite(this.#world, 'rerequested', run.suite, this.#person(by))
  }

  /** A person presses a button of a check run; sends `check_run.requested_action`. */
  requestAction(run: CheckRun, by: string, identifier: string): void {
    tellOfRun(this.#world, 'requested_action', run, this.#person(by), { requested_action: { identifier } })
  }

  /** A run of a workflow for a pull request (then on its head) or for a commit of a branch. */
  startWorkflowRun(
    repo: Repository,
    values: {
      readonly name: string
      readonly pull?: PullRequest
      readonly branch?: string
      readonly headSha?: string
      readonly event?: string
      readonly path?: string
      readonly actor?: string
      /** The repository that the commit was pushed to, where it is not that of the pull request: a fork. */
      readonly headRepo?: Repository
      readonly runsOn?: readonly string[]
      /** It stays queued until `beginWorkflowRun`. */
      readonly waits?: boolean
    },
  ): WorkflowRun {
    const { pull } = values
    const headBranch = pull?.head.ref ?? values.branch ?? repo.defaultBranch
    const headSha = values.headSha ?? pull?.head.sha ?? repo.branches.get(headBranch)
    if (headSha === undefined) throw new Error(`no branch ${headBranch} in ${fullName(repo)}`)
    return startWorkflowRun(this.#world, {
      repo,
      name: values.name,
      path: values.path ?? `.github/workflows/${values.name.toLowerCase().replace(/[^a-z0-9]+/g, '_')}.yml`,
      event: values.event ?? (pull === undefined ? 'push' : 'pull_request'),
      actor: this.state.account(values.actor ?? pull?.author.login ?? 'alice'),
      headRepo: values.headRepo ?? pull?.head.repo ?? repo,
      headBranch,
      headSha,
      runsOn: values.runsOn ?? ['ubuntu-24.04'],
      waits: values.waits ?? false,
    })
  }

  beginWorkflowRun(run: WorkflowRun): void {
    beginWorkflowRun(this.#world, run)
  }

  uploadArtifact(run: WorkflowRun, values: ArtifactValues): Promise<Artifact> {
    return uploadArtifact(this.#world, run, values)
  }

  /** Artifacts first, then `workflow_run.completed` and `check_suite.completed`. */
  finishWorkflowRun(
    run: WorkflowRun,
    values: { readonly conclusion?: Conclusion; readonly artifacts?: readonly ArtifactValues[] } = {},
  ): Promise<void> {
    return finishWorkflowRun(this.#world, run, values.conclusion ?? 'success', values.artifacts ?? [])
  }

  /** The next attempt of the same run. */
  rerunWorkflow(run: WorkflowRun): void {
    rerunWorkflow(this.#world, run)
  }

  #person(login: string): Author {
    return { account: this.state.account(login), app: null }
  }

  #forkOf(repo: Repository, owner: string): Repository {
    const known = this.state.repository(owner, repo.name)
    if (known !== undefined) return known
    const account = this.state.account(owner)
    const { name, defaultBranch } = repo
    return this.state.newRepository({ owner: account, name, private: repo.private, defaultBranch, forkOf: repo })
  }
}

let keyOfProcess: string | null = null

/** One pair for all GitHubs of a process: making one takes a tenth of a second. */
function generatedKey(): string {
  if (keyOfProcess === null) {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    keyOfProcess = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  }
  return keyOfProcess
}
