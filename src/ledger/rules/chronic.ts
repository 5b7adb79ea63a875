import { DAY } from '../../text/time.ts'
import type { FailingExecution, Failure, Reason } from '../failure.ts'
import { isSilent } from '../silent-failure.ts'
import type { CaseWithHistory, Reasons } from './rule.ts'

/**
 * It fails alike in enough pull requests that have nothing to do with this one, or on the trunk on enough days.
 *
 * Of a failure of which nothing is said (`silent-failure.ts`) pull requests are no evidence: each of them may have broken
 * its own build. On the trunk there is one.
 *
 * Triggers: 7 unrelated pull requests, 8 hits, none on the trunk; or 2 hits on the trunk on different days. Does not: 2
 * unrelated pull requests and 5 hits on the trunk on one day; 3 pull requests of one branch; nor `Build (amd)` without a
 * word in 7 unrelated pull requests.
 */
export function chronic({ failure, falloutTests, counted, thresholds }: ChronicCase): Reasons {
  const reasons: Reason[] = []
  if (!isSilent(failure, falloutTests) && counted.unrelatedPullRequests >= thresholds.chronicPullRequests) {
    reasons.push({
      kind: 'unrelated-pull-requests',
      pullRequests: counted.unrelatedPullRequests,
      needed: thresholds.chronicPullRequests,
    })
  }
  const days = countDays(counted.trunkHits)
  if (days >= thresholds.chronicTrunkDays) {
    reasons.push({ kind: 'trunk-hits', hits: counted.trunkHits.length, days, needed: thresholds.chronicTrunkDays })
  }
  const [first, ...others] = reasons
  return first === undefined ? null : [first, ...others]
}

interface ChronicCase extends Pick<CaseWithHistory, 'falloutTests' | 'counted' | 'thresholds'> {
  readonly failure: Pick<Failure, 'testName' | 'signature'>
}

/** Days in UTC. */
function countDays(rows: readonly FailingExecution[]): number {
  return new Set(rows.map(({ time }) => Math.floor(time / DAY))).size
}
