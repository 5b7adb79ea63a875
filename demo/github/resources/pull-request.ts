import { type Issue, type Label, type PullRequest, pullsWithHead, type Repository, type State } from '../state.ts'
import { accountJson } from './account.ts'
import { fileJson } from './commit.ts'
import { type JsonObject, nodeId, time, timeOrNull } from './json.ts'
import { repositoryJson, repositoryPage, repositoryUrl } from './repository.ts'

export function pullUrl(state: State, pull: PullRequest): string {
  return `${repositoryUrl(state, pull.repo)}/pulls/${pull.number}`
}

export function pullPage(state: State, pull: PullRequest): string {
  return `${repositoryPage(state, pull.repo)}/pull/${pull.number}`
}

export function issueUrl(state: State, issue: Issue | PullRequest): string {
  return `${repositoryUrl(state, issue.repo)}/issues/${issue.number}`
}

export function labelJson(state: State, repo: Repository, label: Label): JsonObject {
  return {
    id: label.id,
    node_id: nodeId('LA', label.id),
    url: `${repositoryUrl(state, repo)}/labels/${encodeURIComponent(label.name)}`,
    name: label.name,
    color: label.color,
    default: false,
    // GitHub says null here; its description of pulls/list allows only a string.
    description: label.description ?? '',
  }
}

export function association(repo: Repository, login: string): string {
  if (repo.owner.login.toLowerCase() === login.toLowerCase()) return 'OWNER'
  return repo.permissions.has(login.toLowerCase()) ? 'COLLABORATOR' : 'NONE'
}

/** `pull-request-simple`. */
export function simplePullJson(state: State, pull: PullRequest): JsonObject {
  const { repo } = pull
  const url = pullUrl(state, pull)
  const issue = issueUrl(state, pull)
  const page = pullPage(state, pull)
  const link = (href: string): JsonObject => ({ href })
  const side = (of: Repository, ref: string, sha: string): JsonObject => ({
    label: `${of.owner.login}:${ref}`,
    ref,
    sha,
    user: accountJson(state, of.owner),
    repo: repositoryJson(state, of),
  })
  const statuses = `${repositoryUrl(state, repo)}/statuses/${pull.head.sha}`
  return {
    url,
    id: pull.id,
    node_id: nodeId('PR', pull.id),
    html_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    issue_url: issue,
    number: pull.number,
    state: pull.state,
    locked: false,
    title: pull.title,
    user: accountJson(state, pull.author),
    body: pull.body,
    created_at: time(pull.createdAt),
    updated_at: time(pull.updatedAt),
    closed_at: timeOrNull(pull.closedAt),
    merged_at: timeOrNull(pull.mergedAt),
    merge_commit_sha: pull.mergeCommitSha,
    assignee: null,
    assignees: [],
    requested_reviewers: [],
    requested_teams: [],
    labels: pull.labels.map((label) => labelJson(state, repo, label)),
    milestone: null,
    draft: pull.draft,
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: `${repositoryUrl(state, repo)}/pulls/comments{/number}`,
    comments_url: `${issue}/comments`,
    statuses_url: statuses,
    head: side(pull.head.repo, pull.head.ref, pull.head.sha),
    base: side(repo, pull.base.ref, pull.base.sha),
    _links: {
      self: link(url),
      html: link(page),
      issue: link(issue),
      comments: link(`${issue}/comments`),
      review_comments: link(`${url}/comments`),
      review_comment: link(`${repositoryUrl(state, repo)}/pulls/comments{/number}`),
      commits: link(`${url}/commits`),
      statuses: link(statuses),
    },
    author_association: association(repo, pull.author.login),
    auto_merge: null,
    active_lock_reason: null,
  }
}

/** `pull-request`, with its counts. */
export function pullJson(state: State, pull: PullRequest): JsonObject {
  const { graph } = pull.repo
  const base = graph.mergeBase(pull.base.sha, pull.head.sha)?.sha ?? pull.base.sha
  const changes = graph.changes(base, pull.head.sha)
  const files = changes.map((change) => fileJson(state, pull.repo, pull.head.sha, change))
  return {
    ...simplePullJson(state, pull),
    merged: pull.mergedAt !== null,
    mergeable: pull.state === 'open' ? true : null,
    rebaseable: pull.state === 'open' ? true : null,
    mergeable_state: pull.state === 'open' ? 'clean' : 'unknown',
    merged_by: pull.mergedBy === null ? null : accountJson(state, pull.mergedBy),
    comments: pull.comments.length,
    review_comments: 0,
    maintainer_can_modify: pull.head.repo !== pull.repo,
    commits: graph.between(pull.base.sha, pull.head.sha).length,
    additions: sum(files, 'additions'),
    deletions: sum(files, 'deletions'),
    changed_files: changes.length,
  }
}

function sum(files: readonly JsonObject[], name: string): number {
  return files.reduce((total, file) => total + Number(file[name]), 0)
}

/** `pull-request-minimal`, the form in lists of `pull_requests`. */
export function minimalPullJson(state: State, pull: PullRequest): JsonObject {
  const side = (repo: Repository, ref: string, sha: string): JsonObject => ({
    ref,
    sha,
    repo: { id: repo.id, url: repositoryUrl(state, repo), name: repo.name },
  })
  return {
    url: pullUrl(state, pull),
    id: pull.id,
    number: pull.number,
    head: side(pull.head.repo, pull.head.ref, pull.head.sha),
    base: side(pull.repo, pull.base.ref, pull.base.sha),
  }
}

const reactionKinds = ['+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes']

export function reactionsJson(url: string, contents: readonly string[]): JsonObject {
  const counts = reactionKinds.map((kind) => [kind, contents.filter((content) => content === kind).length])
  return { url: `${url}/reactions`, total_count: contents.length, ...Object.fromEntries(counts) }
}

/** Open pull requests of a commit, whatever repository the head is in (`commits/{sha}/pulls`). */
export function pullsOfCommit(repo: Repository, sha: string): PullRequest[] {
  const exact = new Set(pullsWithHead(repo, sha))
  return [...repo.pulls.values()].filter(
    (pull) =>
      exact.has(pull) ||
      pull.mergeCommitSha === sha ||
      repo.graph.between(pull.base.sha, pull.head.sha).some((commit) => commit.sha === sha),
  )
}
