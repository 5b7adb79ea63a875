import { Octokit as Core } from '@octokit/core'
import { paginateRest } from '@octokit/plugin-paginate-rest'
import { restEndpointMethods } from '@octokit/plugin-rest-endpoint-methods'
import { retry } from '@octokit/plugin-retry'
import { throttling } from '@octokit/plugin-throttling'
import { boundedFetch, CALL_LIMITS } from './bounded-fetch.ts'
import type { AppIdentity } from './github-app.ts'
import type { Octokit } from './octokit.ts'

/** The client of a job of GitHub Actions: one token, one repository, no App. */

/**
 * Whose writes those of a job's token are. Such a token can't ask (`GET /app`); an Enterprise Server has another number, which the check
 * runs of its workflows tell.
 */
export const JOB_IDENTITY: AppIdentity = {
  appId: 15_368,
  slug: 'github-actions',
  botLogin: 'github-actions[bot]',
}

/** Longest pause that is waited for inside a call: a job waits for nothing else meanwhile. */
const LONGEST_PAUSE_SECONDS = 60
const RATE_LIMIT_RETRIES = 2

const JobOctokit = Core.plugin(throttling, retry, paginateRest, restEndpointMethods)

export interface JobClientOptions {
  /** `GITHUB_TOKEN` of the job. */
  readonly token: string
  /** `https://api.github.com`, or `https://host/api/v3` of an Enterprise Server. */
  readonly apiUrl: string
  /** False only against a local GitHub, which may be asked as often as one likes. */
  readonly paced?: boolean
  /** Ends every call that is under way. */
  readonly stopping: AbortSignal
}

/** A client with the rights of a job's token; its writes are paced as GitHub asks for. */
export function createJobClient({ token, apiUrl, paced = true, stopping }: JobClientOptions): Octokit {
  const patient = (retryAfter: number, _options: unknown, _octokit: unknown, retries: number) =>
    retries < RATE_LIMIT_RETRIES && retryAfter <= LONGEST_PAUSE_SECONDS
  const quiet = () => {}
  return new JobOctokit({
    auth: token,
    baseUrl: apiUrl,
    userAgent: 'perf-triage',
    throttle: { enabled: paced, onRateLimit: patient, onSecondaryRateLimit: patient },
    request: { fetch: boundedFetch(CALL_LIMITS, stopping) },
    // What it would log holds the names of others, and a job's log reads commands.
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  })
}
