import { fitsAny, type NamePattern } from '../../text/name-pattern.ts'
import { DAY } from '../../text/time.ts'
import { saysProcessIsGone } from '../crash.ts'
import type { FailingExecution, Failure, Reason } from '../failure.ts'
import { infrastructureProblem, problemOfJob } from '../infrastructure-phrases.ts'
import { massFailuresHolding } from '../mass-failure.ts'
import { isOwn } from '../row-origin.ts'
import type { LedgerThresholds } from '../thresholds.ts'
import type { CaseWithHistory, Reasons } from './rule.ts'

/**
 * The test failed in a mass failure, and the same test failed alike elsewhere in it: it is one of the many. A test that
 * failed in this pull request and one or two others, or otherwise, is not excused by what happened to others at the
 * same time.
 *
 * Triggers: 300 tests failed in 40 pull requests between 10:00 and 11:00, this one among them, at 10:20 here and at 10:05
 * in another, both with `Connection refused`. Does not: the same hour, and this test failed in one other pull request
 * only; or here with `heap-use-after-free` and there with `Connection refused`.
 */
export function massFailure({ failure, counted, massFailures }: CaseWithHistory): Reasons {
  const { testName } = failure
  const shared = massFailuresHolding(failure, massFailures).filter((mass) =>
    counted.massHits.some((row) => massFailuresHolding({ ...row, testName }, [mass]).length > 0),
  )
  const [largest] = shared.toSorted((a, b) => b.tests - a.tests)
  if (largest === undefined) return null
  const { tests, pullRequests, start, hours } = largest
  return [{ kind: 'in-mass-failure', tests, pullRequests, start, hours }]
}

/**
 * The trunk fails alike right now: at the merge base, or in all of the latest `brokenTrunkRuns` trunk runs of the check.
 *
 * Triggers: the merge base failed with the same signature; or the latest two commits tested on the trunk did. Does not:
 * the merge base failed and passed when it was tried again; the latest failed and the one before passed, failed with
 * another signature, or is a job in which this failure did not appear.
 */
export function brokenTrunk(case_: CaseWithHistory): Reasons {
  return failedAtMergeBase(case_) ?? latestTrunkRunsFailed(case_)
}

function failedAtMergeBase({ counted, subject: { mergeBase } }: CaseWithHistory): Reasons {
  if (mergeBase === null || mergeBase === '') return null
  const passedIn = new Set(
    counted.history.passesBesideFailures
      .filter(({ commitSha, passes }) => commitSha === mergeBase && passes > 0)
      .map(({ checkName }) => checkName),
  )
  const failedThere = counted.trunkHits.some(
    ({ commitSha, checkName }) => commitSha === mergeBase && !passedIn.has(checkName),
  )
  if (!failedThere) return null
  return [{ kind: 'failed-at-merge-base', commitSha: mergeBase }]
}

/**
 * A trunk run is a commit in this check. It failed when the test failed there alike and never passed: what passed when it
 * was tried again is flaky, not broken. A failure in a mass failure says nothing, it is passed over.
 *
 * `Logical error: … (STID: 2508-3e7b)` is never said to have passed: the name exists only when it fails. For a test
 * without a known pass `latestTrunk` therefore holds the jobs of the check in which it left no failing row. Where nobody
 * knows of jobs or passes, what failed is all that is known to have run.
 */
function latestTrunkRunsFailed(case_: CaseWithHistory): Reasons {
  const { counted, subject, failure, thresholds } = case_
  const { history } = counted
  const runs = new Map<string, boolean>()
  const executions = history.latestTrunk
    .filter(
      ({ commitSha, checkName, time }) =>
        checkName === failure.checkName && commitSha !== subject.commitSha && time <= history.until,
    )
    .toSorted((a, b) => b.time - a.time)
  for (const { commitSha, checkName, time, failed } of executions) {
    if (failed && massFailuresHolding({ testName: failure.testName, checkName, time }, case_.massFailures).length > 0)
      continue
    const alike = failed && isHit(counted.trunkHits, commitSha, failure.checkName)
    runs.set(commitSha, (runs.get(commitSha) ?? true) && alike)
  }

  const latest = [...runs].slice(0, thresholds.brokenTrunkRuns)
  if (latest.length < thresholds.brokenTrunkRuns || !latest.every(([, failed]) => failed)) return null
  return [{ kind: 'latest-trunk-runs-failed', commits: latest.map(([commitSha]) => commitSha) }]
}

function isHit(trunkHits: readonly FailingExecution[], commitSha: string, checkName: string): boolean {
  return trunkHits.some((hit) => hit.commitSha === commitSha && hit.checkName === checkName)
}

/**
 * The test fails alike in enough pull requests that have nothing to do with this one, or on the trunk on enough days.
 *
 * Of a failure of which nothing is said (`isSilent`) pull requests are no evidence: each of them may have broken
 * its own build. On the trunk there is one.
 *
 * Triggers: 7 unrelated pull requests, 8 hits, none on the trunk; or 2 hits on the trunk on different days. Does not: 2
 * unrelated pull requests and 5 hits on the trunk on one day; 3 pull requests of one branch; nor `Build (amd)` without a
 * word in 7 unrelated pull requests.
 */
export function chronic({ failure, falloutTests, counted, thresholds }: ChronicCase): Reasons {
  const reasons: Reason[] = []
  if (!isSilent(failure, falloutTests) && counted.unrelatedPullRequests >= thresholds.chronicPullRequests) {
    reasons.push({
      kind: 'unrelated-pull-requests',
      pullRequests: counted.unrelatedPullRequests,
      needed: thresholds.chronicPullRequests,
    })
  }
  const days = countDays(counted.trunkHits)
  if (days >= thresholds.chronicTrunkDays) {
    reasons.push({ kind: 'trunk-hits', hits: counted.trunkHits.length, days, needed: thresholds.chronicTrunkDays })
  }
  const [first, ...others] = reasons
  return first === undefined ? null : [first, ...others]
}

interface ChronicCase extends Pick<CaseWithHistory, 'falloutTests' | 'counted' | 'thresholds'> {
  readonly failure: Pick<Failure, 'testName' | 'signature'>
}

/** Days in UTC. */
function countDays(rows: readonly FailingExecution[]): number {
  return new Set(rows.map(({ time }) => Math.floor(time / DAY))).size
}

/**
 * The test failed alike elsewhere and passed there on the same commit in the same check: the code was the same, so the
 * code did not decide. That it passed here when it was tried again is said, and excuses nothing: a pull request that
 * makes a test fail every other time looks just like that. Of a commit of the trunk there is nobody to be excused: it
 * is its own witness.
 *
 * A failure of which nothing is said (`isSilent`) is not asked: a licence check that turns green once its author has signed
 * fails and passes on one commit, and says nothing of the next author.
 *
 * Triggers: failed and passed on commit 1a2b3c of another pull request, in `Stateless tests (amd_tsan)`; or on the commit
 * of the trunk that is judged. Does not: failed there in one check and passed in another; failed and passed on this pull
 * request's own commits, also where the failure is looked up by its test alone; nor `license/cla`, red
 * and then green in another pull request.
 */
export function flaky({ failure, falloutTests, counted, subject }: CaseWithHistory): Reasons {
  if (isSilent(failure, falloutTests)) return null
  const passed = new Set(
    counted.history.passesBesideFailures
      .filter(({ passes }) => passes > 0)
      .map(({ commitSha, checkName }) => JSON.stringify([commitSha, checkName])),
  )
  const { pullRequestNumber, commitSha, headRepo, headRef } = failure
  const author = { ...subject, pullRequestNumber, commitSha, headRepo, headRef }
  const both = counted.hits.filter(
    (hit) =>
      passed.has(JSON.stringify([hit.commitSha, hit.checkName])) && !(pullRequestNumber > 0 && isOwn(hit, author)),
  )
  const itself = pullRequestNumber === 0 && failure.passedOnCommit === true ? [commitSha] : []
  const commits = [...new Set([...itself, ...both.map((hit) => hit.commitSha)])]
  const [newest] = commits
  return newest === undefined ? null : [{ kind: 'passed-on-same-commit', commits: commits.length, example: newest }]
}

/**
 * The test failed alike nowhere else, and ran often enough elsewhere to have shown it: would it fail at `chronicRate`,
 * then no failure in so many runs had a chance of at most `missedChance`. Where failing rows were not read nobody can
 * say so.
 *
 * `Logical error: … (STID: 2508-3e7b)` has no executions to count: the name exists only when it fails. Then the runs of its
 * check are what it could have shown itself in.
 *
 * A job that was killed, ran out of something or left no result says nothing of the change, and proves nothing against it.
 *
 * Triggers: 0 hits in 412 executions; or a crash of which nothing is known in 400 runs of its check. Does not: 0 hits in 20
 * executions, or 1 hit in 412.
 */
export function neverElsewhere({ failure, counted, thresholds }: CaseWithHistory): Reasons {
  const { hits, runs: executions, history } = counted
  if (problemOfJob(failure) !== null) return null
  if (hits.length > 0 || history.failingNotRead > 0) return null
  const checkRuns = history.passes === 0 ? (history.checkRuns ?? 0) : 0
  const of = checkRuns > executions ? 'check' : 'test'
  const runs = Math.max(executions, checkRuns)
  const rate = thresholds.chronicRate
  const chance = chanceOfNone(runs, rate)
  return chance <= thresholds.missedChance ? [{ kind: 'never-elsewhere', of, runs, chance, rate }] : null
}

/** The chance of no failure in `runs` independent executions of a test that fails at `rate`. */
function chanceOfNone(runs: number, rate: number): number {
  return (1 - rate) ** runs
}

/** The executions without a failure that rule out a test that fails at `chronicRate`: 59 by default. */
export function runsNeeded({ chronicRate, missedChance }: LedgerThresholds): number {
  const about = Math.ceil(Math.log(missedChance) / Math.log(1 - chronicRate))
  // The logarithms are rounded: what the rule itself says one execution above or below decides.
  const first = [about - 1, about].find((runs) => chanceOfNone(runs, chronicRate) <= missedChance)
  return Math.max(0, first ?? about + 1)
}

/**
 * No rule applies: what there is, and what would have been enough. Of a failure of which nothing is said no number of pull
 * requests would be.
 */
export function tooLittle(case_: CaseWithHistory): readonly [Reason, ...Reason[]] {
  const { failure, falloutTests, counted } = case_
  const problem = problemOfJob(failure)
  if (problem !== null && counted.hits.length === 0) return [{ kind: 'no-test-failed', problem }]
  if (!isSilent(failure, falloutTests)) return [whatIsMissing(case_)]
  const said: Reason = {
    kind: 'nothing-said',
    of: failure.testName === '' ? 'check' : 'test',
    pullRequests: counted.unrelatedPullRequests,
  }
  return counted.hits.length > 0 ? [said] : [said, whatIsMissing(case_)]
}

function whatIsMissing({ counted, thresholds }: CaseWithHistory): Reason {
  const { hits, runs, history } = counted
  if (hits.length > 0) {
    return { kind: 'too-few-hits', pullRequests: counted.unrelatedPullRequests, trunkHits: counted.trunkHits.length }
  }
  if (history.failingNotRead > 0) return { kind: 'more-not-read', hits: history.failingNotRead }
  return { kind: 'too-few-runs', runs, needed: runsNeeded(thresholds) }
}

/**
 * A failure of which nothing is said: its output holds lines of a test framework alone, or it has not a word why
 * (`isIdleLine` has the words that are none) and a name that does not say either what failed: a check without a failing
 * test, a name of `ledger.falloutTests`, or one that says only that a process is gone. Nothing shows that two such failures
 * are the same, and everybody breaks their own build.
 *
 * Is: `Lint`, `Process completed with exit code 1.`; `Server died` without output; `01234_test`, `severity: fail`. Is not:
 * `01234_test` without output, whose name says what failed; nor `Lint`, `error: 'x' is defined but never used`.
 */
export function isSilent(
  { testName, signature }: Pick<Failure, 'testName' | 'signature'>,
  falloutTests: readonly NamePattern[],
): boolean {
  if (signature.kind === 'frames') return true
  // Killed, by whatever: a hang of its own looks like this, too.
  if (testName === '' && infrastructureProblem(signature.text) === 'no-result') return true
  if (signature.kind !== 'name') return false
  // gotestsum's `TestMain`: a package that failed although none of its tests did.
  return (
    testName === '' ||
    /(?:^|[. ])TestMain$/.test(testName) ||
    saysProcessIsGone(testName) ||
    fitsAny(falloutTests, testName)
  )
}
