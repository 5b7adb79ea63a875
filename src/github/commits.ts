import type { Octokit, RepositoryRef } from './octokit.ts'

/** Where commits stand to each other, and who wrote one. */

export interface MergeBase {
  /** Full commit id. */
  readonly commit: string
  /** When it was committed, in milliseconds; null where GitHub does not say. */
  readonly time: number | null
}

/** Where head and base branch part; null when GitHub does not know one of them. */
export async function getMergeBase(
  octokit: Octokit,
  ref: RepositoryRef,
  base: string,
  head: string,
): Promise<MergeBase | null> {
  const found = (await compare(octokit, ref, base, head))?.merge_base_commit
  if (found === undefined) return null
  const time = Date.parse(found.commit.committer?.date ?? '')
  return { commit: found.sha, time: Number.isNaN(time) ? null : time }
}

/** How many commits `older` is before `newer`: 0 when they are the same, null when it is not an ancestor or unknown. */
export async function commitsBetween(
  octokit: Octokit,
  ref: RepositoryRef,
  older: string,
  newer: string,
): Promise<number | null> {
  if (newer.startsWith(older)) return 0
  const comparison = await compare(octokit, ref, older, newer)
  if (comparison?.status === 'identical') return 0
  return comparison?.status === 'ahead' ? comparison.ahead_by : null
}

/** Whether a commit was built on another one, or is it; null: GitHub does not know one of them. */
export async function holds(
  octokit: Octokit,
  ref: RepositoryRef,
  commit: string,
  other: string,
): Promise<boolean | null> {
  const comparison = await compare(octokit, ref, other, commit)
  return comparison === null ? null : comparison.status === 'ahead' || comparison.status === 'identical'
}

async function compare(octokit: Octokit, ref: RepositoryRef, base: string, head: string) {
  try {
    const { data } = await octokit.rest.repos.compareCommitsWithBasehead({
      ...ref,
      basehead: `${base}...${head}`,
      // The list of commits, the long part of the answer, is not wanted.
      per_page: 1,
    })
    return data
  } catch (error) {
    const { status } = error as { status?: number }
    if (status === 404 || status === 422) return null
    throw error
  }
}

/** The login of a commit's author, else the name that the commit states; null where GitHub knows neither. */
export async function authorOfCommit(octokit: Octokit, ref: RepositoryRef, sha: string): Promise<string | null> {
  const data = await getCommit(octokit, ref, sha)
  if (data === null) return null
  const login = data.author !== null && 'login' in data.author ? data.author.login : null
  return login ?? data.commit.author?.name ?? null
}

/** The parents of a commit, the first one first; null: GitHub does not know it. */
export async function parentsOfCommit(
  octokit: Octokit,
  ref: RepositoryRef,
  sha: string,
): Promise<readonly string[] | null> {
  return (await getCommit(octokit, ref, sha))?.parents.map((parent) => parent.sha) ?? null
}

async function getCommit(octokit: Octokit, ref: RepositoryRef, sha: string) {
  try {
    return (await octokit.rest.repos.getCommit({ ...ref, ref: sha, per_page: 1 })).data
  } catch (error) {
    const { status } = error as { status?: number }
    if (status === 404 || status === 422) return null
    throw error
  }
}

export interface TrunkCommit {
  readonly sha: string
  /** The committer's time, ISO 8601; empty where GitHub has none. */
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
