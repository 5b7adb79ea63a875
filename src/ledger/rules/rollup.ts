import { fitsAny } from './fits-any.ts'
import type { Case, Reasons } from './rule.ts'

/**
 * The check only sums up others: its name fits one of `ledger.rollupChecks`.
 *
 * Triggers: `Mergeable Check`. Does not: `Stress test (arm_msan)`; nor `Mergeable Check 2`, the whole name has to fit.
 */
export function rollup({ failure, rollupChecks }: Case): Reasons {
  return fitsAny(rollupChecks, failure.checkName) ? [{ kind: 'sums-up-others' }] : null
}
