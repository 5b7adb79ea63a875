import type { Classification, JudgedFailure, NamedFix, Reason } from '../../judge/ledger/failure.ts'
import { chancePercent, count, counted, day, howOften, minute, percentRange } from '../../text/numbers.ts'
import { code, commit, joined, type Phrase, phrase, toText } from '../../text/phrase.ts'
import type { Detail } from '../evidence-words.ts'
import { CLASSIFICATION_WORDS, INFRASTRUCTURE_WORDS, LOOKUP_PROBLEM_WORDS } from '../words.ts'
import { byWhom, why } from './acceptance-words.ts'

/** What is said of failing tests, the same for the comment, the page, the command line and a pre-filled issue. */

/** `chronic`, `looks like yours`, … */
export function classificationWords(classification: Classification): string {
  return CLASSIFICATION_WORDS[classification].term
}

/** `1 looks like yours`, `2 look like yours`, `3 chronic` */
export function countedTerm(number: number, term: string): string {
  return `${count(number)} ${number === 1 ? term : term.replace(/^looks /, 'look ')}`
}

/** `7 unrelated pull requests, 8 hits, 0 on the trunk in 30 days`; says so where nothing could be counted. */
export function countsWords(judged: Counts, lookbackDays: number): string {
  const counts = plainCounts(judged)
  return counts === null ? 'not counted' : `${counts} in ${counted(lookbackDays, 'day', 'days')}`
}

type Counts = Pick<JudgedFailure, 'unrelatedPullRequests' | 'hits' | 'trunkHits'>

/** The same without the period; null where nothing could be counted. */
export function plainCounts({ unrelatedPullRequests, hits, trunkHits }: Counts): string | null {
  if (unrelatedPullRequests === null || hits === null || trunkHits === null) return null
  const pullRequests = counted(unrelatedPullRequests, 'unrelated pull request', 'unrelated pull requests')
  return `${pullRequests}, ${counted(hits, 'hit', 'hits')}, ${count(trunkHits)} on the main branch`
}

/** `3 hits in 14 days, 6 in 30`; null where the lookback is no longer than that, or nothing was counted. */
export function recentHits(
  { hits, hits14 = null, hits30 = null }: Pick<JudgedFailure, 'hits' | 'hits14' | 'hits30'>,
  lookbackDays: number,
): string | null {
  if (hits === null || hits === 0 || hits14 === null || hits30 === null || lookbackDays <= 30) return null
  return `${counted(hits14, 'hit', 'hits')} in 14 days, ${count(hits30)} in 30`
}

/** A reason with its numbers as a clause in plain text without Markdown: not escaped for HTML, on one line. */
export function reasonWords(reason: Reason): string {
  return toText(reasonPhrase(reason, 'all'))
}

/** A test's name: those of ClickHouse's functional tests and most of pytest's are shorter. */
export const TEST_LIMIT = 100
const PATH_LIMIT = 160

/** Commits that are named; more are a number. */
const NAMED_COMMITS = 3

/** A reason with its numbers as a clause. In a row that has the counts and the name of the test beside it, without these. */
export function reasonPhrase(reason: Reason, detail: Detail): Phrase {
  const isAll = detail === 'all'
  switch (reason.kind) {
    case 'ignored':
      return phrase`ignored ${byWhom(reason.by)}${why(reason.by)}`
    case 'declared-chronic':
      return phrase`declared chronic ${byWhom(reason.by)}${why(reason.by)}`
    case 'declaration-expired':
      return phrase`was declared chronic ${byWhom(reason.by)}${why(reason.by)}, but that has ended`
    case 'sums-up-others':
      return ['only sums up other checks']
    case 'no-test-failed':
      return reason.problem === null
        ? ['the check failed without a failing test']
        : phrase`no test failed: ${INFRASTRUCTURE_WORDS[reason.problem].term}`
    case 'follows-from':
      return phrase`follows from ${code(reason.testName, TEST_LIMIT)} in the same job`
    case 'test-changed':
      return isAll
        ? phrase`${reason.added ? 'new' : 'edited'} in this pull request (${code(reason.path, PATH_LIMIT)})`
        : [`${reason.added ? 'new' : 'edited'} in this PR`]
    case 'in-mass-failure':
      return phrase`one of ${counted(reason.tests, 'test', 'tests')} that failed in ${counted(reason.pullRequests, 'pull request', 'pull requests')} within ${hoursFrom(reason)}`
    case 'failed-at-merge-base':
      return phrase`also failed at the merge base ${commit(reason.commitSha)}`
    case 'latest-trunk-runs-failed':
      return phrase`failed in the latest ${counted(reason.commits.length, 'run', 'runs')} of this check on the main branch (${commitList(reason.commits)})`
    case 'unrelated-pull-requests':
      return phrase`failed in ${counted(reason.pullRequests, 'unrelated pull request', 'unrelated pull requests')}${ofStrangers(reason.strangers ?? 0)}; ${count(reason.needed)} make it chronic`
    case 'trunk-hits':
      return phrase`failed ${times(reason.hits)} on the main branch, on ${counted(reason.days, 'day', 'different days')}; ${counted(reason.needed, 'day makes', 'days make')} it chronic`
    case 'passed-on-same-commit': {
      const example = commit(reason.example)
      const where =
        reason.commits === 1 ? example : phrase`each of ${count(reason.commits)} commits, such as ${example}`
      return phrase`both failed and passed on ${where}`
    }
    case 'never-elsewhere':
      return isAll
        ? phrase`0 of ${runsOf(reason)} elsewhere had this error; if it failed even ${howOften(reason.rate)}, we would have seen it (chance to miss it: ${chancePercent(reason.chance)})`
        : phrase`new error: 0 of ${runsOf(reason)} elsewhere had it`
    case 'too-few-runs':
      return reason.runs === 0
        ? phrase`no execution elsewhere is known in that time; ${count(reason.needed)} without a failure would settle it`
        : phrase`not seen in ${counted(reason.runs, 'execution', 'executions')} elsewhere, but it takes ${count(reason.needed)} to be sure`
    case 'too-few-hits':
      return isAll
        ? phrase`too few hits to call it chronic: ${counted(reason.pullRequests, 'unrelated pull request', 'unrelated pull requests')}, ${count(reason.trunkHits)} on the main branch`
        : ['too few hits to call it chronic']
    case 'fails-more-here':
      return phrase`failed here in ${count(reason.failed)} of ${counted(reason.checks, 'check', 'checks')}, elsewhere in ${count(reason.hits)} of ${counted(reason.runs, 'execution', 'executions')}: not a coincidence (chance ${chancePercent(reason.chance)})`
    case 'stack-in-changed-file':
      return phrase`its stack goes through ${code(reason.path, PATH_LIMIT)}, which this pull request changes`
    case 'stack-in-other-files':
      return phrase`its stack names ${counted(reason.files, 'file', 'files')}, none of which this pull request changes`
    case 'of-stretches':
      return phrase`${counted(reason.pullRequests, 'pull request', 'pull requests')} failed the same way while the main branch was broken; that is one cause, so they are not counted`
    case 'in-other-check':
      return phrase`known from ${code(reason.checkName, TEST_LIMIT)}, not from this check`
    case 'only-in-other-checks':
      return phrase`failed like this in 0 of ${counted(reason.runs, 'execution', 'executions')} of this check, only in others such as ${code(reason.checkName, TEST_LIMIT)}`
    case 'ended-stretch':
      return phrase`${reason.commits === 1 ? 'failed' : 'was broken'} on the main branch ${daysOf(reason)}, and has passed there since (${counted(reason.runs, 'run', 'runs')})${BUILD_OF_STRETCH[reason.mergeBase ?? 'trunk']}`
    case 'fixed-on-trunk':
      return phrase`has passed on the main branch since ${day(reason.since, reason.since)} (${counted(reason.runs, 'run', 'runs')}): ${reason.buildIsOlder ? 'this build predates that, so ' : ''}update the branch${fixedBy(reason.fix)}`
    case 'word-not-counted':
      return phrase`failed the same way for ${uncounted(reason)}; that is not counted in gating mode`
    case 'nothing-said':
      return phrase`nothing says why this ${reason.of} failed${redElsewhere(reason.pullRequests, isAll)}`
    case 'other-signature':
      return isAll || reason.pullRequests === 0
        ? phrase`failed elsewhere with another error (${inPullRequests(reason)})`
        : phrase`the test failed in ${counted(reason.pullRequests, 'other PR', 'other PRs')} with other errors`
    case 'same-stack':
      return phrase`the same stack with a different message elsewhere (${inPullRequests(reason)}), so neither chronic nor new`
    case 'matched-by-name':
      return ['no output to compare, so counted by name alone']
    case 'mass-failures-left-out':
      return phrase`${counted(reason.hits, 'failure', 'failures')} in ${counted(reason.hours, 'hour', 'hours')} of mass failure not counted`
    case 'passed-on-retry':
      return ['passed when the same job ran it again']
    case 'more-not-read':
      return phrase`${counted(reason.hits, 'older failure was', 'older failures were')} not read, so the counts are too low`
    case 'clock-ahead':
      return ['its time is in the future, so a clock is wrong']
    case 'lookup-failed':
      return phrase`not looked up: ${LOOKUP_PROBLEM_WORDS[reason.problem].term}`
    default:
      return reason satisfies never
  }
}

/** `4 times, in 3 pull requests` */
function inPullRequests({ hits, pullRequests }: { readonly hits: number; readonly pullRequests: number }): string {
  const times = counted(hits, 'time', 'times')
  return pullRequests === 0 ? times : `${times}, in ${counted(pullRequests, 'pull request', 'pull requests')}`
}

/** `failed in 61 of 65 trunk runs, 85–98%`; null where there were none. */
export function trunkRatePhrase({ trunkRate: rate }: Pick<JudgedFailure, 'trunkRate'>, detail: Detail): Phrase | null {
  if (rate === null || rate.runs === 0) return null
  const of = counted(rate.runs, 'run on the main branch', 'runs on the main branch')
  const range = rate.failed > 0 || detail === 'all' ? `, ${percentRange(rate.low, rate.high)}` : ''
  return phrase`failed in ${count(rate.failed)} of ${of}${range}`
}

/** `the hour from 10:00`, `the 24 hours from 2026-11-01 00:00 UTC` */
export function hoursFrom({ hours = 1, start }: Extract<Reason, { kind: 'in-mass-failure' }>): string {
  return `the ${hours === 1 ? 'hour' : `${count(hours)} hours`} from ${minute(start)}`
}

function fixedBy(fix: NamedFix | undefined): Phrase {
  if (fix === undefined) return []
  const number = code(`#${fix.pullRequestNumber}`, 16)
  if (fix.saidIn === 'commit') return phrase` (${number}, merged in between, names it)`
  const who = fix.saidIn === 'issue' ? 'its issue' : 'who declared it'
  return phrase` (${who} names ${number} as the fix)`
}

const BUILD_OF_STRETCH = {
  outside: ', but the merge base of this build is from another time',
  'not-known': '; the merge base of this build is not known',
  trunk: '',
} as const

/** `on Sep 11`, `from Sep 11 to Sep 12` */
function daysOf({ from, to }: Extract<Reason, { kind: 'ended-stretch' }>): string {
  const [first, last] = [day(from, from), day(to, to)]
  return first === last ? `on ${first}` : `from ${first} to ${last}`
}

function ofStrangers(strangers: number): string {
  return strangers === 0 ? '' : ` (${count(strangers)} of them by first-time contributors)`
}

function uncounted({ strangers, notKnown }: Extract<Reason, { kind: 'word-not-counted' }>): string {
  return [
    ...(strangers === 0 ? [] : [counted(strangers, 'first-time contributor', 'first-time contributors')]),
    ...(notKnown === 0 ? [] : [counted(notKnown, 'author not known yet', 'authors not known yet')]),
  ].join(' and ')
}

/** Where the counts stand beside it they say in how many. */
function redElsewhere(pullRequests: number, isAll: boolean): string {
  if (pullRequests === 0) return ''
  const red = isAll ? ' in which it was red' : ''
  if (pullRequests === 1) return `, and the other pull request${red} may have its own reason`
  return `, and each of the ${isAll ? `${count(pullRequests)} ` : ''}other pull requests${red} may have its own reason`
}

function times(number: number): string {
  return number === 1 ? 'once' : `${count(number)} times`
}

function commitList(commits: readonly string[]): Phrase {
  const named = joined(
    commits.slice(0, NAMED_COMMITS).map((id) => [commit(id)]),
    ', ',
  )
  const more = commits.length - NAMED_COMMITS
  return more > 0 ? phrase`${named} and ${count(more)} more` : named
}

/** `812 executions`, `400 runs of this check`: what a failure could have shown itself in. */
export function runsOf({ of, runs }: Extract<Reason, { kind: 'never-elsewhere' }>): string {
  return of === 'check' ? `${counted(runs, 'run', 'runs')} of this check` : counted(runs, 'execution', 'executions')
}
