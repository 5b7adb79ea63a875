import type { NamePattern } from '../../text/name-pattern.ts'
import { isCrash, saysProcessIsGone } from '../crash.ts'
import type { Failure } from '../failure.ts'
import { fitsAny } from './fits-any.ts'
import type { Case, Reasons } from './rule.ts'

/**
 * A secondary failure: its name fits one of `ledger.falloutTests`, and another test of the same job failed whose name
 * does not. Where the name says that a process is gone that other test has to be a crash: a flaky test kills no server.
 * Without a cause it goes through the other rules.
 *
 * Triggers: `Check failed` beside `01234_flaky`; `Server died` beside `Logical error: … (STID: 2508-3e7b)`. Does not:
 * `Server died` beside `01234_flaky`; `Check failed` alone, beside `Server died` only, or beside a failure of another job.
 *
 * Which of several causes stands in the reason is decided when all are judged: `worst-cause.ts`.
 */
export function fallout(case_: Case): Reasons {
  const [cause] = possibleCauses(case_)
  return cause === undefined ? null : [{ kind: 'follows-from', testName: cause.testName }]
}

/** What the failure may follow from: the crashes of its job, or, where a process need not be gone, else every test. */
export function possibleCauses({ failure, besides, falloutTests }: Case): readonly Failure[] {
  if (!isSecondary(falloutTests, failure)) return []
  const causes = besides.filter((other) => other.testName !== '' && !isSecondary(falloutTests, other))
  const crashes = causes.filter(isCrash)
  return crashes.length > 0 || saysProcessIsGone(failure.testName) ? crashes : causes
}

function isSecondary(falloutTests: readonly NamePattern[], { testName }: Failure): boolean {
  return testName !== '' && fitsAny(falloutTests, testName)
}
