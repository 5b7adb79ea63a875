import type {
  Failure,
  HistoryWanted,
  LookupProblem,
  MassFailure,
  Subject,
  TestHistory,
} from '../../judge/ledger/failure.ts'
import type { LedgerThresholds } from '../../judge/ledger/thresholds.ts'

/** What CI results are asked for, whichever source holds them. */

export interface CommitWanted {
  readonly repositoryId: number
  /** `owner/name`; empty: of every repository. */
  readonly repository: string
  readonly commitSha: string
  /** null: whichever the rows of the commit name. */
  readonly pullRequestNumber: number | null
}

export interface FailuresOfCommit {
  /**
   * The failures of the commit, at most `MOST_FAILURES`, in the order of check and test. Retries of one test in one job
   * are one failure.
   */
  readonly failures: readonly Failure[]
  readonly notRead: number
  /** Names of the checks of which there are rows, failing or not. */
  readonly checks: readonly string[]
  /** Where no test failed: rows of performance checks by what they measured, the slower first. Left out: none. */
  readonly measured?: readonly MeasuredRow[]
}

/** The status is `slower`, `faster` or `unstable`. */
export type MeasuredRow = Pick<Failure, 'checkName' | 'testName' | 'status'>

export const MOST_FAILURES = 500

/**
 * CI results, of the CI database that exists already or of the bot's own `checks`. Read only, time-limited, and never a
 * scan over raw output. Throws `CiResultsUnavailable`.
 */
export interface CiResults {
  readonly source: 'ci-database' | 'own'
  failuresOf(wanted: CommitWanted): Promise<FailuresOfCommit>
  /** A history for each wanted one, in their order. */
  historiesOf(
    wanted: readonly HistoryWanted[],
    subject: Subject,
    repositoryId: number,
    thresholds: LedgerThresholds,
  ): Promise<readonly TestHistory[]>
  /** The mass failures in `(until - lookback, until]`, the subject's own rows left out, in the order of time. */
  massFailuresOf(
    until: number,
    subject: Subject,
    repositoryId: number,
    thresholds: LedgerThresholds,
  ): Promise<readonly MassFailure[]>
}

/** The CI results can't be asked now. The message says where and what to do, and holds no secret. */
export class CiResultsUnavailable extends Error {
  override readonly name = 'CiResultsUnavailable'
  readonly problem: LookupProblem

  constructor(problem: LookupProblem, message: string) {
    super(message)
    this.problem = problem
  }
}
