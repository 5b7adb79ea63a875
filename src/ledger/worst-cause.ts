import type { JudgedFailure, RedCheck } from './failure.ts'
import { stateOfFailure } from './state-of-failure.ts'

const WORST_FIRST: readonly RedCheck['state'][] = ['may-be-yours', 'not-known', 'accounted-for']

/**
 * Of the failures that fallout may follow from the one that decides: the one that is excused least, since nobody knows
 * which it was; of equal ones a `pr-suspect`, then one with a stack trace, then the first. Null where there is none.
 */
export function worstCause(causes: readonly JudgedFailure[]): JudgedFailure | null {
  const [worst] = causes.toSorted(
    (a, b) =>
      WORST_FIRST.indexOf(stateOfFailure(a)) - WORST_FIRST.indexOf(stateOfFailure(b)) ||
      Number(b.classification === 'pr-suspect') - Number(a.classification === 'pr-suspect') ||
      Number(hasStackTrace(b)) - Number(hasStackTrace(a)),
  )
  return worst ?? null
}

function hasStackTrace({ failure }: JudgedFailure): boolean {
  return failure.signature.kind === 'stack-trace-id'
}
