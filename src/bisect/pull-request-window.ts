import { DEFAULT_INERT_PATHS, InertPaths } from './binary-paths.ts'
import { isFunctional } from './bisect-window.ts'
import { bisectionSteps } from './plan.ts'
import type { WindowCommit } from './window.ts'

/** Where in a pull request of several commits to look for the one that made a query slower. */
export interface PullRequestWindow {
  /** Its commits, oldest first: the slowdown came with one of them, if the pull request brought it. */
  readonly commits: readonly WindowCommit[]
  /** Those that can change the binary. */
  readonly functional: readonly WindowCommit[]
  readonly setAside: number
  /** Builds that find the commit among the functional ones. */
  readonly steps: number
  /** The commit to build first; null where one or none is left. */
  readonly middle: string | null
  /**
   * Functional commits that touch a file on the query's path; null: the query's files are not known, which says nothing of
   * any commit. A commit whose own files are not known is not among them: see `filesUnknown`.
   */
  readonly onPath: readonly WindowCommit[] | null
  /** Commits of which nobody knows the files. */
  readonly filesUnknown: number
}

/**
 * The window inside a pull request. `commits`: all of them, oldest first. `pathsOfQuery`: files of the repository in which
 * the functions of the query's profile are, as the repository names them; null where there is no profile.
 */
export function pullRequestWindow(
  commits: readonly WindowCommit[],
  pathsOfQuery: readonly string[] | null,
  inertPaths: InertPaths = new InertPaths(DEFAULT_INERT_PATHS),
): PullRequestWindow {
  const functional = commits.filter((commit) => isFunctional(commit, inertPaths))
  const paths = pathsOfQuery === null ? null : new Set(pathsOfQuery)
  const half = Math.floor(functional.length / 2) - 1
  return {
    commits,
    functional,
    setAside: commits.length - functional.length,
    steps: bisectionSteps(functional.length),
    middle: functional[half]?.sha ?? null,
    onPath: paths === null ? null : functional.filter(({ files }) => files?.some((path) => paths.has(path)) ?? false),
    filesUnknown: commits.filter(({ files }) => files === null).length,
  }
}
