/** Every number that a rule of the ledger compares with, each with its reason, what it takes and what it leaves. */
export interface LedgerThresholds {
  readonly lookbackDays: number
  /** Unrelated pull requests that make a failure chronic. */
  readonly chronicPullRequests: number
  /** Different days with a hit on the trunk that make it chronic. */
  readonly chronicTrunkDays: number
  /** The latest trunk runs that must all have failed. */
  readonly brokenTrunkRuns: number
  /** A test that fails in this share of its executions is chronic before long. */
  readonly chronicRate: number
  /** The largest chance of having missed such a test at which it counts as failing nowhere else. */
  readonly missedChance: number
  /** A mass failure: so many tests, each in so many pull requests, so many of these together, within an hour. */
  readonly massTests: number
  readonly massPullRequestsPerTest: number
  readonly massPullRequests: number
  /** An entry closes after so many days without a hit, and expires so many days after it was opened or renewed. */
  readonly closeAfterDays: number
  readonly expireAfterDays: number
}

export const LEDGER_THRESHOLDS: LedgerThresholds = {
  lookbackDays: 30,
  chronicPullRequests: 3,
  chronicTrunkDays: 2,
  brokenTrunkRuns: 2,
  chronicRate: 0.05,
  missedChance: 0.05,
  massTests: 10,
  massPullRequestsPerTest: 3,
  massPullRequests: 5,
  closeAfterDays: 14,
  expireAfterDays: 90,
}
