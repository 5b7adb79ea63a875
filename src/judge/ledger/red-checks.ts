import { compileNamePattern, fitsAny } from '../../text/name-pattern.ts'
import { type Classification, type JudgedFailure, jobOf, type LedgerNames, type RedCheck } from './failure.ts'

/** Whether the failures of a red check account for it. */

type State = RedCheck['state']

/**
 * The state of each red check, in their order; `RedCheck` has the meaning of the states. What is unknown accounts for
 * nothing; a failure whose lookup failed is not known. A check that sums up others says nothing of itself: it is
 * accounted for when there are other red checks and all of them are; it may be the pull request's when one of them may
 * be. Where failing tests were not judged (`notJudged`) no check is said to be accounted for: they may be in any.
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

/** Classifications that say by themselves that the pull request is not the cause, and what a person ignores. */
const EXCUSED: ReadonlySet<Classification> = new Set([
  'mass-failure',
  'broken-trunk',
  'chronic',
  'flaky',
  'infrastructure',
  'ignored',
])

/**
 * The state that one failure gives its check, fallout by itself. `unknown` never accounts for anything; where the
 * lookup failed it is not known either whether it may be the pull request's.
 */
function stateOfFailure({ classification, reasons }: JudgedFailure): RedCheck['state'] {
  if (EXCUSED.has(classification)) return 'accounted-for'
  return classification === 'unknown' && reasons[0]?.kind === 'lookup-failed' ? 'not-known' : 'may-be-yours'
}

const WORST_FIRST: readonly RedCheck['state'][] = ['may-be-yours', 'not-known', 'accounted-for']

/**
 * The cause that decides among the failures that fallout may follow from: the one that is excused least, since nobody
 * knows which it was; of equal ones a `pr-suspect`, then one with a stack trace, then the first. Null where there is
 * none.
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
