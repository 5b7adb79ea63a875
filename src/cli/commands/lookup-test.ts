import { massFailuresOf, rowsOf } from '../../bot/triage/failing-tests.ts'
import type { PeopleOf } from '../../bot/triage/people.ts'
import type { Declarations } from '../../judge/ledger/declaration.ts'
import type {
  FailingExecution,
  Failure,
  JudgedFailure,
  LedgerNames,
  Subject,
  TestHistory,
  TrunkExecution,
} from '../../judge/ledger/failure.ts'
import { historiesWanted } from '../../judge/ledger/history-wanted.ts'
import { judgeFailures } from '../../judge/ledger/ledger.ts'
import type { LedgerThresholds } from '../../judge/ledger/thresholds.ts'
import type { CiResults } from '../../store/checks/ci-results.ts'
import { DAY } from '../../text/time.ts'

/** Looks up one test by its name, failing or not, for `ledger lookup --test`. */

export interface TestLookup {
  readonly ciResults: CiResults
  readonly repositoryId: number
  /** Empty: the check itself. */
  readonly testName: string
  /** Only failures in this check are judged; counts are over every check all the same. */
  readonly checkName: string | null
  readonly subject: Subject
  readonly names: LedgerNames
  readonly thresholds: LedgerThresholds
  /** What people have said of failures of the repository. */
  readonly declarations: Declarations
  readonly peopleOf: PeopleOf
  /** The end of the lookback in milliseconds; null: the newest execution of the test. */
  readonly now: number | null
  /** Milliseconds. */
  readonly judgedAt: number
}

export type TestFound = JudgedTest | NoFailure

export interface JudgedTest {
  /** The newest of each failure that the test has (by signature), newest first. */
  readonly failures: readonly JudgedFailure[]
  /** The end of the lookback of all of them, in milliseconds. */
  readonly until: number
  /** The newest pass on the trunk after a failure, in its check. */
  readonly passedSince: ReadonlyMap<Failure, TrunkExecution>
}

/** A test that did not fail where it was looked for, and what is known of it. */
export interface NoFailure {
  readonly failures: readonly []
  /** How far back it was looked for: the lookback, and then further where that costs little. */
  readonly searchedDays: readonly number[]
  readonly passes: number
  /** Checks in which it failed all the same. */
  readonly otherChecks: readonly string[]
}

/** Different failures of one test that are judged. */
const MOST_SIGNATURES = 50

/**
 * How far back a test is looked for that did not fail within the lookback, in days: only in the own tables, which are
 * ordered by test. A year of a table that is ordered by time would be a scan.
 */
const SEARCHED_DAYS = 365

/**
 * The judgement of one test without a commit in question: judged as of its newest execution, so that what failed and
 * passes again is not called broken. One that has passed longer than a lookback since its newest failure is judged as
 * of that failure. Throws `CiResultsUnavailable`.
 */
export async function lookUpTest(input: TestLookup): Promise<TestFound> {
  const { ciResults, now, checkName, subject, repositoryId, names, thresholds, declarations, judgedAt } = input
  const { searched, history } = await search(input)
  const rows = failingIn(history, checkName)
  if (rows[0] === undefined) {
    const otherChecks = [...new Set(history.failing.map((row) => row.checkName))].toSorted()
    return { failures: [], searchedDays: searched, passes: history.passes, otherChecks }
  }
  const end = now ?? endOf(rows[0].time, history, thresholds)
  const failures = newestBySignature(input.testName, rows, end - thresholds.lookbackDays * DAY)
  const until = () => end
  const latest = { ...historiesWanted(failures, until)[0]!, until: now ?? judgedAt }
  const [[today, ...histories], massFailures] = await Promise.all([
    ciResults.historiesOf([latest, ...historiesWanted(failures, until)], subject, repositoryId, thresholds),
    massFailuresOf(ciResults, [end], subject, repositoryId, thresholds),
  ])
  const judged = judgeFailures({
    failures,
    histories,
    massFailures,
    subject,
    names,
    changedFiles: null,
    thresholds,
    until,
    problem: null,
    declarations,
    people: await input.peopleOf(subject, rowsOf(failures, histories)),
    judgedAt,
  })
  return {
    failures: judged.toSorted((a, b) => b.failure.time - a.failure.time),
    until: end,
    passedSince: passedSince(failures, today?.latestTrunk ?? []),
  }
}

interface Searched {
  /** Days, each further than the one before. */
  readonly searched: readonly number[]
  /** The history in the last of these lookbacks. */
  readonly history: TestHistory
}

async function search(input: TestLookup): Promise<Searched> {
  const { ciResults, now, checkName, thresholds } = input
  const { lookbackDays } = thresholds
  const history = await historyOf(input, lookbackDays)
  const isFurther = now === null && ciResults.source === 'own' && lookbackDays < SEARCHED_DAYS
  if (failingIn(history, checkName).length > 0 || !isFurther) return { searched: [lookbackDays], history }
  return { searched: [lookbackDays, SEARCHED_DAYS], history: await historyOf(input, SEARCHED_DAYS) }
}

async function historyOf(input: TestLookup, lookbackDays: number): Promise<TestHistory> {
  const { ciResults, testName, checkName, subject, repositoryId, thresholds, judgedAt } = input
  const wanted = {
    testName,
    checkName: testName === '' ? checkName : null,
    failedIn: checkName === null ? [] : [checkName],
    until: input.now ?? judgedAt,
  }
  const [history] = await ciResults.historiesOf([wanted], subject, repositoryId, { ...thresholds, lookbackDays })
  return history!
}

/** Newest first. */
function failingIn({ failing }: TestHistory, checkName: string | null): readonly FailingExecution[] {
  return checkName === null ? failing : failing.filter((row) => row.checkName === checkName)
}

/** The newest execution that is known, where a lookback from there still holds the newest failure. */
function endOf(newestFailure: number, { lastTrunkPass }: TestHistory, { lookbackDays }: LedgerThresholds): number {
  const newest = Math.max(newestFailure, lastTrunkPass?.time ?? newestFailure)
  return newestFailure > newest - lookbackDays * DAY ? newest : newestFailure
}

function newestBySignature(testName: string, rows: readonly FailingExecution[], after: number): readonly Failure[] {
  const newest = new Map<string, Failure>()
  for (const row of rows) {
    if (row.time <= after || newest.size === MOST_SIGNATURES) break
    const key = `${row.signature.kind} ${row.signature.text}`
    if (!newest.has(key)) newest.set(key, failureOf(row, testName))
  }
  return [...newest.values()]
}

function passedSince(
  failures: readonly Failure[],
  latestTrunk: readonly TrunkExecution[],
): ReadonlyMap<Failure, TrunkExecution> {
  return new Map(
    failures.flatMap((failure) => {
      const after = ({ checkName, time, failed }: TrunkExecution) =>
        !failed && checkName === failure.checkName && time > failure.time
      const pass = latestTrunk.find(after)
      return pass === undefined ? [] : [[failure, pass] as const]
    }),
  )
}

function failureOf(row: FailingExecution, testName: string): Failure {
  const { pullRequestNumber, commitSha, checkName, time, baseRef, baseRepo, headRef, headRepo } = row
  return {
    testName,
    checkName,
    // a history keeps what failed, not in which word its source said so
    status: testName === '' ? 'failure' : 'FAIL',
    pullRequestNumber,
    commitSha,
    headRepo,
    headRef,
    baseRef,
    baseRepo,
    time,
    signature: row.signature,
    passedOnRetry: false,
    reportUrl: row.reportUrl,
  }
}
