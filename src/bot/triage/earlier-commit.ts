import { commitLine } from '../../github/commit-range.ts'
import type { PublishContext } from './publish.ts'

/** Against which build a run of the trunk was measured, as its history has it. */

/**
 * Commits of the trunk by which the old build of one of its runs may be older: it is the newest one that had a build when
 * the run began, and builds may fail for a day.
 *
 * In the history: a run against the commit before, or one 30 commits ago. Not: against the last release, on a branch of its
 * own or 400 commits ago, which says nothing of what a query moves by from one commit to the next.
 */
export const MOST_COMMITS_BETWEEN = 100

/** The full id of the old build where it is a commit of the trunk shortly before `sha`; null where it is not. */
export async function earlierCommit(
  { octokit, ref, log }: Pick<PublishContext, 'octokit' | 'ref' | 'log'>,
  oldCommit: string | null,
  sha: string,
): Promise<string | null> {
  if (oldCommit === null) return null
  const line = await commitLine(octokit, ref, oldCommit, sha)
  const between = line === null ? 0 : line.length - 1
  if (line !== null && between > 0 && between <= MOST_COMMITS_BETWEEN) return line[0]!
  log.info(
    { oldCommit, sha },
    'a run that was not compared with an earlier commit of the main branch is left out of its history',
  )
  return null
}
