import type { LedgerThresholds } from '../thresholds.ts'
import type { CaseWithHistory, Reasons } from './rule.ts'

/**
 * It failed alike nowhere else, and ran often enough elsewhere to have shown it: would it fail at `chronicRate`, then no
 * failure in so many runs had a chance of at most `missedChance`. Where failing rows were not read nobody can say so.
 *
 * `Logical error: … (STID: 2508-3e7b)` has no executions to count: the name exists only when it fails. Then the runs of its
 * check are what it could have shown itself in.
 *
 * Triggers: 0 hits in 412 executions; or a crash of which nothing is known in 400 runs of its check. Does not: 0 hits in 20
 * executions, or 1 hit in 412.
 */
export function neverElsewhere({ counted, thresholds }: CaseWithHistory): Reasons {
  const { hits, runs: executions, history } = counted
  if (hits.length > 0 || history.failingNotRead > 0) return null
  const checkRuns = history.passes === 0 ? (history.checkRuns ?? 0) : 0
  const of = checkRuns > executions ? 'check' : 'test'
  const runs = Math.max(executions, checkRuns)
  const rate = thresholds.chronicRate
  const chance = chanceOfNone(runs, rate)
  return chance <= thresholds.missedChance ? [{ kind: 'never-elsewhere', of, runs, chance, rate }] : null
}

/** The chance of no failure in `runs` independent executions of a test that fails at `rate`. */
function chanceOfNone(runs: number, rate: number): number {
  return (1 - rate) ** runs
}

/** The executions without a failure that rule out a test that fails at `chronicRate`: 59 by default. */
export function runsNeeded({ chronicRate, missedChance }: LedgerThresholds): number {
  const about = Math.ceil(Math.log(missedChance) / Math.log(1 - chronicRate))
  // The logarithms are rounded: what the rule itself says one execution above or below decides.
  const first = [about - 1, about].find((runs) => chanceOfNone(runs, chronicRate) <= missedChance)
  return Math.max(0, first ?? about + 1)
}
