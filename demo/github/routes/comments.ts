import { ApiError, notFound, validationFailed } from '../api-error.ts'
import { createComment, deleteComment, editComment } from '../changes/comments.ts'
import { characters } from '../characters.ts'
import { accountJson } from '../resources/account.ts'
import { commentJson, issueEventJson } from '../resources/comment.ts'
import { type JsonObject, nodeId, time } from '../resources/json.ts'
import { appOf, author, type Call, forbidden, mayAs, paged, pullOf, type Route, repositoryOf } from '../route.ts'
import type { Comment, State } from '../state.ts'

const read = ['issues:read', 'pull_requests:read']
const write = ['issues:write', 'pull_requests:write']

export const commentRoutes: readonly Route[] = [
  {
    operation: 'issues/list-comments',
    needs: read,
    answer: (call) => {
      const since = call.query['since']
      const all = pullOf(call, 'issue_number').comments.filter(
        (comment) => since === undefined || comment.updatedAt.getTime() >= Date.parse(String(since)),
      )
      return paged(call, all, (page) => page.map((comment) => commentJson(call.state, comment)))
    },
  },
  {
    operation: 'issues/get-comment',
    needs: read,
    answer: (call) => ({ status: 200, body: commentJson(call.state, commentOf(call)) }),
  },
  {
    operation: 'issues/create-comment',
    needs: write,
    person: 'read',
    answer: (call) => {
      const comment = createComment(call, pullOf(call, 'issue_number'), author(call), bodyOf(call))
      return { status: 201, body: commentJson(call.state, comment) }
    },
  },
  {
    operation: 'issues/update-comment',
    needs: write,
    person: 'read',
    answer: (call) => {
      const comment = ownComment(call)
      editComment(call, comment, author(call), bodyOf(call))
      return { status: 200, body: commentJson(call.state, comment) }
    },
  },
  {
    operation: 'issues/delete-comment',
    needs: write,
    person: 'read',
    answer: (call) => {
      deleteComment(call, deletable(call), author(call))
      return { status: 204 }
    },
  },
  {
    operation: 'reactions/create-for-issue-comment',
    needs: write,
    person: 'read',
    answer: (call) => {
      const { state } = call
      const { content } = call.body as { content: string }
      const comment = commentOf(call)
      const user = author(call).account
      const found = comment.reactions.find((known) => known.user === user && known.content === content)
      const reaction = found ?? { id: state.id('reaction'), user, content, at: state.now() }
      if (found === undefined) comment.reactions.push(reaction)
      return {
        status: found === undefined ? 201 : 200,
        body: reactionJson(state, reaction),
      }
    },
  },
  {
    operation: 'reactions/list-for-issue-comment',
    needs: read,
    answer: (call) =>
      paged(call, commentOf(call).reactions, (page) => page.map((reaction) => reactionJson(call.state, reaction))),
  },
  {
    operation: 'issues/list-events',
    needs: read,
    answer: (call) => {
      const pull = pullOf(call, 'issue_number')
      return paged(call, pull.events, (page) => page.map((event) => issueEventJson(call.state, pull, event)))
    },
  },
  {
    operation: 'issues/list-events-for-timeline',
    needs: read,
    answer: (call) => {
      const { state } = call
      const pull = pullOf(call, 'issue_number')
      const entries = [
        ...pull.events.map((event) => ({ at: event.at, json: issueEventJson(state, pull, event) })),
        ...pull.comments.map((comment) => ({
          at: comment.createdAt,
          json: { ...commentJson(state, comment), event: 'commented', actor: accountJson(state, comment.author) },
        })),
      ].toSorted((a, b) => a.at.getTime() - b.at.getTime())
      return paged(call, entries, (page) => page.map((entry) => entry.json))
    },
  },
]

/** What GitHub's message says; measured limits differ and are never lower. */
const maxBodyCharacters = 65_536

function bodyOf(call: Call): string {
  const { body } = call.body as { body: string }
  if (body.trim() === '') {
    throw validationFailed({ resource: 'IssueComment', code: 'missing_field', field: 'body' })
  }
  if (characters(body) > maxBodyCharacters) {
    throw validationFailed({
      resource: 'IssueComment',
      code: 'unprocessable',
      field: 'data',
      message: `Body is too long (maximum is ${maxBodyCharacters} characters)`,
    })
  }
  return body
}

function commentOf(call: Call): Comment {
  const id = Number(call.path['comment_id'])
  for (const pull of repositoryOf(call).pulls.values()) {
    const found = pull.comments.find((comment) => comment.id === id)
    if (found !== undefined) return found
  }
  throw notFound()
}

/** An app may edit its own comments only; a person those too that they may delete. */
function ownComment(call: Call): Comment {
  if (call.actor.kind === 'user') return deletable(call)
  const comment = commentOf(call)
  if (comment.app !== appOf(call)) throw new ApiError(403, 'Resource not accessible by integration')
  return comment
}

/** A person may change their own comments, and with write access those of others. */
function deletable(call: Call): Comment {
  const comment = commentOf(call)
  const isTheirs = call.actor.kind === 'user' && comment.author === call.actor.account
  if (!isTheirs && !mayAs(call, comment.pull.repo, 'write')) throw forbidden()
  return comment
}

function reactionJson(state: State, { id, user, content, at }: Comment['reactions'][number]): JsonObject {
  return { id, node_id: nodeId('REA', id), user: accountJson(state, user), content, created_at: time(at) }
}
