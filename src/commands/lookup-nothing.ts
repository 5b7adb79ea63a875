import { CiResultsUnavailable } from '../store/checks/ci-results.ts'
import { count, counted, list, minute } from '../text/numbers.ts'
import { commitHint, type LedgerLookupOptions, type LookupSource } from './lookup-source.ts'
import type { NoFailure } from './lookup-test.ts'
import { plainText } from './terminal-text.ts'

/** Checks that are named; more are a number. */
const NAMED_CHECKS = 5

/** `there are no CI results of the commit …`: what was looked for, where, and in how much. */
export async function nothingOfCommit(
  { commitSha, pullRequestNumber, repository, repositoryId }: LedgerLookupOptions,
  source: LookupSource,
): Promise<string> {
  const where = await whereWithRows(source)
  if (pullRequestNumber !== null && commitSha !== null) {
    const commit = { repositoryId, repository: repository ?? '', commitSha, pullRequestNumber: null }
    const { checks, failures } = await source.ciResults.failuresOf(commit)
    if (checks.length > 0) {
      const others = [...new Set(failures.map((failure) => failure.pullRequestNumber))].toSorted((a, b) => a - b)
      const whose = others.length === 0 ? 'of another pull request' : list(others.slice(0, 5).map(pullRequestWords))
      return `the CI results of the commit ${commitSha} are ${whose}, not ${pullRequestWords(pullRequestNumber)}, in ${where}`
    }
  }
  const pullRequest = pullRequestNumber === null ? '' : ` ${pullRequestWords(pullRequestNumber)}`
  const of = repository === null ? pullRequest : `${pullRequest} of ${repository}`
  return `there are no CI results of the commit ${commitSha}${of} in ${where}${commitHint(commitSha ?? '')}`
}

/** `no failing test of the commit …` */
export async function nothingFailed(
  { commitSha, testName, checkName }: LedgerLookupOptions,
  source: LookupSource,
): Promise<string> {
  const test = testName === null ? 'no failing test' : `no failure of ${plainText(testName)}`
  return `${test}${inCheck(checkName)} of the commit ${commitSha} in ${await whereWithRows(source)}`
}

/**
 * `no failure of … in the last 30 days, nor in the last 365, in …`, then what is known of the test all the same, or which
 * tests have names like it: lines for a person.
 */
export async function nothingOfTest(
  { testName, checkName, now }: LedgerLookupOptions,
  { searchedDays, passes, otherChecks }: NoFailure,
  suggestions: readonly string[],
  source: LookupSource,
): Promise<readonly string[]> {
  const of =
    testName === null ? `no failure${inCheck(checkName)}` : `no failure of ${plainText(testName)}${inCheck(checkName)}`
  const lines = [`${of} ${periodOf(now, searchedDays)} in ${await whereWithRows(source)}`]
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
  { testName, checkName }: LedgerLookupOptions,
  { passes, otherChecks }: NoFailure,
  { search }: LookupSource,
): Promise<readonly string[]> {
  if (passes > 0 || otherChecks.length > 0) return []
  try {
    return await search.namesLike(testName ?? checkName ?? '', { ofChecks: testName === null })
  } catch (error) {
    if (error instanceof CiResultsUnavailable) return []
    throw error
  }
}

function pullRequestWords(number: number): string {
  return number === 0 ? 'of the trunk' : `of pull request ${number}`
}

function inCheck(checkName: string | null): string {
  return checkName === null ? '' : ` in the check ${plainText(checkName)}`
}

function periodOf(now: number | null, [first = 0, further]: readonly number[]): string {
  const days = counted(first, 'day', 'days')
  if (now !== null) return `in the ${days} up to ${minute(now)}`
  return further === undefined ? `in the last ${days}` : `in the last ${days}, nor in the last ${further},`
}

async function whereWithRows(source: LookupSource): Promise<string> {
  const rows = await source.rows()
  return rows === null ? source.where : `${source.where}: ${count(rows)} rows there`
}
