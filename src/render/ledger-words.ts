import type { Classification, JudgedFailure, Reason } from '../ledger/failure.ts'
import { isCommitId } from '../text/commit-id.ts'
import { plainText } from '../text/markdown.ts'
import { chancePercent, count, counted, howOften, minute } from '../text/numbers.ts'
import { CLASSIFICATION_WORDS, INFRASTRUCTURE_WORDS, LOOKUP_PROBLEM_WORDS } from './glossary.ts'

/** What is said of failing tests, the same for the comment, the page, the command line and a pre-filled issue. */

/** `chronic`, `may be yours`, … */
export function classificationWords(classification: Classification): string {
  return CLASSIFICATION_WORDS[classification].term
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
  return `${pullRequests}, ${counted(hits, 'hit', 'hits')}, ${count(trunkHits)} on the trunk`
}

/** How what comes from outside is written into a sentence. */
export interface Style {
  readonly name: (text: string) => string
  readonly commit: (sha: string) => string
}

const PLAIN: Style = {
  name: (text) => plainText(text, 160),
  commit: (sha) => plainText(isCommitId(sha) ? sha.slice(0, 7) : sha, 24),
}

/** A reason with its numbers as a clause in plain text without Markdown: not escaped for HTML, on one line. */
export function reasonWords(reason: Reason): string {
  return reasonIn(PLAIN, reason)
}

/** Commits that are named; more are a number. */
const NAMED_COMMITS = 3

/** The same in another style, such as Markdown with code spans. */
export function reasonIn({ name, commit }: Style, reason: Reason): string {
  switch (reason.kind) {
    case 'sums-up-others':
      return 'only sums up other checks'
    case 'no-test-failed':
      return reason.problem === null
        ? 'the check failed without a failing test'
        : `no test failed: ${INFRASTRUCTURE_WORDS[reason.problem].term}`
    case 'follows-from':
      return `follows from ${name(reason.testName)} in the same job`
    case 'test-changed':
      return `${reason.added ? 'added' : 'edited'} by this pull request (${name(reason.path)})`
    case 'in-mass-failure':
      return `one of ${counted(reason.tests, 'test', 'tests')} that failed in ${counted(reason.pullRequests, 'pull request', 'pull requests')} within ${hoursFrom(reason)}`
    case 'failed-at-merge-base':
      return `failed at the merge base ${commit(reason.commitSha)} as well`
    case 'latest-trunk-runs-failed':
      return `failed in the latest ${counted(reason.commits.length, 'trunk run', 'trunk runs')} of this check (${commitList(reason.commits, commit)})`
    case 'unrelated-pull-requests':
      return `failed in ${counted(reason.pullRequests, 'unrelated pull request', 'unrelated pull requests')}, ${count(reason.needed)} make it chronic`
    case 'trunk-hits':
      return `failed ${times(reason.hits)} on the trunk, on ${counted(reason.days, 'day', 'different days')}; ${counted(reason.needed, 'day makes', 'days make')} it chronic`
    case 'passed-on-same-commit':
      return `both failed and passed on ${reason.commits === 1 ? commit(reason.example) : `each of ${count(reason.commits)} commits, such as ${commit(reason.example)}`}`
    case 'never-elsewhere':
      return `failed like this nowhere else in ${runsOf(reason)}; a failure that comes ${howOften(reason.rate)} would have shown itself (chance to miss it: ${chancePercent(reason.chance)})`
    case 'too-few-runs':
      return reason.runs === 0
        ? `no execution elsewhere is known in that time; ${count(reason.needed)} without a failure would tell`
        : `not seen in ${counted(reason.runs, 'execution', 'executions')} elsewhere, but it takes ${count(reason.needed)} to tell`
    case 'too-few-hits':
      return `seen elsewhere, but too seldom to be called chronic: ${counted(reason.pullRequests, 'unrelated pull request', 'unrelated pull requests')}, ${count(reason.trunkHits)} on the trunk`
    case 'nothing-said':
      return `nothing says why this ${reason.of} failed${redElsewhere(reason.pullRequests)}`
    case 'other-signature':
      return `fails elsewhere with another error (${counted(reason.hits, 'time', 'times')}${reason.pullRequests === 0 ? '' : `, in ${counted(reason.pullRequests, 'pull request', 'pull requests')}`}), which is not counted`
    case 'matched-by-name':
      return 'no output to compare, counted by name alone'
    case 'mass-failures-left-out':
      return `${counted(reason.hits, 'failure', 'failures')} in ${counted(reason.hours, 'hour', 'hours')} of mass failure not counted`
    case 'passed-on-retry':
      return 'passed when the same job ran it again'
    case 'more-not-read':
      return `${counted(reason.hits, 'older failure was', 'older failures were')} not read, so the counts are too low`
    case 'clock-ahead':
      return 'its time lies in the future, so a clock is wrong'
    case 'lookup-failed':
      return `not looked up: ${LOOKUP_PROBLEM_WORDS[reason.problem].term}`
    default:
      return reason satisfies never
  }
}

/** `the hour from 10:00`, `the 24 hours from 2026-11-01 00:00 UTC` */
export function hoursFrom({ hours = 1, start }: Extract<Reason, { kind: 'in-mass-failure' }>): string {
  return `the ${hours === 1 ? 'hour' : `${count(hours)} hours`} from ${minute(start)}`
}

function redElsewhere(pullRequests: number): string {
  if (pullRequests === 0) return ''
  const where = counted(pullRequests, 'other pull request', 'other pull requests')
  return `; it was red in ${where} as well, ${pullRequests === 1 ? 'perhaps for another reason' : 'each perhaps for its own reason'}`
}

function times(number: number): string {
  return number === 1 ? 'once' : `${count(number)} times`
}

function commitList(commits: readonly string[], commit: Style['commit']): string {
  const named = commits.slice(0, NAMED_COMMITS).map(commit)
  const more = commits.length - named.length
  return more > 0 ? `${named.join(', ')} and ${count(more)} more` : named.join(', ')
}

/** `812 executions`, `400 runs of this check`: what a failure could have shown itself in. */
export function runsOf({ of, runs }: Extract<Reason, { kind: 'never-elsewhere' }>): string {
  return of === 'check' ? `${counted(runs, 'run', 'runs')} of this check` : counted(runs, 'execution', 'executions')
}
