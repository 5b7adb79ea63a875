import type { Octokit, RepositoryRef } from './octokit.ts'
import type { Account } from './people.ts'

/** Pull requests as GitHub has them now, and those that a commit is the head of. */

export interface PullRequest {
  readonly number: number
  readonly title: string
  readonly isOpen: boolean
  /** The commit by which it is on its base; null: it was not merged. */
  readonly mergeCommit: string | null
  /** Null for an account that is gone. */
  readonly author: Pick<Account, 'id' | 'login'> | null
  /** Milliseconds. */
  readonly openedAt: number
  /** Full commit id. */
  readonly head: string
  /** `owner/name` of the repository that the head is in; empty when that is gone. */
  readonly headRepo: string
  readonly headRef: string
  readonly baseRef: string
  /** Tip of the base branch as GitHub last saw it for this pull request. */
  readonly baseSha: string
  /** How many commits it has, those of merges into it included. */
  readonly commits: number
  readonly repository: {
    readonly id: number
    readonly owner: string
    readonly name: string
    readonly isPrivate: boolean
    readonly isArchived: boolean
    readonly defaultBranch: string
    readonly url: string
  }
}

/** Null when there is no such pull request, or none that the App may see. */
export async function getPullRequest(
  octokit: Octokit,
  ref: RepositoryRef,
  number: number,
): Promise<PullRequest | null> {
  const response = await octokit.rest.pulls.get({ ...ref, pull_number: number }).catch((error: unknown) => {
    if ((error as { status?: number }).status === 404) return null
    throw error
  })
  if (response === null) return null
  const { data } = response
  const { repo } = data.base
  const author = data.user as typeof data.user | null
  return {
    number: data.number,
    title: data.title,
    isOpen: data.state === 'open',
    // GitHub gives an open one the commit of a trial merge.
    mergeCommit: data.merged ? data.merge_commit_sha : null,
    author: author === null ? null : { id: author.id, login: author.login },
    openedAt: Date.parse(data.created_at),
    head: data.head.sha,
    // GitHub says null for a fork that was deleted, whatever its types say.
    headRepo: (data.head.repo as typeof data.head.repo | null)?.full_name ?? '',
    headRef: data.head.ref,
    baseRef: data.base.ref,
    baseSha: data.base.sha,
    commits: data.commits,
    repository: {
      id: repo.id,
      owner: repo.owner.login,
      name: repo.name,
      isPrivate: repo.private,
      isArchived: repo.archived ?? false,
      defaultBranch: repo.default_branch,
      url: repo.html_url,
    },
  }
}

/** An open pull request as GitHub lists it. */
export interface OpenPull {
  readonly number: number
  /** Full commit id. */
  readonly head: string
  readonly headRef: string
  /** Null: that repository is gone. */
  readonly headRepositoryId: number | null
}

/**
 * The open pull requests from a branch, `owner:branch`. GitHub compares neither the case nor the repository: an account may have two forks of
 * one network.
 */
export async function listOpenPullsOf(
  octokit: Octokit,
  ref: RepositoryRef,
  headLabel: string,
): Promise<readonly OpenPull[]> {
  const pulls = await octokit.paginate(octokit.rest.pulls.list, {
    ...ref,
    state: 'open',
    head: headLabel,
    per_page: 100,
  })
  return pulls.map(({ number, head }) => ({
    number,
    head: head.sha,
    headRef: head.ref,
    // GitHub says null for a fork that was deleted, whatever its types say.
    headRepositoryId: (head.repo as typeof head.repo | null)?.id ?? null,
  }))
}

/** Pages of open pull requests looked through for a head that nothing else leads to. */
const SEARCHED_PAGES = 10

/**
 * The open pull requests whose head is this commit. Events of forks name no pull request, so it is looked for from the
 * cheapest to the dearest way: by the branch that the event names, by the commit, among the recently updated ones.
 */
export async function findOpenPullRequests(
  octokit: Octokit,
  ref: RepositoryRef,
  head: string,
  headLabel: string | null,
): Promise<number[]> {
  const ofHead = (pulls: readonly { number: number; state: string; head: { sha: string } }[]) =>
    pulls.filter(({ state, head: { sha } }) => state === 'open' && sha === head).map(({ number }) => number)

  if (headLabel !== null) {
    const { data } = await octokit.rest.pulls.list({ ...ref, state: 'open', head: headLabel, per_page: 100 })
    const found = ofHead(data)
    if (found.length > 0) return found
  }
  const byCommit = await octokit.rest.repos
    .listPullRequestsAssociatedWithCommit({ ...ref, commit_sha: head, per_page: 100 })
    .then(({ data }) => ofHead(data))
    .catch(nothingIfUnknown)
  if (byCommit.length > 0) return byCommit

  let page = 0
  const pages = octokit.paginate.iterator(octokit.rest.pulls.list, {
    ...ref,
    state: 'open',
    sort: 'updated',
    direction: 'desc',
    per_page: 100,
  })
  for await (const { data } of pages) {
    const found = ofHead(data)
    if (found.length > 0) return found
    page += 1
    if (page >= SEARCHED_PAGES) break
  }
  return []
}

/** A fork's commit is unknown to the base repository: 404 or 422, "No commit found". */
function nothingIfUnknown(error: unknown): number[] {
  const { status } = error as { status?: number }
  if (status === 404 || status === 422) return []
  throw error
}
