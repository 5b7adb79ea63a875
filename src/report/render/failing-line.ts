import type { Classification } from '../../judge/ledger/failure.ts'
import { count, counted } from '../../text/numbers.ts'
import { capital } from '../../text/phrase.ts'
import { CLASSIFICATION_WORDS } from '../words.ts'
import type { FailingView, FailureRow } from './failing-view.ts'

/** What somebody knows from elsewhere, so that it is no news of the pull request. */
const KNOWN: ReadonlySet<Classification> = new Set(['mass-failure', 'broken-trunk', 'chronic', 'flaky', 'ignored'])

/** The failing tests that somebody has to look at, in the order in which they are shown: what one and what several do. */
const OPEN: readonly {
  readonly has: (row: FailureRow) => boolean
  readonly one: string
  readonly many: string
  /** Where there are no others; absent: `both failing tests look like yours`. */
  readonly alone?: (rows: readonly FailureRow[]) => string
}[] = [
  { has: (row) => isSuspect(row) && !isNewTest(row), one: 'looks like yours', many: 'look like yours' },
  {
    has: isNotLookedUp,
    one: 'could not be looked up',
    many: 'could not be looked up',
    alone: (rows) => `the ${rows.length === 1 ? '' : `${count(rows.length)} `}${noun(rows)} could not be looked up`,
  },
  {
    has: (row) => row.judged.classification === 'unknown' && !isNotLookedUp(row),
    one: `is ${CLASSIFICATION_WORDS.unknown.term}`,
    many: `are ${CLASSIFICATION_WORDS.unknown.term}`,
    alone: (rows) => {
      const which = rows.length === 1 ? `${noun(rows)} is` : `${count(rows.length)} ${noun(rows)} are`
      return `whether the ${which} yours is ${CLASSIFICATION_WORDS.unknown.term}`
    },
  },
  // Its cause is in no row, or it would stand there.
  {
    has: ({ judged }) => judged.classification === 'fallout',
    one: 'follows from another failure',
    many: 'follow from other failures',
  },
  {
    has: ({ judged }) => judged.classification === 'infrastructure',
    one: 'is down to infrastructure',
    many: 'are down to infrastructure',
  },
]

export function isSuspect({ judged }: FailureRow): boolean {
  return judged.classification === 'pr-suspect'
}

/** The pull request adds the test, so that it fails nowhere else: nobody needs to guess whose it is. */
export function isNewTest(row: FailureRow): boolean {
  const [first] = row.judged.reasons
  return isSuspect(row) && first?.kind === 'test-changed' && first.added
}

/** Nothing could be asked about it: what is not known is not its history but everything. */
export function isNotLookedUp({ judged }: FailureRow): boolean {
  return judged.classification === 'unknown' && judged.reasons.some(({ kind }) => kind === 'lookup-failed')
}

/** It fails elsewhere too, or somebody has said what it is. */
export function isKnown({ judged }: FailureRow): boolean {
  return KNOWN.has(judged.classification)
}

/**
 * `2 of 6 failing tests look like yours; the other 4 are known failures`, `All 3 failing tests are known failures`: plain
 * words without anything from outside, counted from the rows. Empty where there is nothing to count.
 */
export function failingLine(view: FailingView | null): string {
  if (view === null) return ''
  const { rows, tests } = view
  const judged =
    rows.length === 0 ? withoutRows(view) : [countedRows(rows), ...(tests.problem === null ? unseenWords(view) : [])]
  const what = rows.length === 0 ? ` failing ${tests.notJudged === 1 ? 'test' : 'tests'}` : ' more'
  const left = `${count(tests.notJudged)}${what} ${tests.notJudged === 1 ? 'was' : 'were'} not judged`
  const line = [...judged, ...(tests.notJudged === 0 ? [] : [left])].join('; ')
  return capital(line)
}

/** The same as sentences, with whether that is all; empty where there is nothing to count. */
export function failingSentences(view: FailingView | null): string {
  const line = failingLine(view)
  return [line === '' ? '' : `${line}.`, view?.allAccountedFor === true ? 'Every red check is accounted for.' : '']
    .filter((part) => part !== '')
    .join(' ')
}

function withoutRows(view: FailingView): string[] {
  const { tests, rollups, isOnlyRollups } = view
  if (tests.problem !== null) return ['the failing tests could not be looked up']
  if (isOnlyRollups) {
    const which = rollups.length === 1 ? 'the red check is' : `the ${count(rollups.length)} red checks are`
    return [`whether ${which} yours is unknown`]
  }
  return unseenWords(view)
}

function unseenWords({ tests, unseen }: FailingView): string[] {
  if (unseen.length === 0) return []
  const yet = tests.isFinal === true ? '' : ' yet'
  return [`nothing is known${yet} about ${counted(unseen.length, 'red check', 'red checks')}`]
}

function countedRows(rows: readonly FailureRow[]): string {
  const added = rows.filter(isNewTest).length
  return added === 0 ? withoutNewTests(rows) : besideNewTests(rows, added)
}

/** `your new test fails, 1 more looks like yours; 4 are known failures` */
function besideNewTests(rows: readonly FailureRow[], added: number): string {
  const first = added === 1 ? 'your new test fails' : `your ${count(added)} new tests fail`
  const open = OPEN.flatMap(({ has, one, many }) => {
    const { length } = rows.filter(has)
    return length === 0 ? [] : [`${count(length)} more ${length === 1 ? one : many}`]
  })
  const known = rows.filter(isKnown).length
  if (known === 0) return [first, ...open].join(', ')
  const others = open.length === 0 ? theOther(known) : count(known)
  return `${[first, ...open].join(', ')}; ${others} ${knownWords(known)}`
}

function withoutNewTests(rows: readonly FailureRow[]): string {
  const open = OPEN.map((one) => ({ ...one, number: rows.filter(one.has).length })).filter(({ number }) => number > 0)
  const known = rows.filter(isKnown).length
  const [first, ...others] = open
  if (first === undefined) return allOf(rows, knownWords(known))
  if (known === 0 && others.length === 0)
    return first.alone?.(rows) ?? allOf(rows, rows.length === 1 ? first.one : first.many)
  const words = open.map(({ number, one, many }, index) => {
    const of = index === 0 ? ` of ${count(rows.length)} ${noun(rows)}` : ''
    return `${count(number)}${of} ${number === 1 ? one : many}`
  })
  return `${words.join(', ')}${known === 0 ? '' : `; ${theOther(known)} ${knownWords(known)}`}`
}

function theOther(number: number): string {
  return number === 1 ? 'the other one' : `the other ${count(number)}`
}

function knownWords(number: number): string {
  return number === 1 ? 'is a known failure' : 'are known failures'
}

/** `the failing test is …`, `both failing tests are …`, `all 3 failing tests are …` */
function allOf(rows: readonly FailureRow[], what: string): string {
  const which = rows.length === 1 ? 'the' : rows.length === 2 ? 'both' : `all ${count(rows.length)}`
  return `${which} ${noun(rows)} ${what}`
}

/** A check that failed without a failing test is a failure, but no failing test. */
function noun(rows: readonly FailureRow[]): string {
  const areTests = rows.every(({ judged }) => judged.failure.testName !== '')
  if (areTests) return rows.length === 1 ? 'failing test' : 'failing tests'
  return rows.length === 1 ? 'failure' : 'failures'
}
