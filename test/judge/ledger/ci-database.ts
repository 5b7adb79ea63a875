import type { CheckRow } from '../../../src/intake/imports/checks/check-row.ts'
import type { Failure, HistoryWanted, Subject, TestHistory } from '../../../src/judge/ledger/failure.ts'
import { testOutcome } from '../../../src/judge/ledger/test-status.ts'
import { CHECK, DAY, NAME_ONLY, NOW, output, REPOSITORY, stid } from './values.ts'

/**
 * CI results as rows, and what a store would hand to the rules for them: a slow, plain restatement of `CiResults` that
 * leaves to the rules what is theirs.
 */

export const row = (changes: Partial<CheckRow> = {}): CheckRow => ({
  pullRequestNumber: 0,
  commitSha: 'trunk-1',
  checkName: CHECK,
  checkStatus: 'failure',
  checkDurationMs: 1,
  checkStartTime: NOW - DAY,
  testName: 'a_test',
  testStatus: 'FAIL',
  testDurationMs: 1,
  reportUrl: '',
  pullRequestUrl: '',
  commitUrl: '',
  taskUrl: '',
  baseRef: 'master',
  baseRepo: REPOSITORY,
  headRef: 'master',
  headRepo: REPOSITORY,
  testContextRaw: 'boom',
  instanceType: '',
  instanceId: '',
  workflowName: '',
  attributes: '',
  ...changes,
})

/** As plain as can be: the rules compare signatures and do not make them. */
export function signatureOf({ testName, testContextRaw }: CheckRow) {
  const id = /\(STID: (\S+)\)/.exec(testName)?.[1]
  if (id !== undefined) return stid(id)
  return testContextRaw === '' ? NAME_ONLY : output(testContextRaw)
}

export function failureOf(from: CheckRow): Failure {
  const { testName, checkName, pullRequestNumber, commitSha, headRepo, headRef, baseRef, baseRepo, reportUrl } = from
  return {
    testName,
    checkName,
    status: from.testStatus,
    pullRequestNumber,
    commitSha,
    headRepo,
    headRef,
    baseRef,
    baseRepo,
    time: from.checkStartTime,
    signature: signatureOf(from),
    passedOnRetry: false,
    reportUrl,
  }
}

export function historyOf(
  rows: readonly CheckRow[],
  wanted: HistoryWanted,
  subject: Subject,
  lookbackDays: number,
): TestHistory {
  const { testName, checkName, failedIn, until } = wanted
  const ofTest = rows
    .filter((one) => one.testName === testName && (checkName === null || one.checkName === checkName))
    .toSorted((a, b) => b.checkStartTime - a.checkStartTime)
  const inWindow = ofTest.filter(
    ({ checkStartTime }) => checkStartTime <= until && checkStartTime > until - lookbackDays * DAY,
  )
  const passing = inWindow.filter((one) => testOutcome(one.testStatus) === 'passing' && counts(one, subject))
  const trunkPassing = passing.filter((one) => onTrunk(one, subject))
  // With its own rows, those of other repositories and those outside the lookback: the rules leave them out.
  const failing = ofTest.filter((one) => testOutcome(one.testStatus) === 'failing')
  const beside = Map.groupBy(
    passing.filter((pass) => {
      const failed = failing.filter(
        (fail) =>
          fail.commitSha === pass.commitSha &&
          fail.checkName === pass.checkName &&
          fail.pullRequestNumber === pass.pullRequestNumber,
      )
      return failed.length > 0 && failed.every((fail) => fail.checkStartTime !== pass.checkStartTime)
    }),
    ({ commitSha, checkName: check, pullRequestNumber }) => JSON.stringify([commitSha, check, pullRequestNumber]),
  )
  const [lastPass] = trunkPassing
  // A name that exists only when it fails: the jobs say when it did not.
  const jobs = rows.filter(
    (one) =>
      passing.length === 0 &&
      one.testName === '' &&
      one.checkStartTime <= until &&
      one.checkStartTime > until - lookbackDays * DAY &&
      !failing.some(({ commitSha, checkName: check, checkStartTime }) => {
        return commitSha === one.commitSha && check === one.checkName && checkStartTime === one.checkStartTime
      }),
  )
  return {
    testName,
    checkName,
    until,
    failing: failing.map((one) => ({ ...failureOf(one), signature: signatureOf(one) })),
    failingNotRead: 0,
    passes: passing.length,
    trunkPasses: trunkPassing.length,
    lastTrunkPass: lastPass === undefined ? null : { commitSha: lastPass.commitSha, time: lastPass.checkStartTime },
    checks: checksOf(rows, inWindow, passing, failing, jobs, { failedIn, subject }),
    passesBesideFailures: [...beside.values()].map((group) => ({
      commitSha: group[0]!.commitSha,
      checkName: group[0]!.checkName,
      pullRequestNumber: group[0]!.pullRequestNumber,
      times: group.map(({ checkStartTime }) => checkStartTime),
    })),
    latestTrunk: [...inWindow.filter((one) => testOutcome(one.testStatus) !== 'other'), ...jobs]
      .filter((one) => failedIn.includes(one.checkName) && onTrunk(one, subject) && counts(one, subject))
      .map((one) => ({
        commitSha: one.commitSha,
        checkName: one.checkName,
        time: one.checkStartTime,
        failed: one.testName === testName && testOutcome(one.testStatus) === 'failing',
      })),
  }
}

/** Passes and runs of each check, by the definitions of `CheckExecutions`. */
function checksOf(
  rows: readonly CheckRow[],
  inWindow: readonly CheckRow[],
  passing: readonly CheckRow[],
  failing: readonly CheckRow[],
  jobs: readonly CheckRow[],
  { failedIn, subject }: { readonly failedIn: readonly string[]; readonly subject: Subject },
): TestHistory['checks'] {
  const isFork = ({ pullRequestNumber, headRepo }: CheckRow) =>
    pullRequestNumber > 0 && (subject.repository === '' || lower(headRepo) !== lower(subject.repository))
  const ownerOf = ({ headRepo }: CheckRow) => lower(headRepo).split('/')[0]!
  const names = new Set([...inWindow.map(({ checkName }) => checkName), ...failedIn])
  return [...names].map((checkName) => {
    const of = (some: readonly CheckRow[]) => some.filter((one) => one.checkName === checkName)
    const trunkFailures = of(failing).filter((one) => onTrunk(one, subject) && counts(one, subject))
    const failedCommits = new Set(trunkFailures.map(({ commitSha }) => commitSha))
    const clean = passing.length > 0 ? of(passing) : of(jobs).filter((one) => !failedCommits.has(one.commitSha))
    const ran = of(rows).filter((one) => one.testName === '' && counts(one, subject))
    return {
      checkName,
      passes: new Set(of(passing).flatMap((one) => (isFork(one) ? [] : one.headRef + one.commitSha))).size,
      passedBy: [...new Set(of(passing).flatMap((one) => (isFork(one) ? ownerOf(one) : [])))],
      runs: passing.length > 0 || !failedIn.includes(checkName) ? 0 : new Set(ran.map((one) => one.commitSha)).size,
      trunkClean:
        trunkFailures.length === 0
          ? []
          : clean.filter((one) => onTrunk(one, subject)).map(({ checkStartTime }) => checkStartTime),
    }
  })
}

const lower = (text: string) => text.toLowerCase()

/** Of the repository and not the subject's own: the definitions, written down a second time. */
export function counts(one: CheckRow, subject: Subject): boolean {
  const { repository, pullRequestNumber, commitSha, headRepo, headRef } = subject
  if (repository !== '') {
    if (one.baseRepo !== '' && lower(one.baseRepo) !== lower(repository)) return false
    if (one.pullRequestNumber === 0 && one.headRepo !== '' && lower(one.headRepo) !== lower(repository)) return false
  }
  if (pullRequestNumber !== 0 && one.pullRequestNumber === pullRequestNumber) return false
  if (commitSha !== '' && one.commitSha === commitSha) return false
  const sameBranch =
    headRepo !== '' && headRef !== '' && lower(one.headRepo) === lower(headRepo) && one.headRef === headRef
  return !sameBranch || onTrunk(one, subject)
}

export function onTrunk(one: CheckRow, { trunk }: Subject): boolean {
  if (one.pullRequestNumber !== 0) return false
  return one.headRef === '' ? one.baseRef === '' || trunk.includes(one.baseRef) : trunk.includes(one.headRef)
}
