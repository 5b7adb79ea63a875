/**
 * A row of CI results, in the columns of ClickHouse's CI database (`checks`): one test in one check of one commit. A
 * row with an empty `testName` is the check itself. All texts come from outside and may be empty.
 */
export interface CheckRow {
  /** 0: the trunk or a release branch. */
  readonly pullRequestNumber: number
  readonly commitSha: string
  readonly checkName: string
  readonly checkStatus: string
  readonly checkDurationMs: number
  /** Milliseconds since 1970; stored in whole seconds. */
  readonly checkStartTime: number
  readonly testName: string
  readonly testStatus: string
  readonly testDurationMs: number
  readonly reportUrl: string
  readonly pullRequestUrl: string
  readonly commitUrl: string
  readonly taskUrl: string
  /** The branch that a pull request aims at. */
  readonly baseRef: string
  /** `owner/name` of the repository whose CI this is. */
  readonly baseRepo: string
  /** The branch that was built; of a trunk row the trunk itself. */
  readonly headRef: string
  readonly headRepo: string
  /** Output of the failure; of the check's own row what its runner said. */
  readonly testContextRaw: string
  readonly instanceType: string
  readonly instanceId: string
  readonly workflowName: string
  /** JSON. */
  readonly attributes: string
}
