import { randomUUID } from 'node:crypto'
import type { WindowCommit, WindowCommits } from '../../judge/bisect/bisect-window.ts'
import { commitTitle, pullRequestOfTitle } from '../../text/commits.ts'
import { GIT_LIMITS, type GitLimits, GitProblem, git } from './git-command.ts'

/** Commits that are listed; of more there is only the number. */
export const MOST_COMMITS = 1000
const MOST_FILES = 10_000
const LONGEST_TITLE = 300

/** Why a clone has no list of commits for a window. */
export type CloneRange =
  | { readonly commits: WindowCommits }
  /** This commit is not in the clone, or is no commit id. */
  | { readonly missing: string }
  /** Both are there, and the first is not an ancestor of the second. */
  | { readonly unrelated: true }

/**
 * The commits of `(good, bad]` on the line of first parents in a local clone, oldest first, with their files: of a merge
 * what it brought to its first parent. Of more than `MOST_COMMITS` only the number. Throws `GitProblem` where the folder is
 * no clone or git can't be run.
 */
export async function cloneRange(
  folder: string,
  good: string,
  bad: string,
  limits: GitLimits = GIT_LIMITS,
): Promise<CloneRange> {
  const clone = await git(folder, ['rev-parse', '--git-dir'], limits)
  if (clone.code !== 0) throw problemOf(folder, clone.errors)
  for (const commit of [good, bad]) {
    if (!/^[0-9a-f]{7,64}$/.test(commit)) return { missing: commit }
    if (!(await hasCommit(folder, commit, limits))) return { missing: commit }
  }
  const ancestor = await git(folder, ['merge-base', '--is-ancestor', good, bad], limits)
  if (ancestor.code === 1) return { unrelated: true }
  if (ancestor.code !== 0) throw problemOf(folder, ancestor.errors)

  const range = ['--first-parent', '--end-of-options', `${good}..${bad}`, '--']
  const counted = await git(folder, ['rev-list', '--count', ...range], limits)
  const total = Number(counted.output.trim())
  if (counted.code !== 0 || !Number.isSafeInteger(total)) throw problemOf(folder, counted.errors)
  if (total > MOST_COMMITS) return { commits: { total, listed: [] } }

  // A file's name can hold anything but a NUL, so what starts a commit must be known to nobody.
  const start = randomUUID()
  const log = await git(
    folder,
    [
      'log',
      '--reverse',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
      '--no-renames',
      '--ignore-submodules=none',
      '--diff-merges=first-parent',
      '--name-only',
      '-z',
      `--format=tformat:${start}%H%x00%s%x00%b%x00`,
      ...range,
    ],
    limits,
  )
  if (log.code !== 0) throw problemOf(folder, log.errors)
  const listed = readLog(log.output, start)
  return { commits: { total, listed } }
}

async function hasCommit(folder: string, commit: string, limits: GitLimits): Promise<boolean> {
  return (await resolve(folder, commit, limits)).code === 0
}

/** The full id of a commit whose beginning is known; the same where the clone does not know it, or not which one it is. */
export async function fullCommit(folder: string, commit: string, limits: GitLimits = GIT_LIMITS): Promise<string> {
  if (!/^[0-9a-f]{7,39}$/.test(commit)) return commit
  const found = await resolve(folder, commit, limits)
  return found.code === 0 ? found.output.trim() : commit
}

async function resolve(folder: string, commit: string, limits: GitLimits) {
  return await git(folder, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{commit}`], limits)
}

function problemOf(folder: string, errors: string): GitProblem {
  const line = errors.split('\n', 1)[0]?.replace(/^(?:fatal|error): /, '') ?? ''
  if (/^cannot change to|^not a git repository/.test(line))
    return new GitProblem(`${folder}: not a clone of a repository`)
  return new GitProblem(`${folder}: git says: ${line.slice(0, 300)}`)
}

/** Fields that end with a NUL: id, first line, body, then the files. */
function readLog(output: string, start: string): WindowCommit[] {
  const commits: WindowCommit[] = []
  for (const part of output.split(start).slice(1)) {
    const [sha = '', subject = '', body = '', ...rest] = part.split('\0')
    // Git puts an empty field and a line end before the first file.
    const first = rest.findIndex((path) => path !== '')
    const files = rest
      .map((path, index) => (index === first ? path.replace(/^\n/, '') : path))
      .filter((path) => path !== '')
    commits.push({
      sha,
      title: commitTitle(subject, body).slice(0, LONGEST_TITLE).toWellFormed(),
      files: files.length > MOST_FILES ? null : files,
      pullRequestNumber: pullRequestOfTitle(subject),
    })
  }
  return commits
}
