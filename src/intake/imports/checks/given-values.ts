import type { CheckRow } from './check-row.ts'

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
  /** `owner/name` of the repository of the branch that was built. */
  readonly headRepository: string | null
}

export const NOTHING_GIVEN: GivenValues = {
  checkName: null,
  commitSha: null,
  pullRequestNumber: null,
  headRef: null,
  baseRef: null,
  repository: null,
  headRepository: null,
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
    headRepo: headRepositoryOf(given, pullRequestNumber),
    testContextRaw: '',
    instanceType: '',
    instanceId: '',
    workflowName: '',
    attributes: '',
  }
}

/** A pull request may come from a fork: empty where nobody has said so. */
export function headRepositoryOf({ headRepository, repository }: GivenValues, pullRequestNumber: number): string {
  return headRepository ?? (pullRequestNumber === 0 ? (repository ?? '') : '')
}
