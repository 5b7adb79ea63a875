import { ApiError, notFound } from '../api-error.ts'
import { pushCommit } from '../changes/pulls.ts'
import type { Blob } from '../commit-graph.ts'
import { accountJson } from '../resources/account.ts'
import { gitCommitJson } from '../resources/commit.ts'
import type { JsonObject } from '../resources/json.ts'
import { fullRepositoryJson, repositoryPage, repositoryUrl } from '../resources/repository.ts'
import {
  type Answer,
  author,
  base64Text,
  type Call,
  forbidden,
  mayAs,
  type Route,
  rawAnswer,
  repositoryOf,
  shaOf,
} from '../route.ts'
import { type PermissionLevel, type Repository, reaches, type State } from '../state.ts'

export const repositoryRoutes: readonly Route[] = [
  {
    operation: 'repos/get',
    needs: ['metadata:read'],
    answer: (call) => ({ status: 200, body: fullRepositoryJson(call.state, repositoryOf(call)) }),
  },
  { operation: 'repos/get-content', needs: ['contents:read'], answer: content },
  { operation: 'repos/create-or-update-file-contents', needs: ['contents:write'], person: 'read', answer: commitFile },
  {
    operation: 'repos/get-collaborator-permission-level',
    needs: ['metadata:read'],
    answer: (call) => {
      const { state } = call
      const repo = repositoryOf(call)
      const login = call.path['username'] ?? ''
      const account = state.accounts.get(login.toLowerCase())
      if (account === undefined) throw notFound()
      const role = state.roleOf(repo, account)
      return {
        status: 200,
        body: {
          permission: legacyPermission(role),
          role_name: role,
          user: { ...accountJson(state, account), permissions: permissionsOf(role), role_name: role },
        },
      }
    },
  },
]

/** A commit of one file: to the trunk and its branches by people with write access, to the head of a pull request by its author too. */
function commitFile(call: Call): Answer {
  const repo = repositoryOf(call)
  const given = call.body as { message: string; content: string; branch?: string; sha?: string }
  const branch = given.branch ?? repo.defaultBranch
  const { account } = author(call)
  const isHead = call.state.repositories.some((base) =>
    [...base.pulls.values()].some(
      ({ head, state, author: by }) => state === 'open' && by === account && head.repo === repo && head.ref === branch,
    ),
  )
  if (!isHead && !mayAs(call, repo, 'write')) throw forbidden()
  const before = repo.graph.get(repo.branches.get(branch) ?? '')
  if (before === undefined) throw new ApiError(404, `Branch ${branch} not found`)
  const path = call.path['path'] ?? ''
  const known = before.files.get(path)
  if (known !== undefined && given.sha === undefined)
    throw new ApiError(422, `Invalid request.\n\n"sha" wasn't supplied.`)
  if (given.sha !== undefined && given.sha !== known?.sha)
    throw new ApiError(409, `${path} does not match ${given.sha}`)
  const files = { [path]: Buffer.from(given.content, 'base64') }
  const commit = pushCommit(call, repo, { branch, files, message: given.message, author: account })
  return {
    status: known === undefined ? 201 : 200,
    body: {
      content: entryJson(call.state, repo, branch, path, commit.files.get(path)!, 'file'),
      commit: gitCommitJson(call.state, repo, commit),
    },
  }
}

/** `permission` knows four levels; `role_name` says which it really is. */
function legacyPermission(role: PermissionLevel): string {
  return role === 'maintain' ? 'write' : role === 'triage' ? 'read' : role
}

function permissionsOf(role: PermissionLevel): JsonObject {
  const has = (least: PermissionLevel) => reaches(role, least)
  return {
    pull: has('read'),
    triage: has('triage'),
    push: has('write'),
    maintain: has('maintain'),
    admin: has('admin'),
  }
}

/** Contents over 1 MB come without their text, those over 100 MB not at all. */
const maxInline = 1024 * 1024
const maxContent = 100 * 1024 * 1024

function content(call: Call): Answer {
  const repo = repositoryOf(call)
  const commit = repo.graph.get(shaOf(repo, String(call.query['ref'] ?? repo.defaultBranch)))
  const path = (call.path['path'] ?? '').replace(/\/$/, '')
  const file = commit?.files.get(path)
  const ref = String(call.query['ref'] ?? repo.defaultBranch)
  if (file !== undefined) {
    const raw = rawAnswer(call, file.content)
    if (raw !== null) return raw
    if (file.content.length > maxContent) throw notFound()
    const inline = file.content.length <= maxInline
    const text = inline ? base64Text(file.content) : ''
    return {
      status: 200,
      body: {
        ...entryJson(call.state, repo, ref, path, file, 'file'),
        content: text,
        encoding: inline ? 'base64' : 'none',
      },
    }
  }
  const prefix = path === '' ? '' : `${path}/`
  const inside = [...(commit?.files ?? [])].filter(([name]) => name.startsWith(prefix))
  if (inside.length === 0) throw notFound()
  const entries = new Map<string, JsonObject>()
  for (const [name, blob] of inside) {
    const [first = '', ...deeper] = name.slice(prefix.length).split('/')
    const kind = deeper.length > 0 ? 'dir' : 'file'
    entries.set(first, entryJson(call.state, repo, ref, prefix + first, blob, kind))
  }
  return { status: 200, body: [...entries.values()] }
}

function entryJson(
  state: State,
  repo: Repository,
  ref: string,
  path: string,
  blob: Blob,
  type: 'file' | 'dir',
): JsonObject {
  const url = `${repositoryUrl(state, repo)}/contents/${path}?ref=${ref}`
  const git = `${repositoryUrl(state, repo)}/git/${type === 'dir' ? 'trees' : 'blobs'}/${blob.sha}`
  const page = `${repositoryPage(state, repo)}/${type === 'dir' ? 'tree' : 'blob'}/${ref}/${path}`
  return {
    type,
    name: path.split('/').at(-1),
    path,
    sha: blob.sha,
    size: type === 'dir' ? 0 : blob.content.length,
    url,
    git_url: git,
    html_url: page,
    download_url: type === 'dir' ? null : `${repositoryPage(state, repo)}/raw/${ref}/${path}`,
    _links: { self: url, git, html: page },
  }
}
