import { issueJson, pullAsIssueJson } from '../resources/issue.ts'
import type { JsonObject } from '../resources/json.ts'
import { type Call, paged, pullOf, type Route, repositoryOf } from '../route.ts'
import type { Issue, PullRequest, State } from '../state.ts'

const read = ['issues:read', 'pull_requests:read']

export const issueRoutes: readonly Route[] = [
  {
    operation: 'issues/get',
    needs: read,
    answer: (call) => {
      const plain = repositoryOf(call).issues.get(Number(call.path['issue_number']))
      return { status: 200, body: asJson(call.state, plain ?? pullOf(call, 'issue_number')) }
    },
  },
  {
    operation: 'issues/list-for-repo',
    needs: read,
    answer: (call) => {
      const repo = repositoryOf(call)
      const found = [...repo.issues.values(), ...repo.pulls.values()].filter((issue) => isWanted(call, issue))
      return paged(call, sorted(call, found), (page) => page.map((issue) => asJson(call.state, issue)))
    },
  },
]

function isPull(issue: Issue | PullRequest): issue is PullRequest {
  return 'head' in issue
}

function asJson(state: State, issue: Issue | PullRequest): JsonObject {
  return isPull(issue) ? pullAsIssueJson(state, issue) : issueJson(state, issue)
}

/** Names of labels are the same whatever their case; of several each must be set. */
function isWanted({ query }: Call, issue: Issue | PullRequest): boolean {
  const state = query['state'] ?? 'open'
  const since = query['since']
  const labels = String(query['labels'] ?? '')
    .split(',')
    .filter(Boolean)
  return (
    (state === 'all' || issue.state === state) &&
    (since === undefined || issue.updatedAt.getTime() >= Date.parse(String(since))) &&
    labels.every((wanted) => issue.labels.some(({ name }) => name.toLowerCase() === wanted.toLowerCase()))
  )
}

function sorted({ query }: Call, issues: readonly (Issue | PullRequest)[]): (Issue | PullRequest)[] {
  const { sort = 'created', direction = 'desc' } = query
  const value = (issue: Issue | PullRequest): number =>
    sort === 'updated'
      ? issue.updatedAt.getTime()
      : sort === 'comments'
        ? isPull(issue)
          ? issue.comments.length
          : 0
        : issue.createdAt.getTime()
  const ascending = issues.toSorted((a, b) => value(a) - value(b) || a.number - b.number)
  return direction === 'desc' ? ascending.toReversed() : ascending
}
