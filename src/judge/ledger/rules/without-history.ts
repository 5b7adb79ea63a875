import { fitsAny, type NamePattern } from '../../../text/name-pattern.ts'
import { isCrash, saysProcessIsGone, saysServerIsLost } from '../crash.ts'
import { stateOf } from '../declaration.ts'
import type { Failure, InfrastructureProblem } from '../failure.ts'
import { infrastructureProblem } from '../infrastructure-phrases.ts'
import { fileOfTest } from '../test-changed.ts'
import type { Case, Reasons } from './rule.ts'

/**
 * The check only sums up others: its name fits one of `ledger.rollupChecks`.
 *
 * Triggers: `Mergeable Check`. Does not: `Stress test (arm_msan)`; nor `Mergeable Check 2`, the whole name has to fit.
 */
export function rollup({ failure, rollupChecks }: Case): Reasons {
  return fitsAny(rollupChecks, failure.checkName) ? [{ kind: 'sums-up-others' }] : null
}

/** Problems that no change of the code causes while tests run. The others it may: a hang, a leak, a download. */
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
  if (problem === null || problem === 'no-result') return null
  if (!NEVER_THE_CODE.has(problem) && failure.testsRan !== false) return null
  return [{ kind: 'no-test-failed', problem }]
}

/**
 * A secondary failure: its name fits one of `ledger.falloutTests`, and another test of the same job failed whose name
 * does not. Where the name says that a process is gone that other test has to be a crash: a flaky test kills no server.
 * Without a cause it goes through the other rules.
 *
 * Triggers: `Check failed` beside `01234_flaky`; `Server died` beside `Logical error: … (STID: 2508-3e7b)`. Does not:
 * `Server died` beside `01234_flaky`; `Check failed` alone, beside `Server died` only, or beside a failure of another job.
 *
 * Any other test follows from a crash of its job where it says that the server is lost and did not begin before; or where
 * it says nothing, began after the crash and the server is known to be gone. A test that the pull request changes does not.
 *
 * Triggers: `00005_t`, `Connection refused`, beside a crash; `00006_t` without output, begun a minute after it. Does not:
 * `00007_t`, `result differs with reference`, after it; `00008_t`, `Connection refused`, begun before it.
 *
 * Which of several causes stands in the reason is decided when all are judged: `worstCause`.
 */
export function fallout(case_: Case): Reasons {
  const [cause] = possibleCauses(case_)
  return cause === undefined ? null : [{ kind: 'follows-from', testName: cause.testName }]
}

/**
 * The failures that this one may follow from: the crashes of its job, or, where a process need not be gone, else every
 * test.
 */
export function possibleCauses(case_: Case): readonly Failure[] {
  const { failure, besides, falloutTests } = case_
  const isCause = (other: Failure) => other.testName !== '' && !isSecondary(falloutTests, other)
  const crashes = case_.crashes.filter(isCause)
  if (!isSecondary(falloutTests, failure)) return crashes.filter((crash) => mayFollow(case_, crash))
  const causes = besides.filter(isCause)
  return crashes.length > 0 || saysProcessIsGone(failure.testName) ? crashes : causes
}

/** A test whose name says nothing of it may be the fallout of a crash. */
function mayFollow(case_: Case, crash: Failure): boolean {
  const { failure, isServerLost } = case_
  const isMute = failure.signature.kind === 'name' || failure.signature.kind === 'frames'
  if (failure.testName === '' || isCrash(failure) || testChanged(case_) !== null) return false
  const [began, crashed] = [beganIn(failure), beganIn(crash)]
  const isKnown = began !== null && crashed !== null
  // The name of a crash of its own is the server's; a test that crashed may have been alone in its process.
  const isServers =
    crash.signature.kind === 'stack-trace-id' || isCrash({ ...crash, signature: { kind: 'name', text: '' } })
  const isGone = case_.besides.some(({ testName }) => saysProcessIsGone(testName))
  if (saysServerIsLost(failure)) return (isServers || isGone) && (!isKnown || began >= crashed)
  const isOfServer = isServers || isServerLost
  return isMute && isKnown && began > crashed && isOfServer
}

/** A row at the start of its job has no time of its own. */
function beganIn({ inJob }: Failure): number | null {
  return inJob === undefined || inJob.first === inJob.start ? null : inJob.first
}

function isSecondary(falloutTests: readonly NamePattern[], { testName }: Failure): boolean {
  return testName !== '' && fitsAny(falloutTests, testName)
}

/**
 * The pull request adds or edits the test itself: then a history of the test as it was excuses nothing.
 * `src/judge/ledger/test-changed.ts` has the names by which a test is found in a file.
 *
 * Triggers: `03999_my_new_test`, and the pull request adds `tests/queries/0_stateless/03999_my_new_test.sql`. Does not:
 * it removes that file, or adds `03999_my_new_test_2.sql`.
 */
export function testChanged({ failure, changedFiles }: Case): Reasons {
  const file = fileOfTest(failure.testName, changedFiles ?? [])
  if (file === null) return null
  return [{ kind: 'test-changed', path: file.path, added: file.status === 'added' || file.status === 'copied' }]
}

/**
 * A person with the permission has declared this very failure chronic, in whichever pull request of the repository. The test and
 * its signature have to be the same; a pull request that changes the test itself is not excused (`testChanged` is asked before).
 *
 * Triggers: `01234_test` with `Timeout exceeded`, which maria declared chronic until 31 December, on 1 December. Does not: on 1
 * January; after somebody took it back; nor `01234_test` with `heap-use-after-free`.
 */
export function declaredChronic({ declaration, judgedAt }: Case): Reasons {
  if (declaration === null || stateOf(declaration, judgedAt) !== 'holds') return null
  return [{ kind: 'declared-chronic', by: declaration.by, issue: declaration.failure.issue }]
}
