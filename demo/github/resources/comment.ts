import type { Comment, IssueEvent, PullRequest, State } from '../state.ts'
import { accountJson } from './account.ts'
import { appJson } from './app.ts'
import { type JsonObject, nodeId, time } from './json.ts'
import { association, issueUrl, pullPage, reactionsJson } from './pull-request.ts'
import { repositoryUrl } from './repository.ts'

/** `issue-comment`. */
export function commentJson(state: State, comment: Comment): JsonObject {
  const url = `${repositoryUrl(state, comment.pull.repo)}/issues/comments/${comment.id}`
  return {
    url,
    html_url: `${pullPage(state, comment.pull)}#issuecomment-${comment.id}`,
    issue_url: issueUrl(state, comment.pull),
    id: comment.id,
    node_id: nodeId('IC', comment.id),
    user: accountJson(state, comment.author),
    created_at: time(comment.createdAt),
    updated_at: time(comment.updatedAt),
    body: comment.body,
    author_association: association(comment.pull.repo, comment.author.login),
    reactions: reactionsJson(
      url,
      comment.reactions.map((reaction) => reaction.content),
    ),
    performed_via_github_app: comment.app === null ? null : appJson(state, comment.app),
  }
}

/** `issue-event-for-issue`. */
export function issueEventJson(state: State, pull: PullRequest, event: IssueEvent): JsonObject {
  return {
    id: event.id,
    node_id: nodeId('LE', event.id),
    url: `${repositoryUrl(state, pull.repo)}/issues/events/${event.id}`,
    actor: accountJson(state, event.actor),
    event: event.event,
    commit_id: event.commitId,
    commit_url: event.commitId === null ? null : `${repositoryUrl(state, pull.repo)}/commits/${event.commitId}`,
    created_at: time(event.at),
    performed_via_github_app: event.app === null ? null : appJson(state, event.app),
    ...(event.label === null ? {} : { label: { name: event.label.name, color: event.label.color } }),
    ...(event.event === 'closed' ? { state_reason: null } : {}),
  }
}
