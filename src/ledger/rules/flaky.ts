import { isOwn } from '../row-origin.ts'
import { isSilent } from '../silent-failure.ts'
import type { CaseWithHistory, Reasons } from './rule.ts'

/**
 * Elsewhere it failed alike and passed on the same commit in the same check: the code was the same, so the code did not
 * decide. That it passed here when it was tried again is said, and excuses nothing: a pull request that makes a test fail
 * every other time looks just like that. Of a commit of the trunk there is nobody to be excused: it is its own witness.
 *
 * A failure of which nothing is said (`silent-failure.ts`) is not asked: a licence check that turns green once its author has signed fails and
 * passes on one commit, and says nothing of the next author.
 *
 * Triggers: failed and passed on commit 1a2b3c of another pull request, in `Stateless tests (amd_tsan)`; or on the commit
 * of the trunk that is judged. Does not: failed there in one check and passed in another; failed and passed on this pull
 * request's own commits, also where the failure is looked up by its test alone; nor `license/cla`, red
 * and then green in another pull request.
 */
export function flaky({ failure, falloutTests, counted, subject }: CaseWithHistory): Reasons {
  if (isSilent(failure, falloutTests)) return null
  const passed = new Set(
    counted.history.passesBesideFailures
      .filter(({ passes }) => passes > 0)
      .map(({ commitSha, checkName }) => JSON.stringify([commitSha, checkName])),
  )
  const { pullRequestNumber, commitSha, headRepo, headRef } = failure
  const author = { ...subject, pullRequestNumber, commitSha, headRepo, headRef }
  const both = counted.hits.filter(
    (hit) =>
      passed.has(JSON.stringify([hit.commitSha, hit.checkName])) && !(pullRequestNumber > 0 && isOwn(hit, author)),
  )
  const itself = pullRequestNumber === 0 && failure.passedOnCommit === true ? [commitSha] : []
  const commits = [...new Set([...itself, ...both.map((hit) => hit.commitSha)])]
  const [newest] = commits
  return newest === undefined ? null : [{ kind: 'passed-on-same-commit', commits: commits.length, example: newest }]
}
