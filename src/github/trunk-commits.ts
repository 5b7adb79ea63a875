import type { Octokit } from './octokit.ts'
import type { RepositoryRef } from './repository-ref.ts'

export interface TrunkCommit {
  readonly sha: string
  /** Of its committer, ISO 8601; empty where GitHub has none. */
  readonly committedAt: string
}

/** The latest commits of a branch, newest first, at most `count` of at most 100; none where the branch is not there. */
export async function listLatestCommits(
  octokit: Octokit,
  ref: RepositoryRef,
  branch: string,
  count: number,
): Promise<TrunkCommit[]> {
  try {
    const { data } = await octokit.rest.repos.listCommits({ ...ref, sha: branch, per_page: count })
    return data.map(({ sha, commit }) => ({ sha, committedAt: commit.committer?.date ?? '' }))
  } catch (error) {
    const { status } = error as { status?: number }
    // 409: the repository is empty.
    if (status === 404 || status === 409) return []
    throw error
  }
}
