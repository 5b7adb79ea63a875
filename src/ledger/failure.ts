import type { Said } from '../verdict/acceptance.ts'
import type { Signature } from './signature.ts'

/** The values that go through the ledger's rules: from rows of CI results to a judged failure. Times are milliseconds. */

/** A failing test in one check of the commit in question, or a check that failed without a failing test. */
export interface Failure {
  /** Empty: the check failed without a failing test. */
  readonly testName: string
  readonly checkName: string
  /** The status as the source writes it: `FAIL`, `ERROR`, `failure`, … */
  readonly status: string
  readonly pullRequestNumber: number
  readonly commitSha: string
  readonly headRepo: string
  readonly headRef: string
  readonly baseRef: string
  readonly baseRepo: string
  readonly time: number
  /**
   * Only where the rows of a job have start times of their own: when the job began, and the first try of this test that
   * failed in it; `time` is that of the last. Left out: all of it has one time.
   */
  readonly inJob?: { readonly start: number; readonly first: number }
  readonly signature: Signature
  /** The same test passed later in the same job. */
  readonly passedOnRetry: boolean
  /** The same test passed on the same commit in the same check, in whichever job. Left out: nobody knows. */
  readonly passedOnCommit?: boolean
  /**
   * Only of a check without a failing test: results of any test of this job are known, so tests ran before it failed.
   * Left out: nobody knows.
   */
  readonly testsRan?: boolean
  /** The report of the job; empty where there is none. */
  readonly reportUrl: string
}

/** The pull request or commit that is judged: nothing of its own is evidence for it. */
export interface Subject {
  /** 0: a commit of the trunk is judged. */
  readonly pullRequestNumber: number
  readonly commitSha: string
  /** `owner/name` and branch of the head; empty where nobody knows. */
  readonly headRepo: string
  readonly headRef: string
  /** `owner/name` of the repository; empty: rows of every repository count. */
  readonly repository: string
  /** Names of the trunk; the first is the one to be shown. */
  readonly trunk: readonly string[]
  readonly mergeBase: string | null
}

/** A failing execution of the same test (or check) within the lookback, whoever's it is. */
export interface FailingExecution {
  readonly pullRequestNumber: number
  readonly commitSha: string
  readonly checkName: string
  readonly time: number
  readonly baseRef: string
  readonly baseRepo: string
  readonly headRef: string
  readonly headRepo: string
  readonly signature: Signature
  readonly reportUrl: string
}

/** An execution of the test on the trunk. */
export interface TrunkExecution {
  readonly commitSha: string
  readonly checkName: string
  readonly time: number
  readonly failed: boolean
}

/** A test, or a check that failed without a failing test, whose history is asked for. */
export interface HistoryWanted {
  readonly testName: string
  /** Only of a check without a failing test. */
  readonly checkName: string | null
  /** The checks in which the subject failed: their latest trunk executions are wanted. */
  readonly failedIn: readonly string[]
  /** The end of the lookback, in milliseconds. */
  readonly until: number
}

/** The history of one test (or check) in `(until - lookback, until]`. */
export interface TestHistory {
  readonly testName: string
  /** The check that failed without a failing test; null for a test, which is looked up in every check. */
  readonly checkName: string | null
  readonly until: number
  /** Newest first, own ones included: the rules leave them out. */
  readonly failing: readonly FailingExecution[]
  /** Older ones that were not read because there are too many. 0: `failing` is complete. */
  readonly failingNotRead: number
  /** Passing executions that are not the subject's, of this repository. */
  readonly passes: number
  /**
   * The runs behind a test without a known pass, whose name may exist only when it fails: runs (commits) of the checks
   * in which the subject failed, without the subject's own. Absent or 0: not known.
   */
  readonly checkRuns?: number
  /** The passing executions on the trunk. */
  readonly trunkPasses: number
  readonly lastTrunkPass: { readonly commitSha: string; readonly time: number } | null
  /**
   * The newest commits and checks that have passing executions beside a failing one. `passes` is 1 where no more is known
   * than that there are some.
   */
  readonly passesBesideFailures: readonly {
    readonly commitSha: string
    readonly checkName: string
    readonly passes: number
  }[]
  /** The newest executions on the trunk of each check in which the subject failed, newest first; at least two where there are. */
  readonly latestTrunk: readonly TrunkExecution[]
}

/**
 * Hours in which many tests failed in many pull requests at once. Only failures of these tests are part of it: another
 * test that failed in one pull request at the same time has a reason of its own.
 */
export interface MassFailure {
  /** The first millisecond. */
  readonly start: number
  readonly hours: number
  /** The check whose tests they are, where its builds are too few for an hour; null: of every check. */
  readonly checkName: string | null
  /** Tests that failed in enough pull requests, and how many these are together. */
  readonly tests: number
  readonly pullRequests: number
  readonly testNames: ReadonlySet<string>
  /** Checks that failed without a failing test in as many pull requests. */
  readonly checkNames: ReadonlySet<string>
}

/** Names by which failures are grouped, as patterns of `text/name-pattern.ts` with `*`. */
export interface LedgerNames {
  readonly rollupChecks: readonly string[]
  readonly falloutTests: readonly string[]
}

export interface ChangedFile {
  /** Relative to the repository. */
  readonly path: string
  readonly status: 'added' | 'modified' | 'removed' | 'renamed' | 'copied' | 'changed' | 'unchanged'
}

/**
 * The classifications in the order in which the rules are asked: the first that applies stands. `pr-suspect` is asked
 * twice.
 */
export const CLASSIFICATIONS = [
  'rollup',
  'infrastructure',
  'fallout',
  'pr-suspect',
  'mass-failure',
  'broken-trunk',
  'chronic',
  'flaky',
  'unknown',
] as const
/** `ignored`: no rule says it, a person does. */
export type Classification = (typeof CLASSIFICATIONS)[number] | 'ignored'

export type InfrastructureProblem = 'runner-lost' | 'time-out' | 'disk-full' | 'out-of-memory' | 'network' | 'no-result'

/** Why the CI results could not be asked. */
export type LookupProblem =
  | 'unreachable'
  | 'too-slow'
  | 'access-denied'
  | 'missing-table'
  | 'missing-column'
  | 'unexpected-answer'

/**
 * A reason speaks for the classification, or is something that a person should know beside it. Each carries its
 * numbers.
 */
export type Reason =
  /** A person ignores it on this pull request. */
  | { readonly kind: 'ignored'; readonly by: Said }
  /** A person calls this very failure chronic, in the whole repository. */
  | { readonly kind: 'declared-chronic'; readonly by: Said; readonly issue: NamedIssue | null }
  /** A person called it so until a day that is over: that excuses nothing any more. */
  | { readonly kind: 'declaration-expired'; readonly by: Said; readonly issue: NamedIssue | null }
  | { readonly kind: 'sums-up-others' }
  | { readonly kind: 'no-test-failed'; readonly problem: InfrastructureProblem | null }
  | { readonly kind: 'follows-from'; readonly testName: string }
  | { readonly kind: 'test-changed'; readonly path: string; readonly added: boolean }
  /** `hours`: absent in reports from before it could be more than one. */
  | {
      readonly kind: 'in-mass-failure'
      readonly tests: number
      readonly pullRequests: number
      readonly start: number
      readonly hours?: number
    }
  | { readonly kind: 'failed-at-merge-base'; readonly commitSha: string }
  | { readonly kind: 'latest-trunk-runs-failed'; readonly commits: readonly string[] }
  | { readonly kind: 'unrelated-pull-requests'; readonly pullRequests: number; readonly needed: number }
  | { readonly kind: 'trunk-hits'; readonly hits: number; readonly days: number; readonly needed: number }
  | { readonly kind: 'passed-on-same-commit'; readonly commits: number; readonly example: string }
  /** `chance`: of no failure in `runs`, were it to fail at `rate`. Runs are executions of the test, or of its check. */
  | {
      readonly kind: 'never-elsewhere'
      readonly of: 'test' | 'check'
      readonly runs: number
      readonly chance: number
      readonly rate: number
    }
  | { readonly kind: 'too-few-runs'; readonly runs: number; readonly needed: number }
  /** Failures elsewhere, but fewer than make it chronic. */
  | { readonly kind: 'too-few-hits'; readonly pullRequests: number; readonly trunkHits: number }
  /** Neither name nor output tells one failure from another; `pullRequests`: where it was red as well. */
  | { readonly kind: 'nothing-said'; readonly of: 'check' | 'test'; readonly pullRequests: number }
  | { readonly kind: 'other-signature'; readonly hits: number; readonly pullRequests: number }
  | { readonly kind: 'matched-by-name' }
  | { readonly kind: 'mass-failures-left-out'; readonly hits: number; readonly hours: number }
  | { readonly kind: 'passed-on-retry' }
  | { readonly kind: 'more-not-read'; readonly hits: number }
  | { readonly kind: 'clock-ahead' }
  | { readonly kind: 'lookup-failed'; readonly problem: LookupProblem }

/** A share of failing executions with its Wilson interval at 95 %. */
export interface FailureRate {
  readonly failed: number
  readonly runs: number
  readonly low: number
  readonly high: number
}

/** A hit that a person can look at. */
export interface Hit {
  readonly pullRequestNumber: number
  readonly commitSha: string
  readonly checkName: string
  readonly time: number
  readonly reportUrl: string
}

/** An issue that a person has named. */
export type NamedIssue = Pick<KnownIssue, 'number' | 'url'>

/** An open issue that names the test or its signature. */
export interface KnownIssue {
  readonly number: number
  readonly title: string
  readonly url: string
}

/** An entry that is not closed, as a reader is told of it. Times in milliseconds. */
export interface EntryFacts {
  readonly state: 'open' | 'expired'
  readonly firstSeen: number
  readonly openedAt: number
  readonly expiresAt: number
  readonly reopened: number
  readonly hits1: number
  readonly hits7: number
}

/** The numbers of `ledger lookup --json`; all of them of the same lookback, without the subject's own rows. */
export interface JudgedFailure {
  readonly failure: Failure
  readonly classification: Classification
  /** All null when the lookup failed. */
  readonly unrelatedPullRequests: number | null
  readonly hits: number | null
  readonly trunkHits: number | null
  /** Passing and failing executions outside the pull request. */
  readonly runs: number | null
  /** On the trunk; null where no passes are known. */
  readonly trunkRate: FailureRate | null
  /** The times of the oldest and the newest hit. */
  readonly firstSeen: number | null
  readonly lastSeen: number | null
  /** On the trunk, before the first bad commit there. */
  readonly lastTrunkPass: { readonly commitSha: string; readonly time: number } | null
  /** The oldest trunk commit of the unbroken row of failures that lasts until now. */
  readonly firstBadTrunkCommit: string | null
  /** The reason that decided comes first, the rest after it. */
  readonly reasons: readonly Reason[]
  /** The name of the failure that this one follows from; of several that may be, the one that is excused least. */
  readonly causedBy: string | null
  /** The newest hits, of different pull requests where there are. At most `EXAMPLE_HITS`. */
  readonly examples: readonly Hit[]
  readonly issue: KnownIssue | null
  /** Where anybody can count the hits: a play page with the statement; null where there is none. */
  readonly proofUrl: string | null
  /** Where its open entry says it; null without one. */
  readonly owner: string | null
  /** The ledger's open entry about the failure; null or absent where there is none. */
  readonly entry?: EntryFacts | null
}

export const EXAMPLE_HITS = 20

/** A red check of the head, performance checks and our own left out. */
export interface RedCheck {
  readonly name: string
  readonly url: string | null
  /**
   * `accounted-for`: every failure in it is chronic, flaky, broken on the trunk, fallout of such a one, infrastructure or
   * part of a mass failure; or it sums up such checks. `may-be-yours`: one is not. `not-known`: nothing of it is known yet.
   */
  readonly state: 'accounted-for' | 'may-be-yours' | 'not-known'
}

/** The failing tests of a head, as the report keeps them. */
export interface FailingTests {
  readonly source: 'ci-database' | 'own'
  /** Null: all that is said here is known. */
  readonly problem: LookupProblem | null
  readonly lookbackDays: number
  /** The failures in the order in which they are shown: those first that may be the pull request's. */
  readonly failures: readonly JudgedFailure[]
  /** CI results that are missing by now are not waited for any longer. */
  readonly isFinal?: boolean
  /** Failing tests above what is judged for one head. */
  readonly notJudged: number
  readonly redChecks: readonly RedCheck[]
}

/**
 * The key of a job, one run of one check on one commit: its tests have it in common. Another attempt is another job.
 */
export function jobOf({ commitSha, checkName, time, inJob }: Failure): string {
  return JSON.stringify([commitSha, checkName, inJob?.start ?? time])
}
