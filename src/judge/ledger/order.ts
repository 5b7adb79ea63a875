import { type Classification, type JudgedFailure, jobOf } from './failure.ts'

/**
 * The order of the classifications: first what may be the pull request's, last what is explained best. Fallout stands
 * under its cause.
 */
const SHOWN: readonly Classification[] = [
  'pr-suspect',
  'unknown',
  'mass-failure',
  'broken-trunk',
  'chronic',
  'flaky',
  'infrastructure',
  'ignored',
  'fallout',
  'rollup',
]

/** A test that the pull request adds is its own beyond doubt; one that it edits nearly so. */
function doubtOf({ reasons: [first] }: JudgedFailure): number {
  if (first?.kind !== 'test-changed') return 2
  return first.added ? 0 : 1
}

/**
 * The order in which failures are shown: by classification, its own tests first; within that by unrelated pull requests and hits, most first;
 * what is equal stays as it was. Fallout directly follows its cause.
 */
export function inOrder(judged: readonly JudgedFailure[]): readonly JudgedFailure[] {
  const fallout = Map.groupBy(
    judged.filter((one) => one.classification === 'fallout'),
    (one) => causeKey(one, one.causedBy ?? ''),
  )
  const shown = judged
    .filter((one) => one.classification !== 'fallout')
    .toSorted(
      (a, b) =>
        SHOWN.indexOf(a.classification) - SHOWN.indexOf(b.classification) ||
        doubtOf(a) - doubtOf(b) ||
        (b.unrelatedPullRequests ?? 0) - (a.unrelatedPullRequests ?? 0) ||
        (b.hits ?? 0) - (a.hits ?? 0),
    )
    .flatMap((one) => {
      const key = causeKey(one, one.failure.testName)
      const followers = fallout.get(key) ?? []
      fallout.delete(key)
      return [one, ...followers]
    })
  return [...shown, ...[...fallout.values()].flat()]
}

function causeKey({ failure }: JudgedFailure, testName: string): string {
  return JSON.stringify([jobOf(failure), testName])
}
