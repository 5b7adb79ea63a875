import type { NamePattern } from '../text/name-pattern.ts'
import { fitsAny } from '../text/name-pattern.ts'
import { saysProcessIsGone } from './crash.ts'
import type { Failure } from './failure.ts'

/**
 * A failure of which nothing is said: its output holds lines of a test framework alone, or it has not a word why
 * (`isIdleLine` has the words that are none) and a name that does not say either what failed: a check without a failing
 * test, a name of `ledger.falloutTests`, or one that says only that a process is gone. Nothing shows that two such failures
 * are the same, and everybody breaks their own build.
 *
 * Is: `Lint`, `Process completed with exit code 1.`; `Server died` without output; `01234_test`, `severity: fail`. Is not:
 * `01234_test` without output, whose name says what failed; nor `Lint`, `error: 'x' is defined but never used`.
 */
export function isSilent(
  { testName, signature }: Pick<Failure, 'testName' | 'signature'>,
  falloutTests: readonly NamePattern[],
): boolean {
  if (signature.kind === 'frames') return true
  if (signature.kind !== 'name') return false
  return testName === '' || saysProcessIsGone(testName) || fitsAny(falloutTests, testName)
}
