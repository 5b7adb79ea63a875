import type { Commit, FileChange } from '../commit-graph.ts'
import type { Repository, State } from '../state.ts'
import { accountJson } from './account.ts'
import { type JsonObject, nodeId, time } from './json.ts'
import { repositoryPage, repositoryUrl } from './repository.ts'

function gitUser(commit: Commit): { name: string; email: string; date: string } {
  return { name: commit.author.name, email: commit.author.email, date: time(commit.date) }
}

/** `git-commit`. */
export function gitCommitJson(state: State, repo: Repository, commit: Commit): JsonObject {
  const { sha, node_id, html_url, parents, commit: git } = commitJson(state, repo, commit)
  const { comment_count: _, ...rest } = git as JsonObject
  return { ...rest, sha, node_id, html_url, parents }
}

/** `commit`, without files as lists have it. */
export function commitJson(state: State, repo: Repository, commit: Commit): JsonObject {
  const url = repositoryUrl(state, repo)
  const account = commit.author.login === null ? null : accountJson(state, state.account(commit.author.login))
  return {
    sha: commit.sha,
    node_id: nodeId('C', commit.sha),
    commit: {
      author: gitUser(commit),
      committer: gitUser(commit),
      message: commit.message,
      tree: { sha: commit.treeSha, url: `${url}/git/trees/${commit.treeSha}` },
      url: `${url}/git/commits/${commit.sha}`,
      comment_count: 0,
      verification: { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null },
    },
    url: `${url}/commits/${commit.sha}`,
    html_url: `${repositoryPage(state, repo)}/commit/${commit.sha}`,
    comments_url: `${url}/commits/${commit.sha}/comments`,
    author: account,
    committer: account,
    parents: commit.parents.map((sha) => ({
      sha,
      url: `${url}/commits/${sha}`,
      html_url: `${repositoryPage(state, repo)}/commit/${sha}`,
    })),
  }
}

/** `commit` with `stats` and `files`. */
export function commitWithFilesJson(state: State, repo: Repository, commit: Commit): JsonObject {
  const files = repo.graph.changesOf(commit).map((change) => fileJson(state, repo, commit.sha, change))
  const additions = files.reduce((sum, file) => sum + Number(file['additions']), 0)
  const deletions = files.reduce((sum, file) => sum + Number(file['deletions']), 0)
  return {
    ...commitJson(state, repo, commit),
    stats: { additions, deletions, total: additions + deletions },
    files,
  }
}

/** The commit form of webhooks (`head_commit`, `commits` of a push). */
export function simpleCommitJson(commit: Commit): JsonObject {
  const { date: _, ...author } = gitUser(commit)
  return {
    id: commit.sha,
    tree_id: commit.treeSha,
    message: commit.message,
    timestamp: time(commit.date),
    author,
    committer: author,
  }
}

/** `diff-entry`. */
export function fileJson(state: State, repo: Repository, sha: string, change: FileChange): JsonObject {
  const before = lines(change.before?.content)
  const after = lines(change.after?.content)
  const { additions, deletions, patch } = patchOf(before, after)
  const path = change.path.split('/').map(encodeURIComponent).join('/')
  return {
    sha: (change.after ?? change.before)?.sha ?? null,
    filename: change.path,
    status: change.status,
    ...(change.previousPath === null ? {} : { previous_filename: change.previousPath }),
    additions,
    deletions,
    changes: additions + deletions,
    blob_url: `${repositoryPage(state, repo)}/blob/${sha}/${path}`,
    raw_url: `${repositoryPage(state, repo)}/raw/${sha}/${path}`,
    contents_url: `${repositoryUrl(state, repo)}/contents/${path}?ref=${sha}`,
    // A file that was only renamed has none.
    ...(change.status === 'renamed' ? {} : { patch }),
  }
}

function lines(content: Buffer | undefined): string[] {
  const text = content?.toString('utf8') ?? ''
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

/** One hunk from the first to the last line that differs: less minimal than git's, and as true. */
function patchOf(before: readonly string[], after: readonly string[]) {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let end = 0
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end += 1
  }
  const removed = before.slice(start, before.length - end)
  const added = after.slice(start, after.length - end)
  const first = Math.max(0, start - CONTEXT_LINES)
  const above = after.slice(first, start)
  const below = after.slice(after.length - end, after.length - end + CONTEXT_LINES)
  const around = above.length + below.length
  // git names the last line above that begins with a letter: mostly the function that the change is in
  const named = after.slice(0, first).findLast((line) => /^[A-Za-z_$]/.test(line))
  const context = named === undefined ? '' : ` ${named.slice(0, 80).trimEnd()}`
  const patch = [
    `@@ -${range(first, removed.length + around)} +${range(first, added.length + around)} @@${context}`,
    ...above.map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...below.map((line) => ` ${line}`),
  ].join('\n')
  return { additions: added.length, deletions: removed.length, patch }
}

const CONTEXT_LINES = 3

function range(start: number, length: number): string {
  return `${length === 0 ? start : start + 1},${length}`
}
