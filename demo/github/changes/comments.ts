import { accountJson } from '../resources/account.ts'
import { commentJson } from '../resources/comment.ts'
import { pullAsIssueJson } from '../resources/issue.ts'
import type { Comment, PullRequest } from '../state.ts'
import type { Author, World } from '../world.ts'

export function createComment(world: World, pull: PullRequest, by: Author, body: string): Comment {
  const { state } = world
  const now = state.now()
  const comment: Comment = {
    id: state.id('comment'),
    pull,
    author: by.account,
    app: by.app,
    body,
    createdAt: now,
    updatedAt: now,
    reactions: [],
  }
  pull.comments.push(comment)
  pull.updatedAt = now
  tell(world, 'created', comment, by, {})
  return comment
}

export function editComment(world: World, comment: Comment, by: Author, body: string): void {
  const before = comment.body
  comment.body = body
  comment.updatedAt = world.state.now()
  comment.pull.updatedAt = comment.updatedAt
  tell(world, 'edited', comment, by, { changes: { body: { from: before } } })
}

export function deleteComment(world: World, comment: Comment, by: Author): void {
  const { comments } = comment.pull
  comments.splice(comments.indexOf(comment), 1)
  comment.pull.updatedAt = world.state.now()
  tell(world, 'deleted', comment, by, {})
}

function tell(world: World, action: string, comment: Comment, by: Author, more: Record<string, unknown>): void {
  const { state } = world
  world.webhooks.emit('issue_comment', action, comment.pull.repo, by.account, {
    ...more,
    issue: { ...pullAsIssueJson(state, comment.pull), user: accountJson(state, comment.pull.author) },
    comment: commentJson(state, comment),
  })
}
