import { CiResultsUnavailable, type MeasuredRow } from '../../store/checks/ci-results.ts'
import { count, counted, list, minute } from '../../text/numbers.ts'
import { commitHint, type LedgerLookupOptions, type LookupSource } from './lookup-source.ts'
import type { NoFailure } from './lookup-test.ts'
import { plainText } from './terminal-text.ts'

/** Checks that are named; more are a number. */
const NAMED_CHECKS = 5

/** `there are no CI results of the commit …`: what was looked for, where, and in how much. */
export async function nothingOfCommit(
  { sha = '', pr, repository = '', repositoryId }: LedgerLookupOptions,
  source: LookupSource,
): Promise<string> {
  const where = await whereWithRows(source)
  if (pr !== undefined) {
    const commit = { repositoryId, repository, commitSha: sha, pullRequestNumber: null }
    const { checks, failures } = await source.ciResults.failuresOf(commit)
    if (checks.length > 0) {
      const others = [...new Set(failures.map((failure) => failure.pullRequestNumber))].toSorted((a, b) => a - b)
      const whose = others.length === 0 ? 'of another pull request' : list(others.slice(0, 5).map(pullRequestWords))
      return `the CI results of the commit ${sha} are ${whose}, not ${pullRequestWords(pr)}, in ${where}`
    }
  }
  const pullRequest = pr === undefined ? '' : ` ${pullRequestWords(pr)}`
  const whose = repository === '' ? pullRequest : `${pullRequest} of ${repository}`
  return `there are no CI results of the commit ${sha}${whose} in ${where}${commitHint(sha)}`
}

/** `no failing test of the commit …`, and what its performance checks measured: they may be red for that. */
export async function nothingFailed(
  { sha, test, check }: LedgerLookupOptions,
  measured: readonly MeasuredRow[],
  source: LookupSource,
): Promise<readonly string[]> {
  const what = test === undefined ? 'no failing test' : `no failure of ${plainText(test)}`
  const wanted = measured.filter(
    ({ checkName, testName }) => (check ?? checkName) === checkName && (test ?? testName) === testName,
  )
  const byResult = Map.groupBy(wanted, ({ checkName, status }) => `${plainText(checkName)} measured ${status}`)
  return [
    `${what}${inCheck(check)} of the commit ${sha} in ${await whereWithRows(source)}`,
    ...[...byResult].map(([result, rows]) => {
      const named = rows.slice(0, NAMED_QUERIES).map(({ testName }) => plainText(testName))
      const more = rows.length - named.length
      return `${result}: ${list(more > 0 ? [...named, counted(more, 'other query', 'other queries')] : named)}`
    }),
  ]
}

/** Queries of one result that are named; more are a number. */
const NAMED_QUERIES = 10

/**
 * `no failure of … in the last 30 days, nor in the last 365, in …`, then what is known of the test all the same, or which
 * tests have names like it: lines for a person.
 */
export async function nothingOfTest(
  { test, check, now }: LedgerLookupOptions,
  { searchedDays, passes, otherChecks }: NoFailure,
  suggestions: readonly string[],
  source: LookupSource,
): Promise<readonly string[]> {
  const what = test === undefined ? 'no failure' : `no failure of ${plainText(test)}`
  const lines = [`${what}${inCheck(check)} ${periodOf(now, searchedDays)} in ${await whereWithRows(source)}`]
  if (otherChecks.length > 0) {
    const named = otherChecks.slice(0, NAMED_CHECKS).map(plainText)
    const more = otherChecks.length - named.length
    lines.push(`it failed in ${list(more > 0 ? [...named, counted(more, 'other check', 'other checks')] : named)}`)
  } else if (passes > 0) {
    lines.push(`it passed ${passes === 1 ? 'once' : `${count(passes)} times`} in that time`)
  }
  if (suggestions.length > 0) lines.push('did you mean', ...suggestions.map((name) => `  ${plainText(name)}`))
  return lines
}

/**
 * Names of tests (of checks, where one itself was asked for) like one that is in no row. Nothing where the source can't be
 * asked: what is missing is an advice.
 */
export async function suggestionsFor(
  { test, check = '' }: LedgerLookupOptions,
  { passes, otherChecks }: NoFailure,
  { search }: LookupSource,
): Promise<readonly string[]> {
  if (passes > 0 || otherChecks.length > 0) return []
  try {
    return await search.namesLike(test ?? check, { ofChecks: test === undefined })
  } catch (error) {
    if (error instanceof CiResultsUnavailable) return []
    throw error
  }
}

function pullRequestWords(number: number): string {
  return number === 0 ? 'of the main branch' : `of pull request ${number}`
}

function inCheck(check: string | undefined): string {
  return check === undefined ? '' : ` in the check ${plainText(check)}`
}

function periodOf(now: number | undefined, [first = 0, further]: readonly number[]): string {
  const days = counted(first, 'day', 'days')
  if (now !== undefined) return `in the ${days} up to ${minute(now)}`
  return further === undefined ? `in the last ${days}` : `in the last ${days}, nor in the last ${further},`
}

async function whereWithRows(source: LookupSource): Promise<string> {
  const rows = await source.rows()
  return rows === null ? source.where : `${source.where}: ${count(rows)} rows there`
}
