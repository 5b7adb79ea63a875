/** CI results of which is known why each test failed. Times are milliseconds. */
export interface World {
  /** In the order of time. */
  readonly jobs: readonly Job[]
  /** In the order of time. */
  readonly heads: readonly Head[]
  /** The author of each pull request. */
  readonly authors: ReadonlyMap<number, string>
  /** When each author's word begins to count; whoever is missing is a stranger for ever. */
  readonly trustedFrom: ReadonlyMap<string, number>
  /** Judged are heads of these times: a lookback before them, and time after them for failures to come again. */
  readonly judged: { readonly from: number; readonly to: number }
}

export interface Job {
  /** 0: the trunk. */
  readonly pullRequestNumber: number
  readonly commitSha: string
  readonly checkName: string
  readonly time: number
  readonly headRepo: string
  readonly headRef: string
  readonly baseRef: string
  /** Everything that failed in it; a check that failed without a test has an empty name. Every other test passed. */
  readonly failed: readonly FailedTest[]
  /** Of recorded results: the tests that passed, where not every other one did. */
  readonly passed?: ReadonlySet<string>
}

export interface FailedTest {
  readonly testName: string
  readonly output: string
  readonly cause: Cause
}

/** `own`: a change of the pull request, or of the stack that it is part of. `unknown`: of recorded results. */
export interface Cause {
  readonly kind: 'own' | 'flaky' | 'broken-trunk' | 'outage' | 'unknown'
  readonly id: string
}

/** A commit of a pull request, in the first attempt of each of its checks. */
export interface Head {
  readonly jobs: readonly Job[]
  readonly mergeBase: string | null
  readonly time: number
}

export const REPOSITORY = 'acme/engine'
export const TRUNK = 'master'
