import { binomialTail } from '../../statistics/binomial-tail.ts'
import { configurationOf } from '../configuration.ts'
import type { FailingExecution, Failure, Reason } from '../failure.ts'
import { problemOfJob } from '../infrastructure-phrases.ts'
import { massFailuresHolding } from '../mass-failure.ts'
import { isOfTrunk, isOwn } from '../row-origin.ts'
import { isSilent } from '../silent.ts'
import { cleanSince, daysBegun } from '../stretches.ts'
import type { LedgerThresholds } from '../thresholds.ts'
import { authorOf, countWitnesses, type People, standingOf, type WitnessTeller, witnessesOf } from '../witness.ts'
import type { CaseWithHistory, Reasons } from './rule.ts'

/**
 * The test failed in a mass failure, and the same test failed alike elsewhere in it: it is one of the many. A test that
 * failed in this pull request and one or two others, or otherwise, is not excused by what happened to others at the
 * same time. In gating as many trusted pull requests have to have failed alike as make a test part of one: a few accounts
 * can fail anything at any time.
 *
 * Triggers: 300 tests failed in 40 pull requests between 10:00 and 11:00, this one among them, at 10:20 here and at 10:05
 * in another, both with `Connection refused`. Does not: the same hour, and this test failed in one other pull request
 * only; or here with `heap-use-after-free` and there with `Connection refused`.
 */
export function massFailure(case_: CaseWithHistory): Reasons {
  const { failure, counted, massFailures, people, thresholds } = case_
  const { testName } = failure
  const shared = massFailuresHolding(failure, massFailures).filter((mass) => {
    const alike = counted.massHits.filter((row) => massFailuresHolding({ ...row, testName }, [mass]).length > 0)
    if (people.mode === 'advisory') return alike.length > 0
    const { trusted } = witnessesOf(alike, counted.teller)
    return trusted >= thresholds.massPullRequestsPerTest
  })
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
      .filter(({ commitSha, pullRequestNumber }) => commitSha === mergeBase && pullRequestNumber === 0)
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
 * The test fails alike in enough pull requests that have nothing to do with this one, or on the trunk in stretches that
 * began on enough days; and nothing says that it is another matter here (`anotherMatter`).
 *
 * Triggers: 7 unrelated pull requests, 8 hits, none on the trunk; or 2 hits on the trunk on different days. Does not: 2
 * unrelated pull requests and 5 hits on the trunk on one day; 3 pull requests of one stack, or of one stranger; nor
 * `Build (amd)` without a word in 7 unrelated pull requests.
 */
export function chronic(case_: CaseWithHistory): Reasons {
  return excused(case_, isChronic(case_))
}

/** An excuse of the failures elsewhere, unless it is another matter here. */
function excused(case_: CaseWithHistory, reasons: Reasons): Reasons {
  if (reasons === null || case_.anotherMatter !== null) return null
  const elsewhere = checkElsewhere(case_)
  return elsewhere === null ? reasons : [...reasons, { kind: 'in-other-check', checkName: elsewhere }]
}

/**
 * What the ledger calls chronic, whoever asks. Of a failure of which nothing is said (`isSilent`) pull requests are no
 * evidence: each of them may have broken its own build. Nor are those that failed while the trunk was broken
 * (`isOfStretch`).
 */
export function isChronic({ failure, falloutTests, counted, thresholds, people }: ChronicCase): Reasons {
  const reasons: Reason[] = []
  const pullRequests = countWitnesses(counted.outsideStretches, people.mode)
  if (!isSilent(failure, falloutTests) && pullRequests >= thresholds.chronicPullRequests) {
    const strangers = people.mode === 'gating' ? 0 : counted.outsideStretches.strangers
    reasons.push({
      kind: 'unrelated-pull-requests',
      pullRequests,
      needed: thresholds.chronicPullRequests,
      ...(strangers > 0 && { strangers }),
    })
  }
  const days = daysBegun(counted.stretches)
  if (days >= thresholds.chronicTrunkDays) {
    reasons.push({ kind: 'trunk-hits', hits: counted.trunkHits.length, days, needed: thresholds.chronicTrunkDays })
  }
  const [first, ...others] = reasons
  return first === undefined ? null : [first, ...others]
}

interface ChronicCase extends Pick<CaseWithHistory, 'falloutTests' | 'counted' | 'thresholds' | 'people'> {
  readonly failure: Pick<Failure, 'testName' | 'signature'>
}

/**
 * The test failed alike elsewhere and passed there on the same commit in another job of the same check: the code was the
 * same, so the code did not decide. The trunk says so, and a pull request of somebody whose word counts: a job may write
 * what it likes about itself. That it passed here when it was tried again is said, and excuses nothing: a pull request that
 * makes a test fail every other time looks just like that. Of a commit of the trunk there is nobody to be excused: it
 * is its own witness.
 *
 * A failure of which nothing is said (`isSilent`) is not asked: a licence check that turns green once its author has signed
 * fails and passes on one commit, and says nothing of the next author.
 *
 * Triggers: failed and passed on commit 1a2b3c of the trunk or of a trusted author's pull request, in two attempts of
 * `Stateless tests (amd_tsan)`; or on the commit of the trunk that is judged. Does not: two rows of one job; the same in a
 * stranger's pull request; failed there in one check and passed in another; failed and passed on this pull request's own
 * commits, also where the failure is looked up by its test alone; nor `license/cla`, red and then green in another pull
 * request.
 */
export function flaky(case_: CaseWithHistory): Reasons {
  const { failure, falloutTests, counted, subject, people } = case_
  if (isSilent(failure, falloutTests)) return null
  const { pullRequestNumber, commitSha, headRepo, headRef } = failure
  const author = { ...subject, pullRequestNumber, commitSha, headRepo, headRef }
  const both = counted.hits.filter(
    (hit) =>
      standingOf(hit, subject, people) === 'trusted' &&
      !(pullRequestNumber > 0 && isOwn(hit, author)) &&
      counted.history.passesBesideFailures.some((passed) => isInAnotherJob(passed, hit)),
  )
  const itself = pullRequestNumber === 0 && failure.passedOnCommit === true ? [commitSha] : []
  const commits = [...new Set([...itself, ...both.map((hit) => hit.commitSha)])]
  const [newest] = commits
  if (newest === undefined) return null
  const reasons: Reasons = [{ kind: 'passed-on-same-commit', commits: commits.length, example: newest }]
  return itself.length > 0 ? reasons : excused(case_, reasons)
}

type PassBeside = CaseWithHistory['counted']['history']['passesBesideFailures'][number]

function isInAnotherJob(passed: PassBeside, hit: FailingExecution): boolean {
  return (
    passed.commitSha === hit.commitSha &&
    passed.checkName === hit.checkName &&
    passed.pullRequestNumber === hit.pullRequestNumber
  )
}

/** The chance below which a failure that fails so often here is not the one that comes and goes elsewhere. */
const ANOTHER_MATTER = 0.001

/** Checks of one commit in which a test has to run before its share of failures says anything. */
const FEWEST_CHECKS = 3

type Weighed = Omit<CaseWithHistory, 'anotherMatter'>

/** Why failures elsewhere do not excuse this one; null: they may. */
export function anotherMatter(case_: Weighed): Reason | null {
  return failsMoreHere(case_) ?? onlyInOtherChecks(case_)
}

/**
 * It fails here far more often than elsewhere. The first failure is given, since without one nobody would ask; the others
 * of the n checks in which the test ran here fail at the rate of elsewhere. Only where passes are known. Checks that began
 * when two other witnesses' failed alike are left out: an outage is one cause.
 *
 * Is: 6 of 6 checks here, 10 of 720 executions elsewhere (5e-10). Is not: 1 of 6 here; 3 of 6 here, half of the executions
 * elsewhere; 2 of 2 here, too few to tell.
 */
function failsMoreHere(case_: Weighed): Reason | null {
  const { failure, counted, alikeHere } = case_
  if (counted.history.passes === 0 || counted.hits.length === 0) return null
  const inChecks = alikeHere.filter((one) => !isInOutage(one, case_))
  const failed = inChecks.filter(({ passedOnCommit }) => passedOnCommit !== true).length
  const checks = inChecks.length + (failure.passedInChecks ?? 0)
  if (failed === 0 || checks < FEWEST_CHECKS) return null
  const { runs } = executionsIn(case_, configurationsOf(case_))
  const hits = onceEach(counted.hits, counted.teller)
  if (hits >= runs) return null
  const chance = binomialTail(failed - 1, checks - 1, hits / runs)
  return chance > ANOTHER_MATTER ? null : { kind: 'fails-more-here', failed, checks, hits, runs, chance }
}

/**
 * Two other witnesses, of which the trunk is one, failed alike within so long of this check. A project with 25 builds a day
 * seldom has two others within ten minutes of an outage that lasts an hour.
 *
 * Is: 09:50 and 10:05, and here at 10:00. Is not: 09:30 and 09:35.
 */
const OUTAGE_MS = 20 * 60_000

function isInOutage({ time }: Failure, { counted, subject, people }: Weighed): boolean {
  const { hits, teller } = counted
  const witnesses = new Set<string>()
  for (const hit of hits) {
    if (Math.abs(hit.time - time) > OUTAGE_MS) continue
    const witness = isOfTrunk(hit, subject) ? { name: 'the trunk', standing: 'trusted' } : teller.of(hit)
    if (witness !== null && (people.mode === 'advisory' || witness.standing === 'trusted')) witnesses.add(witness.name)
    if (witnesses.size > 1) return true
  }
  return false
}

/**
 * It fails alike in other configurations alone, and this one has run often enough to have shown it. A stack trace id is the
 * failure wherever it is met.
 *
 * Is: 5 pull requests failed so in `tests (windows)`, and none of 200 executions of `tests (linux)`, where it fails here. Is
 * not: 20 executions of `tests (linux)`; or one of 200 that failed so.
 */
function onlyInOtherChecks(case_: Weighed): Extract<Reason, { kind: 'only-in-other-checks' }> | null {
  const checkName = checkElsewhere(case_)
  if (checkName === null || case_.failure.signature.kind === 'stack-trace-id') return null
  const { runs } = executionsIn(case_, new Set([configurationOf(case_.failure.checkName)]))
  return runs >= runsNeeded(case_.thresholds) ? { kind: 'only-in-other-checks', checkName, runs } : null
}

/** The check of the newest hit, where none is of this configuration. */
function checkElsewhere({ failure, counted: { hits } }: Weighed): string | null {
  const here = configurationOf(failure.checkName)
  if (failure.testName === '' || hits.some(({ checkName }) => configurationOf(checkName) === here)) return null
  return hits[0]?.checkName ?? null
}

/**
 * Executions in some configurations: in each one a commit of the trunk, one a branch of the repository and one an owner of
 * forks, in gating of trusted ones alone; of a test without a known pass the runs of the check, where these are more. A
 * failure with another signature is an execution without this one, and a mass failure is none.
 */
function executionsIn(
  { counted: { failing, massHits, teller, history }, subject, people }: Weighed,
  configurations: ReadonlySet<string>,
): { readonly runs: number; readonly of: 'test' | 'check' } {
  const checks = history.checks.filter(({ checkName }) => configurations.has(configurationOf(checkName)))
  const author = authorOf(subject, people)
  const isCounted = (owner: string) =>
    owner !== author && (people.mode === 'advisory' || people.standings.get(owner) === 'trusted')
  const owners = checks.flatMap(({ checkName, passedBy = [] }) =>
    passedBy.filter(isCounted).map((owner) => `${configurationOf(checkName)} ${owner}`),
  )
  const inMass = new Set(massHits)
  const failed = onceEach(
    failing.filter((row) => configurations.has(configurationOf(row.checkName)) && !inMass.has(row)),
    teller,
  )
  const executions = checks.reduce((sum, { passes }) => sum + passes, 0) + new Set(owners).size + failed
  const runs = history.passes === 0 ? checks.reduce((sum, check) => sum + check.runs, 0) : 0
  return runs > executions ? { runs, of: 'check' } : { runs: executions, of: 'test' }
}

/** Rows, one a configuration and witness; of the trunk and of release branches one a commit. */
function onceEach(rows: readonly FailingExecution[], teller: WitnessTeller): number {
  const nameOf = (row: FailingExecution) => teller.of(row)?.name ?? (row.pullRequestNumber || row.commitSha)
  return new Set(rows.map((row) => `${configurationOf(row.checkName)} ${nameOf(row)}`)).size
}

function configurationsOf({ failure, counted: { failing, history } }: Weighed): ReadonlySet<string> {
  return new Set([failure, ...failing, ...history.checks].map(({ checkName }) => configurationOf(checkName)))
}

/**
 * Failures in other configurations alone, which this one would have shown by now at the rate of the others: then it may be
 * the pull request's. Where that rate is low nobody can tell, and it is unknown.
 */
export function neverInThisCheck(case_: CaseWithHistory): Reasons {
  const { failure, counted, thresholds } = case_
  const reason = isUnread(case_) ? null : onlyInOtherChecks(case_)
  if (reason === null) return null
  const others = new Set(configurationsOf(case_))
  others.delete(configurationOf(failure.checkName))
  const { runs } = executionsIn(case_, others)
  const rate = Math.min(onceEach(counted.hits, counted.teller) / Math.max(runs, 1), 1)
  return chanceOfNone(reason.runs, rate) <= thresholds.missedChance ? [reason] : null
}

/**
 * The test failed alike nowhere else, and ran often enough elsewhere to have shown it: would it fail at `chronicRate`,
 * then no failure in so many runs had a chance of at most `missedChance`. Where failing rows were not read nobody can
 * say so.
 *
 * `Logical error: … (STID: 2508-3e7b)` has no executions to count: the name exists only when it fails. Then the runs of its
 * check are what it could have shown itself in. Executions in other configurations say nothing of this one.
 *
 * A job that was killed, ran out of something or left no result says nothing of the change, and proves nothing against it.
 *
 * Triggers: 0 hits in 412 executions; or a crash of which nothing is known in 400 runs of its check. Does not: 0 hits in 20
 * executions, or 1 hit in 412; nor 0 in 10 on Windows, where it fails here, and 0 in 210 on Linux; nor where the stack trace
 * id that the name states was met under other words.
 */
export function neverElsewhere(case_: CaseWithHistory): Reasons {
  const { failure, counted, thresholds } = case_
  const { hits, sameStack } = counted
  if (problemOfJob(failure) !== null) return null
  if (hits.length > 0 || counted.massHits.length > 0 || sameStack.length > 0 || isUnread(case_)) return null
  const { runs, of } = executionsIn(case_, comparable(case_))
  const rate = thresholds.chronicRate
  const chance = chanceOfNone(runs, rate)
  return chance <= thresholds.missedChance ? [{ kind: 'never-elsewhere', of, runs, chance, rate }] : null
}

/**
 * Older failures were not read. In gating that takes no accusation away: anybody can write more failing rows than are read.
 */
function isUnread({ counted, people }: CaseWithHistory): boolean {
  return people.mode === 'advisory' && counted.history.failingNotRead > 0
}

/** This configuration, and those that have failed like it before: one of these would have shown the failure as well. */
function comparable({ failure, counted: { failing } }: CaseWithHistory): ReadonlySet<string> {
  const here = configurationOf(failure.checkName)
  const reasonOf = ({ signature }: FailingExecution) => JSON.stringify([signature.kind, signature.text])
  const failedHere = new Set(failing.filter(({ checkName }) => configurationOf(checkName) === here).map(reasonOf))
  const alike = failing.filter((row) => failedHere.has(reasonOf(row)))
  return new Set([here, ...alike.map(({ checkName }) => configurationOf(checkName))])
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
  if (!isSilent(failure, falloutTests)) return whatIsMissing(case_)
  const said: Reason = {
    kind: 'nothing-said',
    of: failure.testName === '' ? 'check' : 'test',
    pullRequests: counted.unrelatedPullRequests,
  }
  return counted.hits.length > 0 ? [said] : [said, ...whatIsMissing(case_)]
}

function whatIsMissing(case_: CaseWithHistory): readonly [Reason, ...Reason[]] {
  const { counted, thresholds } = case_
  const { hits, sameStack, history } = counted
  if (case_.anotherMatter !== null) return [case_.anotherMatter]
  if (hits.length > 0 || counted.massHits.length > 0) {
    const { unrelatedPullRequests, trunkHits } = counted
    const outside = countWitnesses(counted.outsideStretches, case_.people.mode)
    const ofStretches = unrelatedPullRequests - outside
    const said: readonly Reason[] = [
      ...endedStretch(case_),
      ...(ofStretches > 0 ? [{ kind: 'of-stretches', pullRequests: ofStretches } as const] : []),
    ]
    const few: Reason = { kind: 'too-few-hits', pullRequests: outside, trunkHits: trunkHits.length }
    const [first, ...others] = said
    return first === undefined ? [few] : [first, ...others, few]
  }
  if (sameStack.length > 0) {
    return [{ kind: 'same-stack', hits: sameStack.length, pullRequests: counted.sameStackPullRequests }]
  }
  if (history.failingNotRead > 0) return [{ kind: 'more-not-read', hits: history.failingNotRead }]
  const { runs } = executionsIn(case_, comparable(case_))
  return [{ kind: 'too-few-runs', runs, needed: runsNeeded(thresholds) }]
}

/** The trunk was broken once, and is not any more: that excuses a head alone whose merge base failed as well (`brokenTrunk`). */
function endedStretch({ failure, counted, subject }: CaseWithHistory): readonly Reason[] {
  const [stretch, ...others] = counted.stretches.all
  const clean = cleanSince(counted.trunkHits, counted.history.checks)
  if (stretch === undefined || others.length > 0 || clean === null) return []
  const mergeBase = builtOn(counted, subject) === undefined ? 'not-known' : 'outside'
  return [
    {
      kind: 'ended-stretch',
      from: stretch.first,
      to: stretch.last,
      commits: stretch.commits.length,
      runs: clean.runs,
      mergeBase: failure.pullRequestNumber === 0 ? null : mergeBase,
    },
  ]
}

/** The trunk's run of the merge base, as far as it is known. */
function builtOn({ trunkHits, history }: CaseWithHistory['counted'], { mergeBase }: CaseWithHistory['subject']) {
  return [...trunkHits, ...history.latestTrunk].find(({ commitSha }) => commitSha === mergeBase)
}

/**
 * Runs of the trunk without a failure before it is said to be fixed there, however often it failed before: the next few may
 * be of the same evening.
 *
 * Fixed: 41 runs without it. Not yet: 4.
 */
const FEWEST_CLEAN_RUNS = 10

/**
 * The trunk fails like this no more: were it to fail as before, all hits would lie before its latest runs with a chance of
 * `missedChance` at most. The trunk's runs are the clock; hits of pull requests count as well unless one came later, since a
 * branch from before fails until it is updated.
 *
 * Is: 17 hits, the last on the trunk on 19 September, 102 clean runs before it and 41 since (0.4%). Is not: 2 hits and 10
 * runs since; nor one hit on the trunk, which says nothing of how it used to be there; nor a build on a later commit.
 */
export function fixedOnTrunk({ counted, subject, thresholds }: CaseWithHistory): readonly Reason[] {
  const clean = cleanSince(counted.trunkHits, counted.history.checks)
  const commits = new Set(counted.trunkHits.map(({ commitSha }) => commitSha)).size
  if (clean === null || clean.runs < FEWEST_CLEAN_RUNS || commits < 2) return []
  const { since, runs, runsBefore } = clean
  const isQuiet = counted.hits.every(({ time }) => time < since)
  const hits = isQuiet ? counted.hits.length : counted.trunkHits.length
  const before = runsBefore + counted.trunkHits.length
  if ((before / (before + runs)) ** hits > thresholds.missedChance) return []
  const base = builtOn(counted, subject)
  return base !== undefined && base.time >= since
    ? []
    : [{ kind: 'fixed-on-trunk', since, runs, buildIsOlder: base !== undefined, ...mendedBetween(counted, since) }]
}

/** Where on the trunk the commit lies that mended it. */
function mendedBetween({ trunkHits, history }: CaseWithHistory['counted'], since: number) {
  const newestOf = <T extends { readonly time: number }>(all: readonly T[]) =>
    all.reduce<T | undefined>((last, one) => (last === undefined || one.time > last.time ? one : last), undefined)
  const lastFailed = newestOf(trunkHits)
  const newest = newestOf(history.latestTrunk)
  return lastFailed === undefined || newest === undefined || newest.time < since
    ? {}
    : { between: { lastFailed: lastFailed.commitSha, newest: newest.commitSha } }
}

/** Pull requests that failed alike and are no evidence in `gating`; empty where there are none. */
export function notCounted({ witnesses: { strangers, notKnown } }: CaseWithHistory['counted'], people: People) {
  const isAny = people.mode === 'gating' && strangers + notKnown > 0
  return isAny ? [{ kind: 'word-not-counted', strangers, notKnown } as const] : []
}
