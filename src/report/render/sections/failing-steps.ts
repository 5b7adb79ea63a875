import type { FailingTests, RedCheck } from '../../../judge/ledger/failure.ts'
import { codeSpan, NAME_LIMIT } from '../../../text/markdown.ts'
import { count, counted } from '../../../text/numbers.ts'
import { isNewTest, isNotLookedUp, isSuspect } from '../failing-line.ts'
import type { FailingView, FailureRow } from '../failing-view.ts'
import { checkName, namedChecks, testName } from '../failure-facts.ts'
import type { View } from '../view.ts'

/** Next steps about failing tests, for the list of `next-step.ts`. */

export interface FailingSteps {
  /** Without a capital at the start. */
  readonly sentences: readonly string[]
  /** The reader has something to do. */
  readonly isToDo: boolean
}

/**
 * What to do about the failing tests: fix or excuse what looks like the reader's, rerun what is unknown, wait for what is not
 * known or look at it oneself, and leave the rest alone.
 */
export function failingSteps(view: View): FailingSteps {
  const { failing } = view
  if (failing === null) return { sentences: [], isToDo: false }
  const suspects = failing.rows.filter(isSuspect)
  const unknown = failing.rows.filter((row) => row.judged.classification === 'unknown')
  const undecided = unknown.filter((row) => !isNotLookedUp(row))
  const decided = [...rerunUnknown(view, undecided), ...rerunInfrastructure(view, failing.rows)]
  const toDo = [...decided, ...aboutNotKnown(view, failing, suspects.length + decided.length > 0)]
  const rest = failing.allAccountedFor && toDo.length > 0 ? ['the other red checks need nothing from you.'] : []
  return { sentences: [...ownTests(view, suspects), ...toDo, ...rest], isToDo: suspects.length + toDo.length > 0 }
}

/** `fix your new test and check the other.`, and whom to ask where that turns out to be somebody else's. */
function ownTests({ links: { commandPrefix } }: View, suspects: readonly FailureRow[]): string[] {
  const added = suspects.filter(isNewTest).length
  const doubtful = suspects.length - added
  const other = doubtful === 1 ? 'the other' : `the other ${count(doubtful)}`
  const whose = `whether the failing ${doubtful === 1 ? 'test is' : 'tests are'} yours`
  const steps = [
    ...(added === 0 ? [] : [`fix your new ${added === 1 ? 'test' : 'tests'}`]),
    ...(doubtful === 0 ? [] : [`check ${added === 0 ? whose : other}`]),
  ]
  if (steps.length === 0) return []
  const ask = `not yours? Ask a maintainer for ${codeSpan(`${commandPrefix} ignore`, NAME_LIMIT)}.`
  return [`${steps.join(' and ')}.`, ...(doubtful === 0 || commandPrefix === undefined ? [] : [ask])]
}

/** What is red and not known is never nothing to do: the reader waits for it or looks at it himself. */
function aboutNotKnown(view: View, failing: FailingView, hasOthers: boolean): string[] {
  const { tests, unseen, isOnlyRollups, rollups, allAccountedFor } = failing
  const red = (state: RedCheck['state']) => namesOf(tests, state).filter((name) => !rollups.includes(name))
  if (tests.problem !== null) return aboutLookup(view, red('not-known'), hasOthers)
  if (unseen.length > 0) {
    return [
      aboutUnseen(
        view,
        unseen.map(({ name }) => name),
        tests.isFinal === true,
      ),
    ]
  }
  if (isOnlyRollups) {
    const one = rollups.length === 1
    const sums = one ? 'it only sums up other checks' : 'they only sum up other checks'
    return [`look at ${namedChecks(view, rollups)} yourself: ${sums}, none of which is known to be red.`]
  }
  if (hasOthers || allAccountedFor) return []
  if (tests.notJudged > 0) {
    return ['look through the red checks yourself: one commit has too many failing tests to judge them all.']
  }
  const open = red('may-be-yours')
  return open.length === 0
    ? []
    : [`look at ${some(view, open)} yourself: not everything that failed there is accounted for.`]
}

function aboutLookup(view: View, checks: readonly string[], hasOthers: boolean): string[] {
  // the line of what is not known says why
  if (hasOthers) return []
  if (checks.length === 0) return ['wait: the failing tests are judged once the CI results can be reached.']
  return [`look at ${some(view, checks)} yourself, or wait until the CI results can be reached.`]
}

function aboutUnseen(view: View, checks: readonly string[], isFinal: boolean): string {
  const [are, theirs] = checks.length === 1 ? ['it is', 'its'] : ['they are', 'their']
  return isFinal
    ? `look at ${namedChecks(view, checks)} yourself: ${are} red and not in the CI results.`
    : `look at ${namedChecks(view, checks)} yourself, or wait for ${theirs} results: this comment is updated then.`
}

function namesOf({ redChecks }: FailingTests, state: RedCheck['state']): string[] {
  return redChecks.filter((check) => check.state === state).map(({ name }) => name)
}

/** `check` and 3 others */
function some(view: View, checks: readonly string[]): string {
  const [first, ...others] = checks.map((name) => checkName(view, name))
  return others.length === 0 ? first! : `${first} and ${counted(others.length, 'other', 'others')}`
}

function rerunUnknown(view: View, unknown: readonly FailureRow[]): string[] {
  const [first] = unknown
  if (first === undefined) return []
  if (unknown.length > 1) {
    return [`a rerun of the red checks shows which of the ${count(unknown.length)} unknown failures come back.`]
  }
  const { testName: name } = first.judged.failure
  return [
    `a rerun of ${checkName(view, first.checks[0]!)} shows whether ${name === '' ? 'it' : testName(first.judged)} fails again.`,
  ]
}

/** What a lost machine would have tested is not known until it runs again. */
function rerunInfrastructure(view: View, rows: readonly FailureRow[]): string[] {
  const lost = rows.filter(({ judged }) => judged.classification === 'infrastructure')
  const [first] = lost
  if (first === undefined) return []
  const others = lost.length - 1
  const more = others === 0 ? ' needs' : ` and ${counted(others, 'other', 'others')} need`
  return [`${checkName(view, first.checks[0]!)}${more} a rerun to give results.`]
}
