import type { IncomingHttpHeaders } from 'node:http'
import { ApiError, notFound } from './api-error.ts'
import type { Actor, Authentication } from './auth.ts'
import type { BlobHost } from './blob-host.ts'
import type { QueryValues } from './contract.ts'
import type { RateLimiter } from './limits.ts'
import {
  type App,
  type CheckRun,
  type PermissionLevel,
  type PullRequest,
  type Repository,
  reaches,
  type WorkflowRun,
} from './state.ts'
import { type Author, appAuthor, type World } from './world.ts'

export interface Call extends World {
  readonly actor: Actor
  readonly path: Readonly<Record<string, string>>
  readonly query: QueryValues
  readonly body: unknown
  readonly headers: IncomingHttpHeaders
  /** The request's own address, without its query: what `Link` builds on. */
  readonly address: string
  readonly search: URLSearchParams
  readonly authentication: Authentication
  readonly limiter: RateLimiter
  readonly limitOwner: string
  readonly blobs: BlobHost
}

export interface Answer {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is, under its own media type, in place of `body`. */
  readonly raw?: { readonly content: Buffer; readonly type: string }
}

export interface Route {
  readonly operation: string
  /**
   * `app`: with the app's JWT; `installation`: with an installation's token and no permission; `any`: also without;
   * `user`: with a person's token; else one of these permissions on the repository.
   */
  readonly needs: 'app' | 'installation' | 'user' | 'any' | readonly string[]
  /** The role that a person needs to write with a token; without it only the App does this. What is read needs `read`. */
  readonly person?: PermissionLevel
  readonly answer: (call: Call) => Answer | Promise<Answer>
}

export function repositoryOf(call: Call): Repository {
  const repo = call.state.repository(call.path['owner'] ?? '', call.path['repo'] ?? '')
  if (repo === undefined) throw notFound()
  return repo
}

export function pullOf(call: Call, parameter: 'pull_number' | 'issue_number'): PullRequest {
  const pull = repositoryOf(call).pulls.get(Number(call.path[parameter]))
  if (pull === undefined) throw notFound()
  return pull
}

export function checkRunOf(call: Call): CheckRun {
  const id = Number(call.path['check_run_id'])
  const run = repositoryOf(call).checkRuns.find((known) => known.id === id)
  if (run === undefined) throw notFound()
  return run
}

export function workflowRunOf(call: Call): WorkflowRun {
  const id = Number(call.path['run_id'])
  const run = repositoryOf(call).workflowRuns.find((known) => known.id === id)
  if (run === undefined) throw notFound()
  return run
}

/** The commit that a sha, a branch, a tag or `heads/branch` names. */
export function shaOf(repo: Repository, ref: string): string {
  const name = ref.replace(/^(refs\/)?(heads|tags)\//, '')
  const sha = repo.branches.get(name) ?? repo.tags.get(name) ?? repo.graph.get(ref)?.sha
  if (sha === undefined) throw notFound()
  return sha
}

/** The bytes of a file alone; null: the request does not ask for them. */
export function rawAnswer({ headers }: Call, content: Buffer): Answer | null {
  if (!/\.raw(\+json)?\b/.test(headers.accept ?? '')) return null
  return { status: 200, raw: { content, type: 'application/vnd.github.raw+json; charset=utf-8' } }
}

/** In lines, as GitHub breaks them. */
export function base64Text(content: Buffer): string {
  return content.toString('base64').replace(/.{60}/g, '$&\n')
}

/** Whoever writes: an app, or a person. */
export function author(call: Call): Author {
  return call.actor.kind === 'user' ? { account: call.actor.account, app: null } : appAuthor(appOf(call))
}

/** The App, or that of a job's token. */
export function appOf({ actor, state }: Call): App {
  return actor.kind === 'installation' ? actor.app : state.app
}

/** Whether a person with this role may; the App's permissions were looked at before. */
export function mayAs({ actor, state }: Call, repo: Repository, role: PermissionLevel): boolean {
  return actor.kind !== 'user' || reaches(state.roleOf(repo, actor.account), role)
}

export function forbidden(): ApiError {
  return new ApiError(403, 'Must have write access to the repository.')
}

/** One page of a list, with `Link` to the others. */
export function paged<T>(call: Call, items: readonly T[], bodyOf: (page: T[]) => unknown): Answer {
  const size = Math.min(Math.max(Number(call.query['per_page'] ?? 30), 1), 100)
  const page = Math.max(Number(call.query['page'] ?? 1), 1)
  const last = Math.max(1, Math.ceil(items.length / size))
  const link = (to: number, rel: string): string => {
    const search = new URLSearchParams(call.search)
    search.set('page', String(to))
    return `<${call.address}?${search.toString()}>; rel="${rel}"`
  }
  const links = [
    ...(page > 1 ? [link(Math.min(page - 1, last), 'prev')] : []),
    ...(page < last ? [link(page + 1, 'next'), link(last, 'last')] : []),
    ...(page > 1 ? [link(1, 'first')] : []),
  ]
  return {
    status: 200,
    body: bodyOf(items.slice((page - 1) * size, page * size)),
    headers: links.length === 0 ? {} : { link: links.join(', ') },
  }
}
