import type { CountedHistory } from './counted-history.ts'
import type { Failure, MassFailure, Reason } from './failure.ts'
import { infrastructureProblem } from './infrastructure.ts'
import { hoursHolding } from './mass-failure.ts'

/** How far a clock may be ahead before it is said: less is the usual difference of machines. */
export const CLOCK_TOLERANCE_MS = 5 * 60_000

/** What a person should know beside what decided: none of it changes the classification. */
export function saidBeside(
  failure: Failure,
  counted: CountedHistory | null,
  massFailures: readonly MassFailure[],
  judgedAt: number,
): readonly Reason[] {
  const said: Reason[] = []
  if (failure.testName === '') {
    said.push({ kind: 'no-test-failed', problem: infrastructureProblem(failure.signature.text) })
  }
  if (counted !== null) said.push(...ofHistory(failure, counted, massFailures))
  if (failure.passedOnRetry) said.push({ kind: 'passed-on-retry' })
  // Without how far: that is less at every look, and nothing else has changed.
  if (failure.time - judgedAt > CLOCK_TOLERANCE_MS) said.push({ kind: 'clock-ahead' })
  return said
}

function ofHistory(
  failure: Failure,
  { otherSignature, otherPullRequests, massHits, history }: CountedHistory,
  massFailures: readonly MassFailure[],
): readonly Reason[] {
  const said: Reason[] = []
  if (failure.signature.kind === 'name') said.push({ kind: 'matched-by-name' })
  if (otherSignature.length > 0) {
    said.push({ kind: 'other-signature', hits: otherSignature.length, pullRequests: otherPullRequests })
  }
  if (massHits.length > 0) {
    const rows = massHits.map((row) => ({ ...row, testName: failure.testName }))
    said.push({ kind: 'mass-failures-left-out', hits: massHits.length, hours: hoursHolding(rows, massFailures) })
  }
  if (history.failingNotRead > 0) said.push({ kind: 'more-not-read', hits: history.failingNotRead })
  return said
}
