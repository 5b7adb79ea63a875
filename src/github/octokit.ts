import type { Octokit as Core } from '@octokit/core'
import type { PaginateInterface } from '@octokit/plugin-paginate-rest'
import type { Api } from '@octokit/plugin-rest-endpoint-methods'

/** The client for GitHub's API, with pagination, retries and pacing: the App's, or that of a job. */
export type Octokit = Core & Api & { readonly paginate: PaginateInterface }

/**
 * GitHub's time of an answer, in milliseconds and whole seconds, like the times of comments: what people see is ordered by one clock. Without
 * the header it is ours.
 */
export function timeOf({ date }: { readonly date?: string }): number {
  const at = Date.parse(date ?? '')
  return Number.isNaN(at) ? Date.now() : at
}

/** How GitHub's API addresses a repository. The numeric id is what we store: names change. */
export interface RepositoryRef {
  readonly owner: string
  readonly repo: string
}

/** Missing permission, no such repository any more, issues disabled; not a rate limit, which is a 403 as well. */
export function isRefused(error: unknown): boolean {
  const { status, message, response } = error as {
    readonly status?: number
    readonly message?: string
    readonly response?: { readonly headers?: Readonly<Record<string, string | number | undefined>> }
  }
  if (status === 404 || status === 410) return true
  if (status !== 403) return false
  const headers = response?.headers ?? {}
  const isLimited = headers['retry-after'] !== undefined || String(headers['x-ratelimit-remaining']) === '0'
  return !isLimited && !/rate limit/i.test(message ?? '')
}
