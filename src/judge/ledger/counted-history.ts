import { DAY } from '../../text/time.ts'
import { wilsonInterval } from '../statistics/wilson.ts'
import { textsOfOtherValues } from './actual-values.ts'
import type { FailingExecution, Failure, FailureRate, MassFailure, Subject, TestHistory } from './failure.ts'
import { massFailuresHolding } from './mass-failure.ts'
import { isOfRepository, isOfTrunk, isOwn } from './row-origin.ts'
import type { Signature } from './signature.ts'
import { isOfStretch, type Stretches, stretchesOf } from './stretches.ts'
import { LEDGER_THRESHOLDS } from './thresholds.ts'
import {
  countWitnesses,
  type People,
  standingOf,
  tellWitnesses,
  type Witnesses,
  type WitnessTeller,
  witnessesOf,
} from './witness.ts'

/**
 * The evidence that the history of one test has for and against one failure, without the subject's own rows. Newest
 * first.
 */
export interface CountedHistory {
  /** Every failing execution, of whatever signature, mass failures included. */
  readonly failing: readonly FailingExecution[]
  /** The same failure, outside mass failures: what is counted as a hit. */
  readonly hits: readonly FailingExecution[]
  readonly trunkHits: readonly FailingExecution[]
  /** The same failure, in mass failures. */
  readonly massHits: readonly FailingExecution[]
  /** The same name and not the same failure, outside mass failures. */
  readonly otherSignature: readonly FailingExecution[]
  /** The same stack trace id under a name that says something else, outside mass failures. */
  readonly sameStack: readonly FailingExecution[]
  readonly sameStackPullRequests: number
  readonly witnesses: Witnesses
  /** The witnesses that count: all of them in advisory, the trusted ones in gating. */
  readonly unrelatedPullRequests: number
  /** Witnesses that failed while the trunk was not broken. */
  readonly outsideStretches: Witnesses
  readonly otherPullRequests: number
  /** The hits on the trunk. */
  readonly stretches: Stretches
  /** Tells the witness of each row. */
  readonly teller: WitnessTeller
  /** Passing and failing executions. */
  readonly runs: number
  /** Null where no passes are known, or the test never ran on the trunk: a share of failures alone says nothing. */
  readonly trunkRate: FailureRate | null
  readonly history: TestHistory
}

/**
 * Tells the rows of a history apart: `(until - lookbackDays, until]` of this repository, not the subject's own. Whatever
 * the store has left out already is left out here again; the rules stand by themselves.
 */
export function countHistory(
  failure: Pick<Failure, 'signature'>,
  history: TestHistory,
  { subject, massFailures, lookbackDays, people, tellers }: CountSettings,
): CountedHistory {
  const from = history.until - lookbackDays * DAY
  const isInLookback = (row: FailingExecution) =>
    from < row.time && row.time <= history.until && isOfRepository(row, subject)
  const ofRepository = history.failing.filter(isInLookback)
  const teller = tellers?.get(history) ?? tellWitnesses(ofRepository, subject, people)
  tellers?.set(history, teller)
  const others = ofRepository
    .filter((row) => !isOwn(row, subject) && !teller.isOwn(row))
    .toSorted((a, b) => b.time - a.time)
  const isBelieved = (row: FailingExecution) =>
    people.mode === 'advisory' || standingOf(row, subject, people) === 'trusted'
  const failing = others.filter(isBelieved)
  const { testName } = history
  // A few accounts can make any hour a mass failure: in gating it takes rows away where trusted people are part of it.
  const believedMass =
    people.mode === 'advisory'
      ? massFailures
      : massFailures.filter((mass) => isCarried(mass, testName, failing, teller))
  const inMassFailure = (row: FailingExecution) => massFailuresHolding({ ...row, testName }, believedMass).length > 0

  const otherValues = textsOfOtherValues(
    failure.signature,
    failing.map(({ signature }) => signature),
  )
  const isSame = ({ signature }: FailingExecution): boolean =>
    isSameFailure(failure.signature, signature) || (signature.kind === 'output' && otherValues.has(signature.text))
  const same = failing.filter(isSame)
  const hits = same.filter((row) => !inMassFailure(row))
  const trunkHits = hits.filter((row) => isOfTrunk(row, subject))
  const otherSignature = failing.filter((row) => !isSame(row) && !inMassFailure(row))
  // Whoever is not believed is told, and is in no other number.
  const alike = others.filter((row) => isSame(row) && !inMassFailure(row))
  const witnesses = witnessesOf(alike, teller)
  const stretches = stretchesOf(trunkHits, history.checks)
  const outside = hits.filter((row) => !isOfStretch(row, stretches))
  const ofStack = (history.sameStack ?? []).filter(isInLookback)
  const stackTeller = tellWitnesses([...ofRepository, ...ofStack], subject, people)
  const sameStack = ofStack.filter(
    (row) => isBelieved(row) && !isOwn(row, subject) && !stackTeller.isOwn(row) && !inMassFailure(row),
  )
  const trunkRuns = history.trunkPasses + failing.filter((row) => isOfTrunk(row, subject)).length
  return {
    failing,
    hits,
    trunkHits,
    massHits: same.filter(inMassFailure),
    otherSignature,
    sameStack,
    sameStackPullRequests: countWitnesses(witnessesOf(sameStack, stackTeller), people.mode),
    witnesses,
    unrelatedPullRequests: countWitnesses(witnesses, people.mode),
    outsideStretches: witnessesOf(outside, teller),
    otherPullRequests: countWitnesses(witnessesOf(otherSignature, teller), people.mode),
    stretches,
    teller,
    runs: history.passes + failing.length,
    trunkRate:
      history.passes === 0 || trunkRuns === 0
        ? null
        : { failed: trunkHits.length, runs: trunkRuns, ...wilsonInterval(trunkHits.length, trunkRuns) },
    history,
  }
}

/** As many trusted witnesses failed in it as make a test part of a mass failure. */
function isCarried(
  mass: MassFailure,
  testName: string,
  failing: readonly FailingExecution[],
  teller: WitnessTeller,
): boolean {
  const inIt = failing.filter((row) => massFailuresHolding({ ...row, testName }, [mass]).length > 0)
  return witnessesOf(inIt, teller).trusted >= LEDGER_THRESHOLDS.massPullRequestsPerTest
}

export interface CountSettings {
  readonly subject: Subject
  readonly massFailures: readonly MassFailure[]
  readonly lookbackDays: number
  readonly people: People
  /** A cache for several failures that share a history and a subject; filled here. */
  readonly tellers?: Map<TestHistory, WitnessTeller>
}

/**
 * Is a failure of the same test, elsewhere, the same failure? Only if its signature is of the same kind and text. Where
 * the failure in question has no output there is nothing but the name to go by, and every one matches; that is said. The
 * other way round nothing shows that a failure without output is the same, and it does not match. One that printed lines
 * of a test framework alone is like another one that did.
 *
 * Same: STID 2508-38c6 and STID 2508-38c6. Not: STID 2508-38c6 and STID 2508-3e7b, or an output and none; nor
 * `severity: fail` alone and `error: connect ECONNREFUSED`.
 */
export function isSameFailure(failure: Signature, elsewhere: Signature): boolean {
  return failure.kind === 'name' || (failure.kind === elsewhere.kind && failure.text === elsewhere.text)
}
