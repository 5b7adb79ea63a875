/**
 * The outcome that the status of a test (or of a check, on its own row) says, in lower case. The one list: the SQL
 * files state the same, and a test keeps them in step. What is on neither list was skipped, is expected to be broken,
 * has not finished, or is not a test at all (performance rows, usage rows): it is no execution.
 */
export const FAILING_STATUSES = ['fail', 'error', 'failure', 'failed'] as const
export const PASSING_STATUSES = ['ok', 'success', 'not_failed', 'xfail', 'passed'] as const

/** Statuses that sources are known to write and that are no execution. */
const OTHER_STATUSES = [
  'skipped',
  'broken',
  'unknown',
  'xpass',
  'slower',
  'faster',
  'unstable',
  'pending',
  'running',
  'dropped',
  'cancelled',
  'neutral',
  'stale',
  'action_required',
] as const

export type TestOutcome = 'failing' | 'passing' | 'other'

const OUTCOMES: ReadonlyMap<string, TestOutcome> = new Map([
  ...FAILING_STATUSES.map((status) => [status, 'failing'] as const),
  ...PASSING_STATUSES.map((status) => [status, 'passing'] as const),
  ...OTHER_STATUSES.map((status) => [status, 'other'] as const),
])

/** Without regard to case: sources write `FAIL`, `failure` and `PASSED`. */
export function testOutcome(status: string): TestOutcome {
  return OUTCOMES.get(status.toLowerCase()) ?? 'other'
}

/**
 * Is it on one of the lists? What is not counts as no execution like `SKIPPED`, but perhaps only because its source has
 * words of its own: who imports such rows wants to be told.
 *
 * Known: `FAIL`, `Passed`, `SKIPPED`. Not known: `TIMEOUT`, ` FAIL`, an empty one.
 */
export function isKnownStatus(status: string): boolean {
  return OUTCOMES.has(status.toLowerCase())
}
