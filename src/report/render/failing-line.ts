import type { Classification } from '../../judge/ledger/failure.ts'
import { count, counted } from '../../text/numbers.ts'
import type { FailingView, FailureRow } from './failing-view.ts'
import { CLASSIFICATION_WORDS } from './glossary.ts'

/** The classifications in the order in which failures are shown, each as what a failing test is. */
const GROUPS: readonly {
  readonly has: (row: FailureRow) => boolean
  /** What one of several is: `is chronic`. */
  readonly one: string
  readonly many: string
  /** The whole sentence where all of them are: `both failing tests are chronic`. */
  readonly alone: (total: number, noun: string) => string
}[] = [
  group('pr-suspect', same(CLASSIFICATION_WORDS['pr-suspect'].term)),
  {
    ...group('unknown', same('could not be looked up')),
    has: isNotLookedUp,
    alone: (total, failures) =>
      total === 1
        ? `1 ${failures} could not be looked up`
        : `${total === 2 ? `neither of the 2` : `none of the ${count(total)}`} ${failures} could be looked up`,
  },
  {
    ...group('unknown', isOrAre(CLASSIFICATION_WORDS.unknown.term)),
    has: (row) => row.judged.classification === 'unknown' && !isNotLookedUp(row),
    alone: (total, failures) =>
      `whether the ${total === 1 ? `${failures} is` : `${count(total)} ${failures} are`} yours is unknown`,
  },
  group('mass-failure', isOrAre('part of a mass failure')),
  group('broken-trunk', isOrAre(CLASSIFICATION_WORDS['broken-trunk'].term)),
  group('chronic', isOrAre(CLASSIFICATION_WORDS.chronic.term)),
  group('flaky', isOrAre(CLASSIFICATION_WORDS.flaky.term)),
  group('infrastructure', isOrAre('down to infrastructure')),
  group('ignored', isOrAre(CLASSIFICATION_WORDS.ignored.term)),
  group('fallout', isOrAre(CLASSIFICATION_WORDS.fallout.term)),
]

function group(classification: Classification, { one, many }: { readonly one: string; readonly many: string }) {
  return {
    has: ({ judged }: FailureRow) => judged.classification === classification,
    one,
    many,
    alone: (total: number, failures: string) =>
      total === 1 ? `1 ${failures} ${one}` : `${total === 2 ? 'both' : `all ${count(total)}`} ${failures} ${many}`,
  }
}

function isOrAre(what: string) {
  return { one: `is ${what}`, many: `are ${what}` }
}

function same(words: string) {
  return { one: words, many: words }
}

/** Nothing could be asked about it: what is not known is not its history but everything. */
export function isNotLookedUp({ judged }: FailureRow): boolean {
  return judged.classification === 'unknown' && judged.reasons.some(({ kind }) => kind === 'lookup-failed')
}

/**
 * `of 4 failing tests 1 may be yours, 3 are chronic`, `both failing tests are chronic; every red check is accounted for`:
 * plain words without anything from outside, counted from the rows. Empty where there is nothing to count.
 */
export function failingLine(view: FailingView): string {
  const { rows, tests, allAccountedFor } = view
  const more = tests.notJudged === 0 ? [] : [`${count(tests.notJudged)} more were not judged`]
  const parts = [
    [...(rows.length === 0 ? withoutRows(view) : [countedRows(rows)]), ...more].join(', '),
    allAccountedFor ? 'every red check is accounted for' : '',
  ]
  return parts.filter((part) => part !== '').join('; ')
}

function withoutRows({ tests, unseen, rollups, isOnlyRollups }: FailingView): string[] {
  if (tests.problem !== null) return ['the failing tests could not be looked up']
  if (isOnlyRollups) {
    return [
      `whether the ${rollups.length === 1 ? 'red check is' : `${count(rollups.length)} red checks are`} yours is unknown`,
    ]
  }
  if (unseen.length === 0) return []
  return [
    `of ${counted(unseen.length, 'red check', 'red checks')} nothing is known${tests.isFinal === true ? '' : ' yet'}`,
  ]
}

function countedRows(rows: readonly FailureRow[]): string {
  const total = rows.length
  const groups = GROUPS.map((one) => ({ ...one, number: rows.filter(one.has).length })).filter(
    ({ number }) => number > 0,
  )
  const [first] = groups
  if (first !== undefined && groups.length === 1) return first.alone(total, noun(rows))
  const parts = groups.map(({ number, one, many }) => `${count(number)} ${number === 1 ? one : many}`)
  return `of ${count(total)} ${noun(rows)} ${parts.join(', ')}`
}

/** A check that failed without a failing test is a failure, but no failing test. */
function noun(rows: readonly FailureRow[]): string {
  const areTests = rows.every(({ judged }) => judged.failure.testName !== '')
  if (areTests) return rows.length === 1 ? 'failing test' : 'failing tests'
  return rows.length === 1 ? 'failure' : 'failures'
}
