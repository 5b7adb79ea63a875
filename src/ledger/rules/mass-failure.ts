import { massFailuresHolding } from '../mass-failure.ts'
import type { CaseWithHistory, Reasons } from './rule.ts'

/**
 * It failed in a mass failure, and the same test failed alike elsewhere in it: it is one of the many. A test that failed in
 * this pull request and one or two others, or otherwise, is not excused by what happened to others at the same time.
 *
 * Triggers: 300 tests failed in 40 pull requests between 10:00 and 11:00, this one among them, at 10:20 here and at 10:05
 * in another, both with `Connection refused`. Does not: the same hour, and this test failed in one other pull request
 * only; or here with `heap-use-after-free` and there with `Connection refused`.
 */
export function massFailure({ failure, counted, massFailures }: CaseWithHistory): Reasons {
  const { testName } = failure
  const shared = massFailuresHolding(failure, massFailures).filter((mass) =>
    counted.massHits.some((row) => massFailuresHolding({ ...row, testName }, [mass]).length > 0),
  )
  const [largest] = shared.toSorted((a, b) => b.tests - a.tests)
  if (largest === undefined) return null
  const { tests, pullRequests, start, hours } = largest
  return [{ kind: 'in-mass-failure', tests, pullRequests, start, hours }]
}
