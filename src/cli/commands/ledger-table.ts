import type { FailingTests, JudgedFailure, TrunkExecution } from '../../judge/ledger/failure.ts'
import { FAILURE_COLUMNS } from '../../report/failing-test/columns.ts'
import { failureJson } from '../../report/render/failure-json.ts'
import { failureCounts, notJudgedWords, timesSeen } from '../../report/render/failure-lines.ts'
import { classificationWords, reasonWords, recentHits } from '../../report/render/ledger-words.ts'
import { count, counted, day, list, minute } from '../../text/numbers.ts'
import { isoTime } from '../../text/time.ts'
import type { CommandIO } from './command.ts'
import type { StoredVerdict } from './lookup-stored.ts'
import { type Colour, formatTable, painter, type TerminalColumn } from './table.ts'
import { plainText, terminalWidth, truncate, withSpaces, wrapText } from './terminal-text.ts'

/** What `ledger lookup` prints for a person: a line for each failure, or a block. */

export interface LookupResult {
  /** The failures in the order in which they are to be shown. */
  readonly failures: readonly LookedUp[]
  readonly lookbackDays: number
  readonly notJudged: number
  /** Milliseconds: dates of other years are written with them. */
  readonly seenFrom: number
}

interface DetailedResult extends LookupResult {
  /** They are those of a test, each with a line that says as of when; false: of a commit. */
  readonly isOfTest: boolean
}

/**
 * A line for each failure:
 *
 *     test                    failure is        pull requests  hits  trunk  since   check
 *     03999_my_new_test       looks like yours              0     0      0          Stateless tests (asan)
 *     02995_settings_26_10_1  chronic                       7     8      0  May 28  Stateless tests (asan)
 */
export function ledgerTable({ lookbackDays, notJudged, seenFrom, ...found }: LookupResult, io: CommandIO): string[] {
  const failures = found.failures.map(asTheBotSays)
  const paint = painter(io.stdout, io.env)
  const own: Readonly<Record<string, Partial<TerminalColumn<JudgedFailure>>>> = {
    classification: { colour: colourOf },
    first_seen: { text: ({ firstSeen }) => (firstSeen === null ? '' : day(firstSeen, seenFrom)) },
  }
  const columns: readonly TerminalColumn<JudgedFailure>[] = [
    { heading: 'test', text: nameOf },
    ...FAILURE_COLUMNS.flatMap(({ heading, ...column }) =>
      heading === undefined ? [] : [{ ...column, heading, ...own[column.key ?? ''] }],
    ),
    { heading: 'check', text: ({ failure }) => (failure.testName === '' ? '' : plainText(failure.checkName)) },
  ]
  const width = terminalWidth(io.stdout)
  const line = (text: string, colour?: Colour): string => paint(width === null ? text : truncate(text, width), colour)
  return [
    line(withSpaces(failureCounts(failures)), 'bold'),
    '',
    ...formatTable(columns, failures, width, paint),
    '',
    ...notJudgedLines(notJudged),
    line(`failures elsewhere in ${counted(lookbackDays, 'day', 'days')}; --details has the reasons`, 'dim'),
  ]
}

function notJudgedLines(notJudged: number): string[] {
  return notJudged === 0 ? [] : [notJudgedWords(notJudged)]
}

/**
 * A block for each failure: its name, where and with what it failed, then the line that a maintainer would write and a line
 * for each reason:
 *
 *     02995_settings_26_10_1
 *       Stateless tests (asan): Code: 241. Memory limit exceeded
 *       chronic  7 unrelated pull requests, 8 hits, 0 on the trunk in 30 days, since May 28
 *       - failed in 7 unrelated pull requests, 3 make it chronic
 */
export function ledgerDetails(
  { failures: lookedUp, lookbackDays, notJudged, isOfTest, seenFrom }: DetailedResult,
  io: CommandIO,
): string[] {
  const failures = lookedUp.map(asTheBotSays)
  const paint = painter(io.stdout, io.env)
  const width = terminalWidth(io.stdout)
  const line = (text: string, colour?: Colour): string[] =>
    wrapText(withSpaces(text), '    ', width).map((one) => paint(one, colour))
  const lines = line(withSpaces(failureCounts(failures)), 'bold')
  for (const one of lookedUp) {
    const { judged } = one
    const { testName, reportUrl } = judged.failure
    lines.push('', ...line(nameOf(judged), 'bold'))
    const facts = [
      placeOf(judged),
      ...(isOfTest ? [standing(one)] : []),
      recentHits(judged, lookbackDays) ?? '',
      seenIn(judged, seenFrom),
      judged.owner === null ? '' : `owner ${plainText(judged.owner)}`,
    ]
    const [place = '', ...others] = facts
    if (place !== '') lines.push(...line(`  ${place}`))
    lines.push(...verdictLines(one, { lookbackDays, seenFrom }).flatMap(([text, colour]) => line(`  ${text}`, colour)))
    for (const fact of others) if (fact !== '') lines.push(...line(`  ${fact}`))
    for (const reason of judged.reasons) lines.push(...line(`  - ${plainText(reasonWords(reason))}`, 'dim'))
    if (judged.issue !== null)
      lines.push(...line(`  issue #${judged.issue.number}: ${plainText(judged.issue.title)} ${judged.issue.url}`))
    // an address that was cut leads nowhere
    if (testName === '' && reportUrl !== '') lines.push(`  log: ${plainText(reportUrl)}`)
    if (judged.proofUrl !== null) lines.push(`  proof: ${plainText(judged.proofUrl)}`)
  }
  const unowned = failures.filter(({ owner }) => owner === null).length
  if (unowned > 0 && unowned < failures.length) {
    lines.push('', ...line(`${count(unowned)} of ${counted(failures.length, 'failure has', 'failures have')} no owner`))
  }
  if (notJudged > 0) lines.push('', ...notJudgedLines(notJudged))
  return lines
}

/** As the comment on this commit has it; where the bot has said nothing of it, as the history has it. */
export function asTheBotSays({ judged, stored }: Pick<LookedUp, 'judged' | 'stored'>): JudgedFailure {
  if (stored === null || stored.head !== judged.failure.commitSha) return judged
  const { classification, reasons } = stored.judged
  return { ...judged, classification, reasons }
}

/** What the bot said on the pull request stands before what the history says alone. */
function verdictLines(
  { judged, stored }: LookedUp,
  { lookbackDays, seenFrom }: Pick<LookupResult, 'lookbackDays' | 'seenFrom'>,
): (readonly [text: string, colour?: Colour | undefined])[] {
  const history = `${classificationOf(judged)}${evidence(judged, lookbackDays, seenFrom)}`
  if (stored === null) return [[history, colourOf(judged)]]
  if (stored.judged.classification === judged.classification)
    return [[history, colourOf(judged)], [`the bot says the same ${whereSaid(stored)}`]]
  const [verdict = '', ...reasons] = storedLines(stored)
  const colour = colourOf(stored.judged)
  return [[verdict, colour], ...reasons.map((reason) => [reason] as const), [`its history alone says: ${history}`]]
}

function whereSaid({ pullRequestNumber, head }: StoredVerdict): string {
  return `on #${pullRequestNumber} at ${shortCommit(head)}`
}

/** `looks like yours: so the bot says on #3 at 396b743`, and a line for each reason. */
export function storedLines(stored: StoredVerdict): readonly string[] {
  return [
    `${classificationOf(stored.judged)}: so the bot says ${whereSaid(stored)}`,
    ...stored.judged.reasons.map((reason) => `- ${plainText(reasonWords(reason))}`),
  ]
}

/** `as of 2026-11-20 13:00 UTC; last failed 2026-11-20 12:00 UTC in 7375626, passed on the trunk since in 6b33d1a (…)` */
function standing({ judged: { failure }, until, passedSince }: LookedUp): string {
  const pullRequest = failure.pullRequestNumber === 0 ? '' : ` of pull request ${failure.pullRequestNumber}`
  const failed = `last failed ${minute(failure.time)} in ${shortCommit(failure.commitSha)}${pullRequest}`
  const passed =
    passedSince === null
      ? ''
      : `, passed on the main branch since: ${minute(passedSince.time)} in ${shortCommit(passedSince.commitSha)}`
  return `as of ${minute(until)}: ${failed}${passed}`
}

function shortCommit(sha: string): string {
  return plainText(/^[\da-f]{40,}$/.test(sha) ? sha.slice(0, 7) : sha.slice(0, 40))
}

/** Pull requests that are named; more are a number. */
const NAMED_PULL_REQUESTS = 5

/** `last seen Oct 26: #151, #121 and others`: where a person looks to see whether it is the same. */
function seenIn({ lastSeen, examples }: JudgedFailure, seenFrom: number): string {
  if (lastSeen === null || examples.length === 0) return ''
  const numbers = [...new Set(examples.map(({ pullRequestNumber }) => pullRequestNumber))]
  const named = numbers
    .slice(0, NAMED_PULL_REQUESTS)
    .map((number) => (number === 0 ? 'the main or a release branch' : `#${number}`))
  return `last seen ${day(lastSeen, seenFrom)}: ${list(numbers.length > named.length ? [...named, 'others'] : named)}`
}

function classificationOf({ classification }: JudgedFailure): string {
  return withSpaces(classificationWords(classification))
}

function nameOf({ failure }: JudgedFailure): string {
  return failure.testName === '' ? `${plainText(failure.checkName)} (the check itself)` : plainText(failure.testName)
}

/** The check, where it is not the name already, and what the failure is told by. */
function placeOf({ failure: { testName, checkName, signature } }: JudgedFailure): string {
  const text = truncate(plainText(signature.text), 160)
  const toldBy = signature.kind === 'name' ? '' : signature.kind === 'stack-trace-id' ? `STID ${text}` : text
  const parts = [testName === '' ? '' : plainText(checkName), toldBy]
  return parts.filter((part) => part !== '').join(': ')
}

/** `  7 unrelated pull requests, 8 hits, 0 on the main branch in 30 days, since May 28` */
function evidence(judged: JudgedFailure, lookbackDays: number, seenFrom: number): string {
  // a check that sums up others has no failures of its own to count
  return judged.classification === 'rollup' ? '' : `  ${withSpaces(timesSeen(judged, { lookbackDays, seenFrom }))}`
}

function colourOf({ classification }: JudgedFailure): Colour | undefined {
  if (classification === 'pr-suspect') return 'red'
  return classification === 'unknown' ? 'yellow' : 'green'
}

interface LookupDocument extends Pick<FailingTests, 'source' | 'lookbackDays' | 'problem' | 'notJudged'> {
  readonly failures: readonly LookedUp[]
  /** Names of tests that are like the one that did not fail. */
  readonly suggestions: readonly string[]
}

export interface LookedUp {
  readonly judged: JudgedFailure
  /** The end of the lookback, in milliseconds. */
  readonly until: number
  /** The newest pass on the trunk after the failure, in its check; null: none, or nobody looked. */
  readonly passedSince: TrunkExecution | null
  /** Null: the bot has said nothing of it. */
  readonly stored: StoredVerdict | null
}

/** The document of `ledger lookup --json`: times are ISO 8601, and a reason has its words beside its numbers. */
export function lookupJson(lookup: LookupDocument) {
  return { ...lookup, failures: lookup.failures.map(lookedUpJson) }
}

function lookedUpJson({ judged, until, passedSince, stored }: LookedUp) {
  return {
    ...failureJson(judged),
    stored: stored === null ? null : { ...stored, judged: failureJson(stored.judged) },
    asOf: isoTime(until),
    passedOnTrunkSince:
      passedSince === null ? null : { commitSha: passedSince.commitSha, time: isoTime(passedSince.time) },
  }
}
