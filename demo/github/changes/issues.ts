import { type Account, type Issue, labelOf, type Repository, type State } from '../state.ts'
import { createLabel } from './labels.ts'

/** A person opens an issue. No webhook tells of it: the app hears of pull requests and of comments only. */
export function openIssue(
  state: State,
  repo: Repository,
  values: {
    readonly title: string
    readonly body: string | null
    readonly labels: readonly string[]
    readonly author: Account
  },
): Issue {
  const now = state.now()
  repo.lastNumber += 1
  const issue: Issue = {
    id: state.id('issue'),
    number: repo.lastNumber,
    repo,
    title: values.title,
    body: values.body,
    author: values.author,
    state: 'open',
    labels: values.labels.map((name) => labelOf(repo, name) ?? createLabel(state, repo, { name })),
    createdAt: now,
    updatedAt: now,
    closedAt: null,
  }
  repo.issues.set(issue.number, issue)
  return issue
}

export function closeIssue(state: State, issue: Issue): void {
  issue.state = 'closed'
  issue.closedAt = state.now()
  issue.updatedAt = issue.closedAt
}
