import type { Commit, FileChanges } from '../commit-graph.ts'
import { simpleCommitJson } from '../resources/commit.ts'
import { pullJson } from '../resources/pull-request.ts'
import { pushRepositoryJson, repositoryPage, repositoryUrl } from '../resources/repository.ts'
import { type Account, emailOf, fullName, type PullRequest, type Repository } from '../state.ts'
import type { World } from '../world.ts'
import { createSuite, tellOfSuite } from './checks.ts'
import { addIssueEvent } from './labels.ts'

const noCommit = '0'.repeat(40)

export interface PushValues {
  readonly branch: string
  readonly files: FileChanges
  readonly message: string
  /** Default: the branch's head, else the default branch's. */
  readonly parents?: readonly string[]
  readonly author: Account
}

/** Commits to a branch and tells of the push; pull requests from that branch follow. */
export function pushCommit(world: World, repo: Repository, values: PushValues): Commit {
  const before = repo.branches.get(values.branch)
  const start = before ?? repo.branches.get(repo.defaultBranch)
  const commit = repo.graph.add({
    parents: values.parents ?? (start === undefined ? [] : [start]),
    files: values.files,
    message: values.message,
    author: {
      name: values.author.login,
      email: emailOf(values.author),
      login: values.author.login,
    },
    date: world.state.now(),
  })
  moveBranch(world, repo, values.branch, commit.sha, values.author)
  return commit
}

/** Sets a branch to a commit that exists already, as a push or a force-push does. */
export function moveBranch(world: World, repo: Repository, branch: string, sha: string, by: Account): void {
  const before = repo.branches.get(branch) ?? null
  repo.branches.set(branch, sha)
  repo.pushedAt = world.state.now()
  tellOfPush(world, repo, `refs/heads/${branch}`, before, sha, by)
  requestSuite(world, repo, sha, by)
  for (const pull of openPullsOf(world, repo, branch)) synchronize(world, pull, sha, by)
}

/** Pull requests from that branch are closed. */
export function deleteBranch(world: World, repo: Repository, branch: string, by: Account): void {
  const before = repo.branches.get(branch) ?? null
  repo.branches.delete(branch)
  tellOfPush(world, repo, `refs/heads/${branch}`, before, null, by)
  for (const pull of openPullsOf(world, repo, branch)) closePull(world, pull, by, false)
}

function openPullsOf({ state }: World, repo: Repository, branch: string): PullRequest[] {
  const all = state.repositories.flatMap(({ pulls }) => [...pulls.values()])
  return all.filter(({ state: is, head }) => is === 'open' && head.repo === repo && head.ref === branch)
}

function synchronize(world: World, pull: PullRequest, sha: string, by: Account): void {
  const before = pull.head.sha
  const forced = !pull.repo.graph.descends(sha, before)
  pull.head = { ...pull.head, sha }
  pull.base = { ...pull.base, sha: pull.repo.branches.get(pull.base.ref) ?? pull.base.sha }
  pull.updatedAt = world.state.now()
  pull.mergeCommitSha = mergeCommit(world, pull, by).sha
  if (forced) addIssueEvent(world.state, pull, { account: by, app: null }, 'head_ref_force_pushed', { commitId: sha })
  tellOfPull(world, 'synchronize', pull, by, { before, after: sha })
}

export function openPull(
  world: World,
  values: {
    readonly repo: Repository
    readonly base: string
    readonly head: { readonly repo: Repository; readonly ref: string }
    readonly author: Account
    readonly title: string
    readonly body: string | null
    readonly draft: boolean
  },
): PullRequest {
  const { state } = world
  const { repo } = values
  const baseSha = repo.branches.get(values.base)
  const headSha = values.head.repo.branches.get(values.head.ref)
  if (baseSha === undefined || headSha === undefined) {
    throw new Error(`no branch ${values.base} or ${values.head.ref} in ${fullName(repo)}`)
  }
  const now = state.now()
  repo.lastNumber += 1
  const pull: PullRequest = {
    id: state.id('pull'),
    number: repo.lastNumber,
    repo,
    title: values.title,
    body: values.body,
    author: values.author,
    state: 'open',
    draft: values.draft,
    base: { ref: values.base, sha: baseSha },
    head: { ...values.head, sha: headSha },
    mergeCommitSha: null,
    mergedBy: null,
    mergedAt: null,
    closedAt: null,
    createdAt: now,
    updatedAt: now,
    labels: [],
    comments: [],
    events: [],
  }
  pull.mergeCommitSha = mergeCommit(world, pull, values.author).sha
  repo.pulls.set(pull.number, pull)
  tellOfPull(world, 'opened', pull, values.author)
  return pull
}

export function closePull(world: World, pull: PullRequest, by: Account, merge: boolean): void {
  const now = world.state.now()
  pull.state = 'closed'
  pull.closedAt = now
  const author = { account: by, app: null }
  if (merge) {
    const commit = mergeCommit(world, pull, by)
    pull.mergeCommitSha = commit.sha
    pull.mergedAt = now
    pull.mergedBy = by
    addIssueEvent(world.state, pull, author, 'merged', { commitId: commit.sha })
    moveBranch(world, pull.repo, pull.base.ref, commit.sha, by)
  }
  addIssueEvent(world.state, pull, author, 'closed')
  tellOfPull(world, 'closed', pull, by)
}

export function reopenPull(world: World, pull: PullRequest, by: Account): void {
  pull.state = 'open'
  pull.closedAt = null
  addIssueEvent(world.state, pull, { account: by, app: null }, 'reopened')
  tellOfPull(world, 'reopened', pull, by)
}

/** The commit of `refs/pull/N/merge`: the head's changes on top of the base. */
function mergeCommit(world: World, pull: PullRequest, by: Account): Commit {
  const { graph } = pull.repo
  const base = pull.repo.branches.get(pull.base.ref) ?? pull.base.sha
  const start = graph.mergeBase(base, pull.head.sha)?.sha ?? base
  const files = Object.fromEntries(
    graph
      .changes(start, pull.head.sha)
      .flatMap(({ path, previousPath, after }) => [
        ...(previousPath === null ? [] : [[previousPath, null] as const]),
        [path, after] as const,
      ]),
  )
  return graph.add({
    parents: [base, pull.head.sha],
    files,
    message: `Merge pull request #${pull.number} from ${pull.head.repo.owner.login}/${pull.head.ref}`,
    author: { name: by.login, email: emailOf(by), login: by.login },
    date: world.state.now(),
  })
}

function tellOfPull(
  world: World,
  action: string,
  pull: PullRequest,
  by: Account,
  more: Record<string, unknown> = {},
): void {
  world.webhooks.emit('pull_request', action, pull.repo, by, {
    number: pull.number,
    ...more,
    pull_request: pullJson(world.state, pull),
  })
}

/** A push makes a check suite for each app that may write checks, and asks the app to fill it. */
function requestSuite(world: World, repo: Repository, sha: string, by: Account): void {
  const installation = world.webhooks.installationOf(repo)
  if (installation?.permissions['checks'] !== 'write') return
  if (repo.suites.some((suite) => suite.app === world.state.app && suite.headSha === sha)) return
  const suite = createSuite(world, repo, world.state.app, sha)
  tellOfSuite(world, 'requested', suite, { account: by, app: null })
}

/** Pushes a tag of a commit that exists already, or deletes it: `after` is null then. */
export function pushTag(
  world: World,
  repo: Repository,
  tag: string,
  [before, after]: readonly [string | null, string | null],
  by: Account,
): void {
  if (after === null) repo.tags.delete(tag)
  else repo.tags.set(tag, after)
  tellOfPush(world, repo, `refs/tags/${tag}`, before, after, by)
}

function tellOfPush(
  world: World,
  repo: Repository,
  ref: string,
  before: string | null,
  after: string | null,
  by: Account,
): void {
  const { state } = world
  const page = repositoryPage(state, repo)
  const commits = (before === null || after === null ? [] : repo.graph.between(before, after)).slice(-2048)
  const eventJson = (commit: Commit) => {
    const changes = repo.graph.changesOf(commit)
    const paths = (status: string) => changes.filter((change) => change.status === status).map((change) => change.path)
    const { author } = commit
    const person = {
      name: author.name,
      email: author.email,
      ...(author.login === null ? {} : { username: author.login }),
    }
    return {
      ...simpleCommitJson(commit),
      author: person,
      committer: person,
      distinct: true,
      url: `${page}/commit/${commit.sha}`,
      added: paths('added'),
      removed: paths('removed'),
      modified: paths('modified'),
    }
  }
  const head = after === null ? undefined : repo.graph.get(after)
  const forced = before !== null && after !== null && !repo.graph.descends(after, before)
  world.webhooks.emit('push', null, repo, by, {
    ref,
    before: before ?? noCommit,
    after: after ?? noCommit,
    base_ref: null,
    created: before === null,
    deleted: after === null,
    forced,
    compare: `${page}/compare/${(before ?? noCommit).slice(0, 12)}...${(after ?? noCommit).slice(0, 12)}`,
    commits: commits.map(eventJson),
    head_commit: head === undefined ? null : eventJson(head),
    pusher: { name: by.login, email: emailOf(by) },
    repository: pushRepositoryJson(state, repo),
  })
}

/** The branches that a status event lists: those whose head is the commit. */
export function statusBranches(world: World, repo: Repository, sha: string): Record<string, unknown>[] {
  return [...repo.branches]
    .filter(([, head]) => head === sha)
    .slice(0, 10)
    .map(([name]) => ({
      name,
      commit: { sha, url: `${repositoryUrl(world.state, repo)}/commits/${sha}` },
      protected: false,
    }))
}
