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
  /** By the rule before, where that is another: entries and declarations from then are found by it. */
  readonly formerSignature?: Signature
  /** Source files that the stack in its output names. Left out: none. */
  readonly files?: readonly string[]
  /** The same test passed later in the same job. */
  readonly passedOnRetry: boolean
  /** The same test passed on the same commit in the same check, in whichever job. Left out: nobody knows. */
  readonly passedOnCommit?: boolean
  /** Other checks of the same commit in which the same test ran and never failed. Left out: nobody knows. */
  readonly passedInChecks?: number
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
export type FailingExecution = Hit & Pick<Failure, 'baseRef' | 'baseRepo' | 'headRef' | 'headRepo' | 'signature'>

/** An execution of the test on the trunk. */
export interface TrunkExecution extends Pick<Failure, 'commitSha' | 'checkName' | 'time'> {
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

/** The history of one test (or check) in `(until - lookback, until]`. Names that are compared as one are one test. */
export interface TestHistory {
  readonly testName: string
  /** The check that failed without a failing test; null for a test, which is looked up in every check. */
  readonly checkName: string | null
  readonly until: number
  /** Newest first, own ones included: the rules leave them out. */
  readonly failing: readonly FailingExecution[]
  /** Failures with the stack trace id that this test's name states, under a name that says something else. Left out: none. */
  readonly sameStack?: readonly FailingExecution[]
  /** Older ones that were not read because there are too many. 0: `failing` is complete. */
  readonly failingNotRead: number
  /** Passing executions that are not the subject's, of this repository. */
  readonly passes: number
  /** Of each check in which the test ran, or in which the subject failed. */
  readonly checks: readonly CheckExecutions[]
  /** The passing executions on the trunk. */
  readonly trunkPasses: number
  readonly lastTrunkPass: { readonly commitSha: string; readonly time: number } | null
  /** The newest passing executions beside a failing one: of the same commit, check and pull request, in another job. */
  readonly passesBesideFailures: readonly {
    readonly commitSha: string
    readonly checkName: string
    readonly pullRequestNumber: number
    /** When the jobs began in which it passed and did not fail. */
    readonly times: readonly number[]
  }[]
  /** The newest executions on the trunk of each check in which the subject failed, newest first; at least two where there are. */
  readonly latestTrunk: readonly TrunkExecution[]
}

/** The executions of a test in one check that are not the subject's. */
export interface CheckExecutions {
  readonly checkName: string
  /** Passes that count once: one a commit of the trunk, and one a branch of the repository however often it was tried. */
  readonly passes: number
  /** Owners of forks whose pull requests passed, in lower case: each counts once. Left out: none. */
  readonly passedBy?: readonly string[]
  /**
   * Runs of the check itself, a commit each: all there is of a test without a known pass, whose name may exist only when it
   * fails. 0: not known.
   */
  readonly runs: number
  /**
   * When the trunk ran without the failure: passes, or of a test without a known pass runs of the check in which it left no
   * failing row. Of checks alone in which it failed on the trunk.
   */
  readonly trunkClean: readonly number[]
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
  /** As names are compared (`comparedName`). */
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
  /** `strangers`: those among them that are of first-time contributors. */
  | {
      readonly kind: 'unrelated-pull-requests'
      readonly pullRequests: number
      readonly needed: number
      readonly strangers?: number
    }
  /** `days`: different days on which stretches of it began. */
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
  /** It failed in `failed` of the `checks` here in which it ran, and in `hits` of `runs` elsewhere: the chance of that. */
  | {
      readonly kind: 'fails-more-here'
      readonly failed: number
      readonly checks: number
      readonly hits: number
      readonly runs: number
      readonly chance: number
    }
  /** Its stack goes through a file that the pull request changes, or through `files` others alone. */
  | { readonly kind: 'stack-in-changed-file'; readonly path: string }
  | { readonly kind: 'stack-in-other-files'; readonly files: number }
  /** So many witnesses failed alike while the trunk was broken: that is one cause, and none of theirs. */
  | { readonly kind: 'of-stretches'; readonly pullRequests: number }
  /** It failed alike in this other check, and is excused by it: here it ran too seldom, or the stack is the same. */
  | { readonly kind: 'in-other-check'; readonly checkName: string }
  /** It failed alike in other checks alone, and never in `runs` executions of this one. */
  | { readonly kind: 'only-in-other-checks'; readonly checkName: string; readonly runs: number }
  /**
   * The trunk was broken alike for a while, and has passed since in `runs` runs. `mergeBase`: that of the pull request does
   * not lie in that time, or nobody knows it; null: a commit of the trunk is judged.
   */
  | {
      readonly kind: 'ended-stretch'
      readonly from: number
      readonly to: number
      readonly commits: number
      readonly runs: number
      readonly mergeBase: 'outside' | 'not-known' | null
    }
  /** It used to fail on the trunk, and has not in `runs` runs since. `buildIsOlder`: the merge base ran there before. */
  | {
      readonly kind: 'fixed-on-trunk'
      readonly since: number
      readonly runs: number
      readonly buildIsOlder: boolean
      /** The trunk's last commit that failed, and the newest one that is known; absent: no later one is. */
      readonly between?: { readonly lastFailed: string; readonly newest: string }
      readonly fix?: NamedFix
    }
  /** Pull requests that failed alike and are no evidence where a red check is relied on. */
  | { readonly kind: 'word-not-counted'; readonly strangers: number; readonly notKnown: number }
  /** Neither name nor output tells one failure from another; `pullRequests`: where it was red as well. */
  | { readonly kind: 'nothing-said'; readonly of: 'check' | 'test'; readonly pullRequests: number }
  | { readonly kind: 'other-signature'; readonly hits: number; readonly pullRequests: number }
  /** The stack trace id that the name states was met elsewhere under other words. */
  | { readonly kind: 'same-stack'; readonly hits: number; readonly pullRequests: number }
  | { readonly kind: 'matched-by-name' }
  | { readonly kind: 'mass-failures-left-out'; readonly hits: number; readonly hours: number }
  | { readonly kind: 'passed-on-retry' }
  | { readonly kind: 'more-not-read'; readonly hits: number }
  | { readonly kind: 'clock-ahead' }
  | { readonly kind: 'lookup-failed'; readonly problem: LookupProblem }

/** A share of failing executions with its Wilson interval at 95%. */
export interface FailureRate {
  readonly failed: number
  readonly runs: number
  readonly low: number
  readonly high: number
}

/** A hit that a person can look at. */
export type Hit = Pick<Failure, 'pullRequestNumber' | 'commitSha' | 'checkName' | 'time' | 'reportUrl'>

/** The pull request that fixed a failure, as somebody wrote it; `commit`: the test's name stands in the title of what was merged then. */
export interface NamedFix {
  readonly pullRequestNumber: number
  readonly saidIn: 'issue' | 'declaration' | 'commit'
}

/** A commit of the trunk, as far as its title says what it is for. */
export interface TitledCommit {
  readonly title: string
  readonly pullRequestNumber: number | null
  /** When it was committed, in milliseconds. */
  readonly time: number
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
  /** Where it does not follow from the failure: it was opened by names or signatures of the rules before. */
  readonly entryId?: string
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
  /** Those among them whose word counts where a red check is relied on; null in reports from before they were told apart. */
  readonly witnesses?: number | null
  readonly hits: number | null
  readonly trunkHits: number | null
  /** Those of the hits in the last 14 and 30 days; absent in reports from before they were counted. */
  readonly hits14?: number | null
  readonly hits30?: number | null
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
  /** Some of the head’s own results were not read, so that more tests may have failed. */
  readonly isCut?: true
  readonly redChecks: readonly RedCheck[]
}

/**
 * The key of a job, one run of one check on one commit: its tests have it in common. Another attempt is another job.
 */
export function jobOf({ commitSha, checkName, time, inJob }: Failure): string {
  return JSON.stringify([commitSha, checkName, inJob?.start ?? time])
}
