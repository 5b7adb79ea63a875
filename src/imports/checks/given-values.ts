import type { CheckRow } from '../../ledger/check-row.ts'

/** Values of the caller for results that don't state them themselves. null: nothing. */
export interface GivenValues {
  readonly checkName: string | null
  readonly commitSha: string | null
  /** 0: the trunk or a release branch. */
  readonly pullRequestNumber: number | null
  /** The branch that was built. */
  readonly headRef: string | null
  /** The branch that a pull request aims at. */
  readonly baseRef: string | null
  /** `owner/name` of the repository whose CI this is. */
  readonly repository: string | null
}

export const NOTHING_GIVEN: GivenValues = {
  checkName: null,
  commitSha: null,
  pullRequestNumber: null,
  headRef: null,
  baseRef: null,
  repository: null,
}

/** A row of one job that is known from the given values alone; the test's own values come on top of it. */
export function rowOfJob(given: GivenValues, checkStartTime: number): CheckRow {
  const pullRequestNumber = given.pullRequestNumber ?? 0
  const repository = given.repository ?? ''
  return {
    pullRequestNumber,
    commitSha: given.commitSha ?? '',
    checkName: given.checkName ?? '',
    checkStatus: '',
    checkDurationMs: 0,
    checkStartTime,
    testName: '',
    testStatus: '',
    testDurationMs: 0,
    reportUrl: '',
    pullRequestUrl: '',
    commitUrl: '',
    taskUrl: '',
    baseRef: given.baseRef ?? '',
    baseRepo: repository,
    headRef: given.headRef ?? '',
    // a pull request may come from a fork, and nobody has said so
    headRepo: pullRequestNumber === 0 ? repository : '',
    testContextRaw: '',
    instanceType: '',
    instanceId: '',
    workflowName: '',
    attributes: '',
  }
}
