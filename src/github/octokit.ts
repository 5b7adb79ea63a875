import type { ProbotOctokit } from 'probot'

/** The client for GitHub's API, with pagination, retries and pacing. */
export type Octokit = ProbotOctokit
