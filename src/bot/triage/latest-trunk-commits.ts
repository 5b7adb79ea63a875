import type { Logger } from 'pino'
import { listLatestCommits, type TrunkCommit } from '../../github/commits.ts'
import type { Octokit, RepositoryRef } from '../../github/octokit.ts'
import type { ResultsTakenIn } from './ci-intake.ts'

/** Commits that are looked at again every hour: one of their checks may be started again, or a nightly one begin. */
export const LATEST_COMMITS = 20

/**
 * Commits that are looked at until they are settled, in one list of GitHub's: two days of a trunk that gets fifty a day. A
 * check ends hours after its commit, when the next ones have long come.
 */
export const MOST_COMMITS = 100

/** How long a commit whose checks have all ended is left alone. */
const SETTLED_FOR_MS = 3600_000

/** How long after the last event of a commit its checks are waited for. */
export const PATIENCE_MS = 6 * 3600_000

export interface LatestCommitsOf {
  readonly octokit: Octokit
  readonly ref: RepositoryRef
  readonly branch: string
  readonly taken: ResultsTakenIn
  /** The key by which a settled commit is remembered in `taken`. */
  readonly keyOf: (sha: string) => string
  readonly log: Logger
}

/**
 * The commits of the trunk that have to be looked at, newest first: of the latest `MOST_COMMITS` those that are not settled,
 * of the latest `LATEST_COMMITS` also those that were settled an hour ago. Where there may be more that nobody has looked
 * at, at the first time after a start or because so many came at once, the log says so. `now` in milliseconds.
 */
export async function latestTrunkCommits(
  { octokit, ref, branch, taken, keyOf, log }: LatestCommitsOf,
  now: number,
): Promise<TrunkCommit[]> {
  const commits = await listLatestCommits(octokit, ref, branch, MOST_COMMITS)
  const oldest = commits.at(-1)
  if (commits.length === MOST_COMMITS && oldest !== undefined && taken.get(keyOf(oldest.sha)) === undefined) {
    log.warn(
      { branch, commits: MOST_COMMITS, oldest: oldest.sha },
      'only the latest commits of the main branch are read: runs on older ones that are not stored yet are left out',
    )
  }
  return commits.filter(({ sha }, index) => {
    const at = taken.get(keyOf(sha))
    return at === undefined || (index < LATEST_COMMITS && now - at >= SETTLED_FOR_MS)
  })
}
