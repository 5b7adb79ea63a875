import { ApiError } from '../api-error.ts'
import { closePull, reopenPull } from '../changes/pulls.ts'
import { commitJson, fileJson } from '../resources/commit.ts'
import { pullJson, pullsOfCommit, simplePullJson } from '../resources/pull-request.ts'
import { author, type Call, forbidden, mayAs, paged, pullOf, type Route, repositoryOf, shaOf } from '../route.ts'
import type { PullRequest } from '../state.ts'

const read = ['pull_requests:read']
/** GitHub lists no more files and commits of one pull request. */
const maxFiles = 3_000
const maxCommits = 250

export const pullRoutes: readonly Route[] = [
  {
    operation: 'pulls/get',
    needs: read,
    answer: (call) => ({ status: 200, body: pullJson(call.state, pullOf(call, 'pull_number')) }),
  },
  {
    operation: 'pulls/list',
    needs: read,
    answer: (call) => {
      const found = sorted(
        call,
        [...repositoryOf(call).pulls.values()].filter((pull) => isWanted(call, pull)),
      )
      return paged(call, found, (page) => page.map((pull) => simplePullJson(call.state, pull)))
    },
  },
  {
    operation: 'pulls/merge',
    needs: ['contents:write'],
    person: 'write',
    answer: (call) => {
      const pull = pullOf(call, 'pull_number')
      if (pull.state !== 'open') throw new ApiError(405, 'Pull Request is not mergeable')
      const { sha } = (call.body ?? {}) as { sha?: string }
      if (sha !== undefined && sha !== pull.head.sha)
        throw new ApiError(409, 'Head branch was modified. Review and try the merge again.')
      closePull(call, pull, author(call).account, true)
      return {
        status: 200,
        body: { sha: pull.mergeCommitSha, merged: true, message: 'Pull Request successfully merged' },
      }
    },
  },
  {
    operation: 'pulls/update',
    needs: ['pull_requests:write'],
    person: 'read',
    answer: (call) => {
      const pull = pullOf(call, 'pull_number')
      const { account } = author(call)
      if (pull.author !== account && !mayAs(call, pull.repo, 'write')) throw forbidden()
      const { title, state } = (call.body ?? {}) as { title?: string; state?: string }
      if (title !== undefined) pull.title = title
      if (state === 'closed' && pull.state === 'open') closePull(call, pull, account, false)
      if (state === 'open' && pull.state === 'closed' && pull.mergedAt === null) reopenPull(call, pull, account)
      return { status: 200, body: pullJson(call.state, pull) }
    },
  },
  {
    operation: 'pulls/list-files',
    needs: read,
    answer: (call) => {
      const pull = pullOf(call, 'pull_number')
      const { graph } = pull.repo
      const base = graph.mergeBase(pull.base.sha, pull.head.sha)?.sha ?? pull.base.sha
      const changes = graph.changes(base, pull.head.sha).slice(0, maxFiles)
      return paged(call, changes, (page) =>
        page.map((change) => fileJson(call.state, pull.repo, pull.head.sha, change)),
      )
    },
  },
  {
    operation: 'pulls/list-commits',
    needs: read,
    answer: (call) => {
      const pull = pullOf(call, 'pull_number')
      const commits = pull.repo.graph.between(pull.base.sha, pull.head.sha).slice(0, maxCommits)
      return paged(call, commits, (page) => page.map((commit) => commitJson(call.state, pull.repo, commit)))
    },
  },
  {
    operation: 'repos/list-pull-requests-associated-with-commit',
    needs: ['pull_requests:read'],
    answer: (call) => {
      const repo = repositoryOf(call)
      const sha = shaOf(repo, call.path['commit_sha'] ?? '')
      const found = pullsOfCommit(repo, sha)
      // A commit of the default branch belongs to the pull request that brought it there and to no other.
      const trunk = repo.branches.get(repo.defaultBranch)
      const merged = trunk !== undefined && repo.graph.ancestors(trunk).some((commit) => commit.sha === sha)
      const listed = merged
        ? found.filter((pull) => pull.mergedAt !== null)
        : found.filter((pull) => pull.state === 'open' || pull.mergedAt !== null)
      return paged(call, listed, (page) => page.map((pull) => simplePullJson(call.state, pull)))
    },
  },
]

function isWanted(call: Call, pull: PullRequest): boolean {
  const { state, head, base } = call.query
  if (state !== 'all' && pull.state !== (state ?? 'open')) return false
  if (base !== undefined && pull.base.ref !== base) return false
  // GitHub ignores a head without an owner.
  if (head === undefined || !String(head).includes(':')) return true
  return `${pull.head.repo.owner.login}:${pull.head.ref}`.toLowerCase() === String(head).toLowerCase()
}

function sorted(call: Call, pulls: readonly PullRequest[]): PullRequest[] {
  const { sort = 'created', direction = sort === 'created' ? 'desc' : 'asc' } = call.query
  const value = (pull: PullRequest): number =>
    sort === 'updated'
      ? pull.updatedAt.getTime()
      : sort === 'popularity'
        ? pull.comments.length
        : pull.createdAt.getTime()
  const ascending = pulls.toSorted((a, b) => value(a) - value(b) || a.number - b.number)
  return direction === 'desc' ? ascending.toReversed() : ascending
}
