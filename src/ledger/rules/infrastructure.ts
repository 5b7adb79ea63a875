import type { InfrastructureProblem } from '../failure.ts'
import { infrastructureProblem } from '../infrastructure.ts'
import type { Case, Reasons } from './rule.ts'

/** What no change of the code does to a runner while its tests run. The others it does: a hang, a leak, a download. */
const NEVER_THE_CODE: ReadonlySet<InfrastructureProblem> = new Set(['runner-lost', 'disk-full'])

/**
 * No test failed, and what the job says of itself names the machine. Time, memory and network only where no test had run
 * yet: a change that makes the tests hang is stopped at the limit of the job, too. A job that says anything else, or
 * nothing, goes through the other rules: a build that does not compile is the pull request's.
 *
 * Triggers: a check without a failing test, `No space left on device`; `Job timed out` of one of which no test ran. Does
 * not: `Job timed out` after 40 tests, or where nobody knows whether any ran; a test that failed with these words, it may
 * be what the test is about; nor a check without a failing test that says `ninja: build stopped`.
 */
export function infrastructure({ failure }: Case): Reasons {
  if (failure.testName !== '') return null
  const problem = infrastructureProblem(failure.signature.text)
  if (problem === null || !(NEVER_THE_CODE.has(problem) || failure.testsRan === false)) return null
  return [{ kind: 'no-test-failed', problem }]
}
