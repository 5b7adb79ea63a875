import type { Issue, PullRequest, State } from '../state.ts'
import { accountJson } from './account.ts'
import { type JsonObject, nodeId, time, timeOrNull } from './json.ts'
import { association, issueUrl, labelJson, pullPage, pullUrl, reactionsJson } from './pull-request.ts'
import { repositoryPage, repositoryUrl } from './repository.ts'

/** `issue`. */
export function issueJson(state: State, issue: Issue): JsonObject {
  return {
    ...commonJson(state, issue),
    html_url: `${repositoryPage(state, issue.repo)}/issues/${issue.number}`,
    node_id: nodeId('I', issue.id),
    comments: 0,
  }
}

/** The pull request as an issue, which comments, labels and events belong to. */
export function pullAsIssueJson(state: State, pull: PullRequest): JsonObject {
  const page = pullPage(state, pull)
  return {
    ...commonJson(state, pull),
    html_url: page,
    node_id: nodeId('PR', pull.id),
    comments: pull.comments.length,
    draft: pull.draft,
    pull_request: {
      url: pullUrl(state, pull),
      html_url: page,
      diff_url: `${page}.diff`,
      patch_url: `${page}.patch`,
      merged_at: timeOrNull(pull.mergedAt),
    },
  }
}

function commonJson(state: State, issue: Issue | PullRequest): JsonObject {
  const url = issueUrl(state, issue)
  return {
    url,
    repository_url: repositoryUrl(state, issue.repo),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    timeline_url: `${url}/timeline`,
    id: issue.id,
    number: issue.number,
    title: issue.title,
    user: accountJson(state, issue.author),
    labels: issue.labels.map((label) => labelJson(state, issue.repo, label)),
    state: issue.state,
    state_reason: null,
    locked: false,
    active_lock_reason: null,
    assignee: null,
    assignees: [],
    milestone: null,
    created_at: time(issue.createdAt),
    updated_at: time(issue.updatedAt),
    closed_at: timeOrNull(issue.closedAt),
    author_association: association(issue.repo, issue.author.login),
    body: issue.body,
    reactions: reactionsJson(url, []),
    performed_via_github_app: null,
  }
}
