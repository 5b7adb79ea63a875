import { compileNamePattern } from '../text/name-pattern.ts'
import type { JudgedFailure, LedgerNames, RedCheck } from './failure.ts'
import { jobOf } from './job.ts'
import { fitsAny } from './rules/fits-any.ts'
import { stateOfFailure } from './state-of-failure.ts'

type State = RedCheck['state']

/**
 * What is known of each red check, in their order; `RedCheck` has the meaning of the states. What is unknown accounts for
 * nothing; a failure whose lookup failed is not known. A check that sums up others says nothing of itself: it is accounted
 * for when there are other red checks and all of them are; it may be the pull request's when one of them may be. Where
 * failing tests were not judged (`notJudged`) no check is said to be accounted for: they may be in any.
 */
export function redChecksOf(
  red: readonly { readonly name: string; readonly url: string | null }[],
  judged: readonly JudgedFailure[],
  names: LedgerNames,
  notJudged = 0,
): readonly RedCheck[] {
  const rollupChecks = names.rollupChecks.map(compileNamePattern)
  const ofCheck = Map.groupBy(judged, ({ failure }) => failure.checkName)
  const checks = red.map(({ name, url }) => {
    const sumsUp = fitsAny(rollupChecks, name)
    const states = (ofCheck.get(name) ?? []).map((one) => stateInCheck(one, judged))
    return { name, url, sumsUp, state: stateOf(notJudged > 0 ? [...states, 'not-known'] : states) }
  })
  const summedUp = stateOf(checks.filter(({ sumsUp }) => !sumsUp).map(({ state }) => state))
  return checks.map(({ name, url, sumsUp, state }) => ({ name, url, state: sumsUp ? summedUp : state }))
}

/** The worst decides; of nothing nothing is known. */
function stateOf(states: readonly State[]): State {
  if (states.includes('may-be-yours')) return 'may-be-yours'
  return states.length === 0 || states.includes('not-known') ? 'not-known' : 'accounted-for'
}

/** Fallout is what its cause is, the worst of those that may be it; without one nothing explains it. */
function stateInCheck(one: JudgedFailure, judged: readonly JudgedFailure[]): State {
  if (one.classification !== 'fallout') return stateOfFailure(one)
  const cause = causeOf(one, judged)
  return cause === undefined ? 'may-be-yours' : stateOfFailure(cause)
}

function causeOf({ failure, causedBy }: JudgedFailure, judged: readonly JudgedFailure[]): JudgedFailure | undefined {
  return judged.find(
    (other) =>
      other.classification !== 'fallout' &&
      other.failure.testName === causedBy &&
      jobOf(other.failure) === jobOf(failure),
  )
}
