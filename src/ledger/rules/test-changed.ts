import { fileOfTest } from '../test-changed.ts'
import type { Case, Reasons } from './rule.ts'

/**
 * The pull request adds or edits the test itself: then a history of the test as it was excuses nothing.
 * `src/ledger/test-changed.ts` has the names by which a test is found in a file.
 *
 * Triggers: `03999_my_new_test`, and the pull request adds `tests/queries/0_stateless/03999_my_new_test.sql`. Does not:
 * it removes that file, or adds `03999_my_new_test_2.sql`.
 */
export function testChanged({ failure, changedFiles }: Case): Reasons {
  const file = fileOfTest(failure.testName, changedFiles ?? [])
  if (file === null) return null
  return [{ kind: 'test-changed', path: file.path, added: file.status === 'added' || file.status === 'copied' }]
}
