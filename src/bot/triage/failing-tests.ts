import { isSameFailure } from '../../judge/ledger/counted-history.ts'
import type { Declarations } from '../../judge/ledger/declaration.ts'
import type {
  ChangedFile,
  FailingExecution,
  FailingTests,
  Failure,
  LedgerNames,
  LookupProblem,
  MassFailure,
  Subject,
  TestHistory,
} from '../../judge/ledger/failure.ts'
import { historiesWanted } from '../../judge/ledger/history-wanted.ts'
import { judgeFailures } from '../../judge/ledger/ledger.ts'
import { redChecksOf } from '../../judge/ledger/red-checks.ts'
import type { LedgerThresholds } from '../../judge/ledger/thresholds.ts'
import { type CiResults, CiResultsUnavailable, type FailuresOfCommit } from '../../store/checks/ci-results.ts'
import { DAY } from '../../text/time.ts'
import type { PeopleOf } from './people.ts'

/** Failing tests of one commit: found, looked up and judged. When that is done for a head: `failing-tests-of-head.ts`. */

export interface FailingTestsInput {
  readonly ciResults: CiResults
  readonly repositoryId: number
  /** Head repository and branch may be empty: then they are taken from the rows of the commit. */
  readonly subject: Subject
  readonly names: LedgerNames
  readonly thresholds: LedgerThresholds
  /** Null: nobody could say what the pull request changes. */
  readonly changedFiles: readonly ChangedFile[] | null
  /** The end of the lookback in milliseconds; null: the time of each failure. */
  readonly until: number | null
  /** Checks whose failures are told elsewhere: the performance checks. */
  readonly isLeftOut: (checkName: string) => boolean
  /** The tests of a job are on their way: that it failed without one can't be said yet. */
  readonly isAwaited: boolean
  /** True where results that are missing now are not waited for any longer. */
  readonly isFinal: boolean
  /** The red checks of the head as GitHub shows them, those left out excepted. `startedAt` in milliseconds. */
  readonly redChecks: readonly {
    readonly name: string
    readonly url: string | null
    readonly startedAt: number | null
  }[]
  /** Milliseconds. */
  readonly judgedAt: number
  /** What people have said of failures of this repository; left out: nobody is asked. */
  readonly declarations?: Declarations
  /** Left out: nobody behind the rows is known. */
  readonly peopleOf?: PeopleOf
  /** The answer of the source about the commit; left out: it is asked. */
  readonly found?: FailuresOfCommit
}

/** Reads the failing tests of a commit and their history, and judges each. A source that is down is a state of it. */
export async function findFailingTests(input: FailingTestsInput): Promise<FailingTests> {
  const { ciResults, thresholds, names, redChecks } = input
  const base = { source: ciResults.source, lookbackDays: thresholds.lookbackDays, isFinal: input.isFinal }
  const deadline = AbortSignal.timeout(LONGEST_LOOKUP_MS)
  const found = input.found ?? (await orProblem(failuresOf(input), deadline))
  if (typeof found === 'string') {
    return { ...base, problem: found, failures: [], notJudged: 0, redChecks: redChecksOf(redChecks, [], names) }
  }
  const failures = found.failures.filter(
    (failure) => !input.isLeftOut(failure.checkName) && !isOutdated(failure, redChecks),
  )
  const subject = subjectOf(input.subject, failures)
  const until = (failure: Failure) => input.until ?? failure.time
  const evidence = await orProblem(evidenceOf(input, failures, subject, until), deadline)
  const problem = typeof evidence === 'string' ? evidence : null
  const people =
    typeof evidence === 'string' ? undefined : await input.peopleOf?.(subject, rowsOf(failures, evidence.histories))
  const judged = judgeFailures({
    failures,
    ...(typeof evidence === 'string' ? NO_EVIDENCE : evidence),
    subject,
    names,
    changedFiles: input.changedFiles,
    thresholds,
    until,
    problem,
    ...(input.declarations !== undefined && { declarations: input.declarations }),
    ...(people !== undefined && { people }),
    judgedAt: input.judgedAt,
  })
  return {
    ...base,
    problem,
    failures: judged,
    notJudged: found.notRead,
    redChecks: redChecksOf(redChecks, judged, names, found.notRead),
  }
}

/** The failing rows of the histories, those first that may excuse a failure. */
export function rowsOf(
  failures: readonly Pick<Failure, 'testName' | 'signature'>[],
  histories: readonly TestHistory[],
): readonly FailingExecution[] {
  const ofTests = Map.groupBy(failures, ({ testName }) => testName)
  const isHit = (testName: string, { signature }: FailingExecution) =>
    ofTests.get(testName)?.some((failure) => isSameFailure(failure.signature, signature)) === true
  const rows = histories.flatMap(({ testName, failing }) =>
    failing.map((row) => ({ row, isHit: isHit(testName, row) })),
  )
  return [...rows.filter((one) => one.isHit), ...rows.filter((one) => !one.isHit)].map(({ row }) => row)
}

async function failuresOf({ ciResults, repositoryId, subject }: FailingTestsInput): Promise<FailuresOfCommit> {
  const { repository, commitSha, pullRequestNumber } = subject
  return await ciResults.failuresOf({ repositoryId, repository, commitSha, pullRequestNumber })
}

/** How far before GitHub's time of it a check may have begun by the clock of whoever wrote its rows. */
const CLOCK_TOLERANCE_MS = 15 * 60_000

/** The check has begun anew since, and of this attempt there is nothing yet: the one before says nothing of it. */
function isOutdated({ checkName, time }: Failure, redChecks: FailingTestsInput['redChecks']): boolean {
  const red = redChecks.find(({ name }) => name === checkName)
  return red !== undefined && red.startedAt !== null && time < red.startedAt - CLOCK_TOLERANCE_MS
}

interface Evidence {
  readonly histories: readonly TestHistory[]
  readonly massFailures: readonly MassFailure[]
}

const NO_EVIDENCE: Evidence = { histories: [], massFailures: [] }

async function evidenceOf(
  { ciResults, repositoryId, thresholds }: FailingTestsInput,
  failures: readonly Failure[],
  subject: Subject,
  until: (failure: Failure) => number,
): Promise<Evidence> {
  if (failures.length === 0) return NO_EVIDENCE
  const [histories, massFailures] = await Promise.all([
    ciResults.historiesOf(historiesWanted(failures, until), subject, repositoryId, thresholds),
    massFailuresOf(ciResults, failures.map(until), subject, repositoryId, thresholds),
  ])
  return { histories, massFailures }
}

/** The mass failures of every lookback that ends at one of the times: with failures far apart, of one lookback before another. */
export async function massFailuresOf(
  ciResults: CiResults,
  untils: readonly number[],
  subject: Subject,
  repositoryId: number,
  thresholds: LedgerThresholds,
): Promise<readonly MassFailure[]> {
  const lookback = thresholds.lookbackDays * DAY
  const earliest = Math.min(...untils) - lookback
  const found = new Map<string, MassFailure>()
  for (let end = Math.max(...untils); end > earliest; end -= lookback) {
    for (const one of await ciResults.massFailuresOf(end, subject, repositoryId, thresholds)) {
      const window = JSON.stringify([one.start, one.hours, one.checkName])
      const known = found.get(window)
      if (known === undefined || one.tests > known.tests) found.set(window, one)
    }
  }
  return [...found.values()].toSorted((a, b) => a.start - b.start)
}

/** The rows of a commit know whose branch it is where the caller does not. */
function subjectOf(subject: Subject, failures: readonly Failure[]): Subject {
  const named = failures.find(({ headRepo, headRef }) => headRepo !== '' && headRef !== '')
  if (named === undefined || (subject.headRepo !== '' && subject.headRef !== '')) return subject
  return { ...subject, headRepo: named.headRepo, headRef: named.headRef }
}

/** A database that is slow must not hold up the triage of others. What it is asked already has its own time-out. */
const LONGEST_LOOKUP_MS = 60_000

async function orProblem<T>(asked: Promise<T>, deadline: AbortSignal): Promise<T | LookupProblem> {
  const late = Promise.withResolvers<LookupProblem>()
  const onAbort = () => late.resolve('too-slow')
  deadline.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([asked, late.promise])
  } catch (error) {
    if (error instanceof CiResultsUnavailable) return error.problem
    throw error
  } finally {
    deadline.removeEventListener('abort', onAbort)
    // Whatever comes of it after the deadline is nobody's.
    asked.catch(() => {})
  }
}
