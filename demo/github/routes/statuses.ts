import { ApiError } from '../api-error.ts'
import { createStatus } from '../changes/statuses.ts'
import { combinedStatusJson, statusJson } from '../resources/check.ts'
import { author, paged, type Route, repositoryOf, shaOf } from '../route.ts'
import type { Repository, Status } from '../state.ts'

export const statusRoutes: readonly Route[] = [
  {
    operation: 'repos/get-combined-status-for-ref',
    needs: ['statuses:read'],
    answer: (call) => {
      const repo = repositoryOf(call)
      const sha = shaOf(repo, call.path['ref'] ?? '')
      const newest = [...new Map(statusesOf(repo, sha).map((status) => [status.context, status])).values()]
      return paged(call, newest, (page) => combinedStatusJson(call.state, repo, sha, newest, page))
    },
  },
  {
    operation: 'repos/list-commit-statuses-for-ref',
    needs: ['statuses:read'],
    answer: (call) => {
      const repo = repositoryOf(call)
      const all = statusesOf(repo, shaOf(repo, call.path['ref'] ?? '')).toReversed()
      return paged(call, all, (page) => page.map((status) => statusJson(call.state, repo, status)))
    },
  },
  {
    operation: 'repos/create-commit-status',
    needs: ['statuses:write'],
    answer: (call) => {
      const repo = repositoryOf(call)
      const sha = call.path['sha'] ?? ''
      if (repo.graph.get(sha) === undefined) throw new ApiError(422, `No commit found for SHA: ${sha}`)
      const wanted = call.body as {
        state: Status['state']
        context?: string
        description?: string | null
        target_url?: string | null
      }
      const context = wanted.context ?? 'default'
      const same = statusesOf(repo, sha).filter((status) => status.context === context)
      if (same.length >= 1000) {
        throw new ApiError(422, 'Validation Failed', {
          errors: [{ message: 'This SHA and context has reached the maximum number of statuses.' }],
        })
      }
      const status = createStatus(call, repo, author(call), {
        sha,
        state: wanted.state,
        context,
        description: wanted.description ?? null,
        targetUrl: wanted.target_url ?? null,
      })
      return { status: 201, body: statusJson(call.state, repo, status) }
    },
  },
]

function statusesOf(repo: Repository, sha: string): Status[] {
  return repo.statuses.filter((status) => status.sha === sha)
}
