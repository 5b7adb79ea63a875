import type { Classification, JudgedFailure, Reason } from '../../judge/ledger/failure.ts'
import { counted, day, list } from '../../text/numbers.ts'
import { capital, type Phrase, shownText, toText } from '../../text/phrase.ts'
import type { Markup } from '../queue/lines.ts'
import { classificationWords, countedTerm, countsWords, reasonPhrase, trunkRatePhrase } from './ledger-words.ts'

/** The failures of a commit as lines that a person can post: who or what has each, or that nobody has it. */

export interface FailuresToPost {
  /** In the order in which they are to be shown. */
  readonly failures: readonly JudgedFailure[]
  readonly lookbackDays: number
  readonly notJudged: number
  /** Milliseconds: dates of other years are written with them. */
  readonly seenFrom: number
}

/** Checks of one failure, or tests of one cause, that are named; more are a number. */
const MOST_NAMED = 3

/** Room for ClickHouse's name of a logical error with its stack trace id at the end. */
const LONGEST_NAME = 160

/** Failures of one cause: one line has them all. */
const HAS_ONE_CAUSE: ReadonlySet<Classification> = new Set(['fallout', 'mass-failure'])

/** Whoever opened the pull request has it, or whoever has the failure that it follows from. */
const IS_OWNED: ReadonlySet<Classification> = new Set(['pr-suspect', 'fallout', 'ignored'])

/**
 * A line for each failure; what several checks have alike, or one cause, is one line:
 *
 *     2 failures of `e7c1bde` (#42)
 *     - `test_refund` in `tests (windows)` is unknown: not seen in 10 executions elsewhere, but it takes 59 to be sure. Nobody has it.
 *     - `Hung check failed` in `Stress test (amd_msan)` is chronic: 30 unrelated pull requests, 45 hits, 15 on the main branch in 60 days, since Aug 3. Issue #123.
 */
export function failureLines(found: FailuresToPost, commitSha: string, markup: Markup): readonly string[] {
  const { failures, notJudged } = found
  const rollups = failures.filter(isRollup).map(({ failure }) => markup.text(failure.checkName))
  const own = failures.filter((one) => !isRollup(one))
  const alike = Map.groupBy(own, (judged) => JSON.stringify([...saidOf(judged, found, markup), ...partOf(judged)]))
  const lines = [...alike.values()].map((same) => failureLine(same, found, markup))
  if (rollups.length > 0) lines.push(`${list(rollups)} only ${rollups.length === 1 ? 'sums' : 'sum'} up other checks.`)
  if (notJudged > 0) lines.push(`${notJudgedWords(notJudged)}.`)
  const number = failures[0]?.failure.pullRequestNumber ?? 0
  const of = `${markup.text(commitSha.slice(0, 7))}${number === 0 ? '' : ` (#${number})`}`
  return [`${counted(own.length, 'failure', 'failures')} of ${of}`, ...lines.map((line) => `${markup.bullet} ${line}`)]
}

/** `4 failures: 1 looks like yours, 2 chronic, 1 unknown`, in the order of the failures. */
export function failureCounts(failures: readonly JudgedFailure[]): string {
  const counts = new Map<string, number>()
  for (const { classification } of failures) {
    const word = classificationWords(classification)
    counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const parts = [...counts].map(([word, number]) => countedTerm(number, word))
  return `${counted(failures.length, 'failure', 'failures')}: ${parts.join(', ')}`
}

export function notJudgedWords(notJudged: number): string {
  return `${counted(notJudged, 'more failing test', 'more failing tests')} not judged`
}

function isRollup({ classification }: JudgedFailure): boolean {
  return classification === 'rollup'
}

/** Tells failures apart that read alike: another test or another error is another failure, unless they have one cause. */
function partOf({ classification, failure: { testName, checkName, signature } }: JudgedFailure): readonly unknown[] {
  const isTest = testName !== ''
  if (HAS_ONE_CAUSE.has(classification)) return [classification, isTest, checkName]
  return [classification, isTest ? testName : checkName, isTest, signature.text]
}

function failureLine(same: readonly JudgedFailure[], found: FailuresToPost, markup: Markup): string {
  const [first] = same as readonly [JudgedFailure, ...JudgedFailure[]]
  const [why, whose] = saidOf(first, found, markup)
  const named = (of: (judged: JudgedFailure) => string, one: string) => {
    const all = [...new Set(same.map(of))]
    const shown = all.slice(0, MOST_NAMED).map((name) => markup.text(name, LONGEST_NAME))
    const more = all.length - shown.length
    return list(more === 0 ? shown : [...shown, counted(more, `more ${one}`, `more ${one}s`)])
  }
  const checks = named(({ failure }) => failure.checkName, 'check')
  const what =
    first.failure.testName === ''
      ? `The check ${checks} itself`
      : `${named(({ failure }) => failure.testName, 'test')} in ${checks}`
  const isOne = first.failure.testName === '' || new Set(same.map(({ failure }) => failure.testName)).size === 1
  return `${what} ${standing(first, isOne)}: ${why}.${whose === '' ? '' : ` ${whose}.`}`
}

/** Not only the author reads it, so that `yours` would be somebody else's. */
function standing({ classification }: JudgedFailure, isOne: boolean): string {
  if (classification === 'pr-suspect') return `${isOne ? 'looks' : 'look'} like this pull request’s`
  return `${isOne ? 'is' : 'are'} ${classificationWords(classification)}`
}

/** Why it is classified so, and who has it. */
function saidOf(judged: JudgedFailure, found: FailuresToPost, markup: Markup): readonly [why: string, whose: string] {
  const isCounted = COUNTED.has(judged.reasons[0]?.kind)
  return [isCounted ? timesSeen(judged, found) : decisiveReason(judged, markup), whoHas(judged, markup)]
}

/** Reasons whose numbers are among those of `timesSeen`. */
const COUNTED: ReadonlySet<Reason['kind'] | undefined> = new Set(['unrelated-pull-requests', 'trunk-hits'])

/** `30 unrelated pull requests, 45 hits, 15 on the main branch in 60 days, since Aug 3` */
export function timesSeen(
  judged: JudgedFailure,
  { lookbackDays, seenFrom }: Pick<FailuresToPost, 'lookbackDays' | 'seenFrom'>,
): string {
  const rate = trunkRatePhrase(judged, 'main')
  return [
    countsWords(judged, lookbackDays),
    ...(judged.firstSeen === null ? [] : [`since ${day(judged.firstSeen, seenFrom)}`]),
    ...(rate === null ? [] : [toText(rate)]),
  ].join(', ')
}

function decisiveReason({ classification, reasons: [reason] }: JudgedFailure, markup: Markup): string {
  if (reason === undefined) return 'nothing is known of it'
  return markedUp(reasonPhrase(reason, classification === 'pr-suspect' ? 'main' : 'all'), markup)
}

function markedUp(phrase: Phrase, { text }: Markup): string {
  return phrase.map((piece) => (typeof piece === 'string' ? piece : text(shownText(piece), LONGEST_NAME))).join('')
}

/** Empty where the classification already says it. */
function whoHas({ classification, issue, owner }: JudgedFailure, { text, link }: Markup): string {
  const has = [
    ...(issue === null ? [] : [`issue ${link(`#${issue.number}`, issue.url)}`]),
    ...(owner === null ? [] : [`owner ${text(owner)}`]),
  ]
  if (has.length > 0) return capital(has.join(', '))
  if (classification === 'unknown' || classification === 'infrastructure') return 'Nobody has it'
  return IS_OWNED.has(classification) ? '' : 'No issue and no owner'
}
