import type { WindowCommit, WindowCommits } from '../judge/bisect/bisect-window.ts'
import type { TitledCommit } from '../judge/ledger/failure.ts'
import { commitTitle, pullRequestOfTitle } from '../text/commits.ts'
import type { Octokit, RepositoryRef } from './octokit.ts'

/** The commits between two commits, with their titles and files, for bisect windows. */

const PER_PAGE = 100
/** Commits that are listed, ten pages. A window with more of them names no commit, only their number. */
export const MOST_COMMITS = 1000
/** Commits whose files are asked for, a call each. With more of them nobody knows the files of any. */
export const MOST_WITH_FILES = 30
/** GitHub lists so many files of a commit and more only on further pages: what reaches a thousand directories is code. */
const MOST_FILES = 300
const LONGEST_TITLE = 300

/** A commit as GitHub's comparison lists it. */
interface Listed {
  readonly sha: string
  readonly title: string
  readonly pullRequestNumber: number | null
  readonly firstParent: string | null
  /** Milliseconds; null where the commit says none. */
  readonly time: number | null
}

/**
 * The commits of `(base, head]` on the line of first parents, oldest first: on the trunk the merges and squashes, not what
 * was inside the branches that they merged. Null where GitHub does not know one of the two, or `base` is not before `head`.
 *
 * Of more than `MOST_COMMITS` only the number, which then counts commits inside merged branches as well. The calls are one
 * for 100 commits and one for each commit of up to `MOST_WITH_FILES`.
 */
export async function commitRange(
  octokit: Octokit,
  ref: RepositoryRef,
  base: string,
  head: string,
): Promise<WindowCommits | null> {
  const all = await listCommits(octokit, ref, base, head)
  if (all === null) return null
  if (all.commits === null) return { total: all.total, listed: [] }
  const trunk = firstParents(all.commits, head)
  if (trunk === null) return { total: all.total, listed: [] }
  const withFiles = trunk.length <= MOST_WITH_FILES
  const listed: WindowCommit[] = []
  // Pages are read one after the other: GitHub asks for no parallel calls.
  for (const { sha, title, pullRequestNumber } of trunk) {
    const files = withFiles ? await filesOf(octokit, ref, sha) : null
    listed.push({ sha, title, files, pullRequestNumber })
  }
  return { total: listed.length, listed }
}

/**
 * The full ids of the commits on the line of first parents from `base` to `head`, both included, oldest first: the trunk
 * between two of its commits. `head` is a full id. Null where GitHub does not know one of the two, `base` is not on that
 * line, or more than `MOST_COMMITS` lie between: then nobody can say of a commit that it is not among them.
 */
export async function commitLine(
  octokit: Octokit,
  ref: RepositoryRef,
  base: string,
  head: string,
): Promise<readonly string[] | null> {
  const all = await listCommits(octokit, ref, base, head)
  if (all === null || all.commits === null) return null
  const line = firstParents(all.commits, head)
  if (line === null) return null
  const [first] = line
  if (first === undefined) return [head]
  if (first.firstParent === null || !first.firstParent.startsWith(base)) return null
  return [first.firstParent, ...line.map(({ sha }) => sha)]
}

/**
 * What the trunk's commits of `(base, head]` are for, oldest first. Null where GitHub does not know one of the two, `base` is not before
 * `head`, or more than `MOST_COMMITS` lie between. A call for 100 commits.
 */
export async function commitTitles(
  octokit: Octokit,
  ref: RepositoryRef,
  base: string,
  head: string,
): Promise<readonly TitledCommit[] | null> {
  const all = await listCommits(octokit, ref, base, head)
  const line = all === null || all.commits === null ? null : firstParents(all.commits, head)
  return line === null
    ? null
    : line.flatMap(({ title, pullRequestNumber, time }) => (time === null ? [] : [{ title, pullRequestNumber, time }]))
}

/** `commits` null: too many. */
async function listCommits(
  octokit: Octokit,
  ref: RepositoryRef,
  base: string,
  head: string,
): Promise<{ readonly total: number; readonly commits: readonly Listed[] | null } | null> {
  const commits: Listed[] = []
  for (let page = 1; ; page += 1) {
    const data = await comparePage(octokit, ref, base, head, page)
    if (data === null || data.status === 'behind' || data.status === 'diverged') return null
    const total = data.total_commits
    if (total > MOST_COMMITS) return { total, commits: null }
    for (const { sha, commit, parents } of data.commits) {
      const time = Date.parse(commit.committer?.date ?? '')
      commits.push({
        sha,
        ...saidBy(commit.message),
        firstParent: parents[0]?.sha ?? null,
        time: Number.isNaN(time) ? null : time,
      })
    }
    if (commits.length >= total) return { total, commits }
    // Fewer than were promised: the list has a hole, and a window must not.
    if (data.commits.length === 0 || page * PER_PAGE >= MOST_COMMITS) return { total, commits: null }
  }
}

async function comparePage(octokit: Octokit, ref: RepositoryRef, base: string, head: string, page: number) {
  try {
    const { data } = await octokit.rest.repos.compareCommitsWithBasehead({
      ...ref,
      basehead: `${base}...${head}`,
      per_page: PER_PAGE,
      page,
    })
    return data
  } catch (error) {
    if (isUnknown(error)) return null
    throw error
  }
}

/** The line is followed from the head down to the base, then turned round; null where the head is not among the commits. */
function firstParents(commits: readonly Listed[], head: string): readonly Listed[] | null {
  if (commits.length === 0) return []
  const bySha = new Map(commits.map((commit) => [commit.sha, commit]))
  const line: Listed[] = []
  let next = bySha.get(head)
  // A commit is taken out once it is on the line: what comes from outside may not go in circles.
  while (next !== undefined) {
    line.push(next)
    bySha.delete(next.sha)
    next = next.firstParent === null ? undefined : bySha.get(next.firstParent)
  }
  return line.length === 0 ? null : line.reverse()
}

async function filesOf(octokit: Octokit, ref: RepositoryRef, sha: string): Promise<readonly string[] | null> {
  try {
    const { data } = await octokit.rest.repos.getCommit({ ...ref, ref: sha })
    const files = data.files ?? []
    if (files.length >= MOST_FILES) return null
    // A renamed file leaves its old place as well.
    return files.flatMap(({ filename, previous_filename: previous }) =>
      previous === undefined ? [filename] : [filename, previous],
    )
  } catch (error) {
    if (isUnknown(error)) return null
    throw error
  }
}

function isUnknown(error: unknown): boolean {
  const { status } = error as { status?: number }
  return status === 404 || status === 422
}

function saidBy(message: string): Pick<Listed, 'title' | 'pullRequestNumber'> {
  const [subject = '', ...body] = message.split('\n')
  return {
    title: commitTitle(subject, body.join('\n')).slice(0, LONGEST_TITLE).toWellFormed(),
    pullRequestNumber: pullRequestOfTitle(subject),
  }
}
