import type { ProbotOctokit } from 'probot'

/** The client for GitHub's API, with pagination, retries and pacing. */
export type Octokit = ProbotOctokit

/**
 * GitHub's time of an answer, in milliseconds and whole seconds, like the times of comments: what people see is ordered by one clock. Without
 * the header it is ours.
 */
export function timeOf({ date }: { readonly date?: string }): number {
  const at = Date.parse(date ?? '')
  return Number.isNaN(at) ? Date.now() : at
}
