import type { JudgedFailure, Reason } from '../../judge/ledger/failure.ts'
import { reportIssueUrl } from '../../judge/ledger/report-issue.ts'
import { codeSpan, link, linkDestination, NAME_LIMIT } from '../../text/markdown.ts'
import { count, counted, day, list } from '../../text/numbers.ts'
import { commitUrlIn, toMarkdown } from '../../text/phrase.ts'
import { FAILING_TESTS_ANCHOR, failureAnchor } from '../anchors.ts'
import {
  expiredWords,
  firstHit,
  knownSince,
  knownSincePhrase,
  reopenedWords,
  trunkCommitPhrases,
} from './entry-words.ts'
import type { FailureGroup, FailureRow } from './failing-view.ts'
import {
  countsWords,
  hoursFrom,
  plainCounts,
  reasonPhrase,
  recentHits,
  TEST_LIMIT,
  trunkRatePhrase,
} from './ledger-words.ts'
import type { View } from './view.ts'

/** The first failing lines: a client's first one says only that the server's follows. Four lines of a phone at most. */
const ERROR_LIMIT = 160

/** Tests, checks and fallout that are named; more are a number. */
const NAMED_TESTS = 5
const NAMED_CHECKS = 2
const NAMED_FALLOUT = 4

/** What is said of one failing test in words. Everything returned is Markdown. */

/** `test` (STID 2508-38c6) in `check` and 3 other checks; of a check without a failing test only the check. */
export function failureName(view: View, { judged, checks }: FailureRow): string {
  const where = checkNames(view, checks)
  return judged.failure.testName === '' ? where : `${testName(judged)} in ${where}`
}

/** The same of rows that are shown as one: `a`, `b` and 7 others in `check` and 3 other checks. */
export function groupName(view: View, group: FailureGroup): string {
  if (group.length === 1) return failureName(view, group[0])
  // A check that failed without a failing test says why it did, and so stands in a row of its own.
  const names = [...new Set(group.map(({ judged }) => testName(judged)))]
  const named = names.slice(0, names.length === NAMED_TESTS + 1 ? names.length : NAMED_TESTS)
  const more = names.length - named.length
  const tests = list([...named, ...(more === 0 ? [] : [`${count(more)} others`])])
  return `${tests} in ${checkNames(view, [...new Set(group.flatMap(({ checks }) => checks))])}`
}

function checkNames(view: View, checks: readonly string[]): string {
  const names = checks.slice(0, NAMED_CHECKS).map((check) => checkName(view, check))
  const more = checks.length - names.length
  return more === 0 ? names.join(' and ') : `${names.join(', ')} and ${counted(more, 'other check', 'other checks')}`
}

/** The name as code, with the stack trace id behind it. */
export function testName({ failure }: JudgedFailure): string {
  const { testName: name, signature } = failure
  if (signature.kind !== 'stack-trace-id') return codeSpan(name, TEST_LIMIT)
  const id = /^[0-9]{4}-[0-9a-f]{4}$/.test(signature.text) ? signature.text : codeSpan(signature.text, 24)
  const suffix = ` (STID: ${signature.text})`
  return `${codeSpan(name.endsWith(suffix) ? name.slice(0, -suffix.length) : name, TEST_LIMIT)} (STID ${id})`
}

/** The check as code, linked to its page on GitHub where that is known. */
export function checkName({ report }: View, name: string): string {
  const url = report.failingTests?.redChecks.find((check) => check.name === name)?.url ?? null
  return link(codeSpan(name, NAME_LIMIT), url)
}

/** Checks that are named in one sentence; more are a number. */
const MOST_CHECKS = 8

/** `a`, `b` and 3 more */
export function namedChecks(view: View, names: readonly string[]): string {
  const shown = names.slice(0, MOST_CHECKS).map((name) => checkName(view, name))
  const more = names.length - shown.length
  return list(more === 0 ? shown : [...shown, `${count(more)} more`])
}

/** Reasons that the counts or another part of the row say. */
const SAID_ELSEWHERE: ReadonlySet<Reason['kind']> = new Set([
  'sums-up-others',
  'unrelated-pull-requests',
  'trunk-hits',
  'lookup-failed',
])

/** Reasons that say what was seen elsewhere better than `0 hits`. */
const SAYS_NO_HITS: ReadonlySet<Reason['kind']> = new Set([
  'never-elsewhere',
  'too-few-runs',
  'same-stack',
  'test-changed',
  'in-mass-failure',
  'no-test-failed',
  'follows-from',
])

interface FactsShown {
  /** The counts with the days they are of. */
  readonly saysPeriod: boolean
  /** The hits of the last 14 and 30 days: where a fold has room for them. */
  readonly saysRecent: boolean
}

/** The facts of one row, what decided first. */
function failureFacts(view: View, row: FailureRow, { saysPeriod, saysRecent }: FactsShown): string[] {
  const { judged } = row
  const reasons = judged.reasons
    .filter(({ kind }) => !SAID_ELSEWHERE.has(kind) && !isSaidByMassFailure(judged, kind))
    .map((reason) => reasonFact(view, reason))
  const isDecided = judged.reasons[0] !== undefined && !SAID_ELSEWHERE.has(judged.reasons[0].kind)
  const [decisive, others] = isDecided ? [reasons.slice(0, 1), reasons.slice(1)] : [[], reasons]
  const facts = [
    errorFact(judged),
    ...decisive,
    countsFact(view, judged, saysPeriod),
    saysRecent ? recentHits(judged, view.report.failingTests?.lookbackDays ?? 0) : null,
    ...entryFacts(view, judged),
    judged.reasons.some(({ kind }) => kind === 'lookup-failed') ? 'not looked up' : null,
    trunkDays(judged),
    trunkRate(judged),
    ...trunkCommits(view, judged),
    ...others,
    proof(view, judged),
    issueFact(view, judged),
    judged.owner === null ? null : `owner ${codeSpan(judged.owner, 40)}`,
    falloutFact(row),
  ]
  return facts.filter((fact) => fact !== null)
}

/** What rows that are shown as one have in common. */
export function groupFacts(view: View, group: FailureGroup, shown: FactsShown): string[] {
  const [first] = group
  const mass = first.judged.reasons.find((reason) => reason.kind === 'in-mass-failure')
  if (group.length === 1 || mass === undefined) return failureFacts(view, first, shown)
  const { reportUrl } = view.links
  const tests = counted(mass.tests, 'test', 'tests')
  const pullRequests = counted(mass.pullRequests, 'pull request', 'pull requests')
  return [
    `failed within ${hoursFrom(mass)}, when ${tests} failed in ${pullRequests}`,
    ...(reportUrl === null
      ? [proof(view, first.judged)].flatMap((link) => (link === null ? [] : [`${link} of the first`]))
      : [link('evidence', `${reportUrl}#${FAILING_TESTS_ANCHOR}`)]),
  ]
}

/** The mass failure itself says that failures elsewhere in its hour are no hits. */
function isSaidByMassFailure({ classification }: JudgedFailure, kind: Reason['kind']): boolean {
  return classification === 'mass-failure' && kind === 'mass-failures-left-out'
}

/** The first failing lines, where the reader has to say himself whether it is his. */
function errorFact({ classification, failure: { signature } }: JudgedFailure): string | null {
  const isOpen = classification === 'pr-suspect' || classification === 'unknown'
  return isOpen && signature.kind === 'output' ? codeSpan(signature.text, ERROR_LIMIT) : null
}

/** What the ledger knows from before the lookback, and what nobody shall overlook. */
function entryFacts({ report }: View, judged: JudgedFailure): string[] {
  const since = knownSincePhrase(judged, report.failingTests?.lookbackDays ?? 0)
  const expired = expiredWords(judged)
  return [
    since === null ? null : toMarkdown(since),
    expired === null ? null : `**${expired}**`,
    reopenedWords(judged),
  ].filter((fact) => fact !== null)
}

function reasonFact(view: View, reason: Reason): string {
  return toMarkdown(reasonPhrase(reason, 'main'), commitUrlIn(view.report.repository.url))
}

/** `7 unrelated pull requests, 8 hits, 0 on the trunk in 30 days, since May 28` */
function countsFact({ report }: View, judged: JudgedFailure, saysPeriod: boolean): string | null {
  const lookbackDays = report.failingTests?.lookbackDays ?? 0
  if (judged.hits === null) return null
  if (judged.hits === 0) {
    const isSaid = judged.reasons.some(({ kind }) => SAYS_NO_HITS.has(kind))
    return isSaid ? null : `0 hits elsewhere in ${counted(lookbackDays, 'day', 'days')}`
  }
  const isOlder = knownSince(judged, lookbackDays) !== null
  // Beside another time the days are said again: they are what the counts are of.
  const counts = saysPeriod || isOlder ? countsWords(judged, lookbackDays) : plainCounts(judged)
  const first = isOlder ? null : firstHit(judged, lookbackDays)
  return counts === null ? null : `${counts}${first === null ? '' : `, since ${day(first, judged.failure.time)}`}`
}

/** Where the trunk alone makes it chronic the days decide, not the hits. */
function trunkDays({ classification, reasons }: JudgedFailure): string | null {
  if (classification !== 'chronic' || reasons.some(({ kind }) => kind === 'unrelated-pull-requests')) return null
  const trunk = reasons.find((reason) => reason.kind === 'trunk-hits')
  return trunk === undefined ? null : `on the main branch on ${counted(trunk.days, 'day', 'different days')}`
}

function trunkRate(judged: JudgedFailure): string | null {
  const isSaid = judged.trunkRate?.failed === 0 && judged.reasons.some(({ kind }) => kind === 'never-elsewhere')
  const said = isSaid ? null : trunkRatePhrase(judged, 'main')
  return said === null ? null : toMarkdown(said)
}

function trunkCommits({ report }: View, judged: JudgedFailure): string[] {
  // The trunk's past explains nothing of what may be the pull request's.
  if (judged.classification === 'pr-suspect') return []
  return trunkCommitPhrases(judged).map((said) => toMarkdown(said, commitUrlIn(report.repository.url)))
}

/** Only what is not the pull request's is reported: the rest may be gone with the next push. */
function issueFact({ report, links }: View, judged: JudgedFailure): string | null {
  if (judged.issue !== null) return link(codeSpan(`#${judged.issue.number}`, 16), judged.issue.url)
  if (judged.classification !== 'chronic' && judged.classification !== 'broken-trunk') return null
  const url = reportIssueUrl(report.repository.url, judged, {
    labels: links.issueLabels ?? [],
    lookbackDays: report.failingTests?.lookbackDays ?? 0,
  })
  return linkDestination(url) === null ? 'no issue yet' : `no issue yet, ${link('report it', url)}`
}

function proof({ links }: View, judged: JudgedFailure): string | null {
  if (judged.hits === null) return null
  if (judged.proofUrl !== null && linkDestination(judged.proofUrl) !== null) return link('evidence', judged.proofUrl)
  return links.reportUrl === null ? null : link('evidence', `${links.reportUrl}#${failureAnchor(judged.failure)}`)
}

function falloutFact({ fallout }: FailureRow): string | null {
  if (fallout.length === 0) return null
  const names = fallout.slice(0, NAMED_FALLOUT).map((name) => codeSpan(name, NAME_LIMIT))
  const more = fallout.length - names.length
  return `with its fallout: ${names.join(', ')}${more === 0 ? '' : ` and ${count(more)} more`}`
}
