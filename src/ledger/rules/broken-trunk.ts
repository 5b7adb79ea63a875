import type { FailingExecution } from '../failure.ts'
import { massFailuresHolding } from '../mass-failure.ts'
import type { CaseWithHistory, Reasons } from './rule.ts'

/**
 * The trunk fails alike right now: at the merge base, or in all of the latest `brokenTrunkRuns` trunk runs of the check.
 *
 * Triggers: the merge base failed with the same signature; or the latest two commits tested on the trunk did. Does not:
 * the merge base failed and passed when it was tried again; the latest failed and the one before passed, failed with
 * another signature, or is a job in which this failure did not appear.
 */
export function brokenTrunk(case_: CaseWithHistory): Reasons {
  return failedAtMergeBase(case_) ?? latestTrunkRunsFailed(case_)
}

function failedAtMergeBase({ counted, subject: { mergeBase } }: CaseWithHistory): Reasons {
  if (mergeBase === null || mergeBase === '') return null
  const passedIn = new Set(
    counted.history.passesBesideFailures
      .filter(({ commitSha, passes }) => commitSha === mergeBase && passes > 0)
      .map(({ checkName }) => checkName),
  )
  const failedThere = counted.trunkHits.some(
    ({ commitSha, checkName }) => commitSha === mergeBase && !passedIn.has(checkName),
  )
  if (!failedThere) return null
  return [{ kind: 'failed-at-merge-base', commitSha: mergeBase }]
}

/**
 * A trunk run is a commit in this check. It failed when the test failed there alike and never passed: what passed when it
 * was tried again is flaky, not broken. A failure in a mass failure says nothing, it is passed over.
 *
 * `Logical error: … (STID: 2508-3e7b)` is never said to have passed: the name exists only when it fails. For a test
 * without a known pass `latestTrunk` therefore holds the jobs of the check in which it left no failing row. Where nobody
 * knows of jobs or passes, what failed is all that is known to have run.
 */
function latestTrunkRunsFailed(case_: CaseWithHistory): Reasons {
  const { counted, subject, failure, thresholds } = case_
  const { history } = counted
  const runs = new Map<string, boolean>()
  const executions = history.latestTrunk
    .filter(
      ({ commitSha, checkName, time }) =>
        checkName === failure.checkName && commitSha !== subject.commitSha && time <= history.until,
    )
    .toSorted((a, b) => b.time - a.time)
  for (const { commitSha, checkName, time, failed } of executions) {
    if (failed && massFailuresHolding({ testName: failure.testName, checkName, time }, case_.massFailures).length > 0)
      continue
    const alike = failed && isHit(counted.trunkHits, commitSha, failure.checkName)
    runs.set(commitSha, (runs.get(commitSha) ?? true) && alike)
  }

  const latest = [...runs].slice(0, thresholds.brokenTrunkRuns)
  if (latest.length < thresholds.brokenTrunkRuns || !latest.every(([, failed]) => failed)) return null
  return [{ kind: 'latest-trunk-runs-failed', commits: latest.map(([commitSha]) => commitSha) }]
}

function isHit(trunkHits: readonly FailingExecution[], commitSha: string, checkName: string): boolean {
  return trunkHits.some((hit) => hit.commitSha === commitSha && hit.checkName === checkName)
}
