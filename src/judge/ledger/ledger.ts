import { compileNamePattern } from '../../text/name-pattern.ts'
import { DAY } from '../../text/time.ts'
import { type CountedHistory, countHistory, isSameFailure } from './counted-history.ts'
import { isCrash, saysProcessIsGone, saysServerIsLost } from './crash.ts'
import { type Declarations, type LastDeclaration, stateOf } from './declaration.ts'
import { ofFailure } from './entry.ts'
import {
  type ChangedFile,
  type Classification,
  EXAMPLE_HITS,
  type FailingExecution,
  type Failure,
  type Hit,
  type JudgedFailure,
  jobOf,
  type LedgerNames,
  type LookupProblem,
  type MassFailure,
  type Reason,
  type Subject,
  type TestHistory,
} from './failure.ts'
import { historyKey } from './history-wanted.ts'
import { infrastructureProblem } from './infrastructure-phrases.ts'
import { hoursHolding } from './mass-failure.ts'
import { inOrder } from './order.ts'
import { worstCause } from './red-checks.ts'
import { pullRequestOf } from './row-origin.ts'
import {
  anotherMatter,
  brokenTrunk,
  chronic,
  fixedOnTrunk,
  flaky,
  isChronic,
  massFailure,
  neverElsewhere,
  neverInThisCheck,
  notCounted,
  tooLittle,
} from './rules/by-history.ts'
import type { Case, CaseWithHistory, Reasons } from './rules/rule.ts'
import {
  declaredChronic,
  fallout,
  infrastructure,
  possibleCauses,
  rollup,
  testChanged,
} from './rules/without-history.ts'
import { stackOnChanges } from './stack-files.ts'
import type { LedgerThresholds } from './thresholds.ts'
import { type People, UNKNOWN_PEOPLE, type WitnessTeller } from './witness.ts'

/** Judges failing tests by the rules in `rules/`, in their order. It asks nobody: histories are given. */

export interface LedgerInput {
  /** The failing tests of one head. Retries of one test in one job are one failure. */
  readonly failures: readonly Failure[]
  /** The histories that `historiesWanted` asks for, in any order. */
  readonly histories: readonly TestHistory[]
  readonly massFailures: readonly MassFailure[]
  readonly subject: Subject
  readonly names: LedgerNames
  /** Null: nobody knows them. */
  readonly changedFiles: readonly ChangedFile[] | null
  readonly thresholds: LedgerThresholds
  /** The end of the lookback of a failure, in milliseconds; by default its own time. */
  readonly until: (failure: Failure) => number
  /** Not null: the histories could not be read, and none is looked at. */
  readonly problem: LookupProblem | null
  /** What people have said of failures of this repository; left out: nobody is asked. */
  readonly declarations?: Declarations
  /** Whose word counts; left out: nobody could be asked. */
  readonly people?: People
  /** Milliseconds. */
  readonly judgedAt: number
}

/** The table of `docs/ledger.md`: from the top, the first that applies stands. These need no history. */
const WITHOUT_HISTORY: readonly (readonly [Classification, (case_: Case) => Reasons])[] = [
  ['rollup', rollup],
  ['infrastructure', infrastructure],
  ['fallout', fallout],
  ['pr-suspect', testChanged],
  ['chronic', declaredChronic],
]

/** The rest of the table. Below it is `unknown`. */
const BY_HISTORY: readonly (readonly [Classification, (case_: CaseWithHistory) => Reasons])[] = [
  ['mass-failure', massFailure],
  ['broken-trunk', brokenTrunk],
  ['chronic', chronic],
  ['flaky', flaky],
  ['pr-suspect', neverElsewhere],
  ['pr-suspect', neverInThisCheck],
]

/**
 * Judges each failure, in the order in which they are to be shown (`order.ts`). `issue`, `proofUrl` and `owner` are null:
 * they are not in the histories. A failure whose history is missing is unknown, with `unexpected-answer`. Throws
 * `NamePatternError` for a broken pattern in `names`, which the configuration has checked before.
 */
export function judgeFailures(input: LedgerInput): readonly JudgedFailure[] {
  const rollupChecks = input.names.rollupChecks.map(compileNamePattern)
  const falloutTests = input.names.falloutTests.map(compileNamePattern)
  const histories = new Map(input.histories.map((history) => [historyKey(history, history.until), history]))
  const jobs = new Map(
    [...Map.groupBy(input.failures, jobOf)].map(([job, failures]) => [job, { failures, ...crashesIn(failures) }]),
  )

  const cases = input.failures.map((failure) => {
    const { failures, crashes: allCrashes, isServerLost } = jobs.get(jobOf(failure))!
    const besides = failures.filter((other) => other !== failure)
    const crashes = allCrashes.filter((other) => other !== failure)
    const declaration = (input.declarations === undefined ? undefined : ofFailure(input.declarations, failure)) ?? null
    const { changedFiles, judgedAt } = input
    return { failure, besides, crashes, isServerLost, rollupChecks, falloutTests, changedFiles, declaration, judgedAt }
  })
  const tellers = new Map<TestHistory, WitnessTeller>()
  const judged = new Map(cases.map((case_) => [case_.failure, judgeCase(case_, input, histories, tellers)]))
  return inOrder(
    cases.map((case_) => {
      const causes = possibleCauses(case_).flatMap((cause) => judged.get(cause) ?? [])
      return underWorstCause(judged.get(case_.failure)!, causes)
    }),
  )
}

/** Looked for once for all failures of a job. */
function crashesIn(failures: readonly Failure[]): Pick<Case, 'crashes' | 'isServerLost'> {
  const isServerLost = failures.some((one) => saysProcessIsGone(one.testName) || saysServerIsLost(one))
  return { crashes: failures.filter(isCrash), isServerLost }
}

function judgeCase(
  case_: Case,
  input: LedgerInput,
  histories: ReadonlyMap<string, TestHistory>,
  tellers: Map<TestHistory, WitnessTeller>,
): JudgedFailure {
  const history = histories.get(historyKey(case_.failure, input.until(case_.failure)))
  if (input.problem !== null) return judgeWithoutHistory(case_, input, input.problem)
  if (history === undefined) return judgeWithoutHistory(case_, input, 'unexpected-answer')
  return judgeByHistory(case_, input, history, tellers)
}

/** Fallout with the cause that decides, now that all of them are judged. */
function underWorstCause(one: JudgedFailure, causes: readonly JudgedFailure[]): JudgedFailure {
  const cause = one.classification === 'fallout' ? worstCause(causes) : null
  if (cause === null) return one
  const { testName } = cause.failure
  const reasons = one.reasons.map((reason) => (reason.kind === 'follows-from' ? { ...reason, testName } : reason))
  return { ...one, reasons, causedBy: testName }
}

function judgeByHistory(
  case_: Case,
  input: LedgerInput,
  history: TestHistory,
  tellers: Map<TestHistory, WitnessTeller>,
): JudgedFailure {
  const { subject, massFailures, thresholds, people = UNKNOWN_PEOPLE } = input
  const { lookbackDays } = thresholds
  const { failure } = case_
  const counted = countHistory(failure, history, { subject, massFailures, lookbackDays, people, tellers })
  const alikeHere = input.failures.filter(
    (other) =>
      other.testName !== '' &&
      other.testName === failure.testName &&
      other.commitSha === failure.commitSha &&
      isSameFailure(failure.signature, other.signature),
  )
  const weighed = { ...case_, counted, massFailures, subject, thresholds, people, alikeHere }
  const withHistory = { ...weighed, anotherMatter: anotherMatter(weighed) }
  const [classification, reasons] = firstThatApplies(WITHOUT_HISTORY, case_) ??
    firstThatApplies(BY_HISTORY, withHistory) ?? ['unknown', tooLittle(withHistory)]
  // Beside what a person says stands what the history says of the same.
  const alsoByHistory = reasons[0]?.kind === 'declared-chronic' ? (isChronic(withHistory) ?? []) : []
  const isExplained = classification === 'chronic' || classification === 'flaky'
  const fixed = isExplained ? fixedOnTrunk(withHistory) : []
  const said = [...reasons, ...alsoByHistory, ...fixed, ...notCounted(counted, people)]
  return { ...judgement(case_, classification, said, counted, input), ...numbersOf(counted, input) }
}

/** Judges by the rules that need no history; any other failure is unknown, with the reason why nobody knows. */
function judgeWithoutHistory(case_: Case, input: LedgerInput, problem: LookupProblem): JudgedFailure {
  const failed: Reason = { kind: 'lookup-failed', problem }
  const [classification, reasons] = firstThatApplies(WITHOUT_HISTORY, case_) ?? ['unknown', []]
  return { ...judgement(case_, classification, [...reasons, failed], null, input), ...NO_NUMBERS }
}

function firstThatApplies<C>(
  rules: readonly (readonly [Classification, (case_: C) => Reasons])[],
  case_: C,
): readonly [Classification, readonly Reason[]] | null {
  for (const [classification, rule] of rules) {
    const reasons = rule(case_)
    if (reasons !== null) return [classification, reasons]
  }
  return null
}

function judgement(
  case_: Case,
  classification: Classification,
  decisive: readonly Reason[],
  counted: CountedHistory | null,
  input: LedgerInput,
) {
  const beside = [
    ...expiredDeclaration(case_.declaration, input.judgedAt),
    ...notesBeside(case_.failure, counted, input.massFailures, input.judgedAt),
    ...(MAY_BE_OWN.has(classification) ? stackOnChanges(case_.failure.files ?? [], case_.changedFiles) : []),
  ]
  const decided = new Set(decisive.flatMap(({ kind }) => [kind, ...(IMPLIED[kind] ?? [])]))
  return {
    failure: case_.failure,
    classification,
    reasons: [...decisive, ...beside.filter(({ kind }) => !decided.has(kind))],
    causedBy: null,
    issue: null,
    proofUrl: null,
    owner: null,
  }
}

/** Of these a reader asks whether it is the pull request's. */
const MAY_BE_OWN: ReadonlySet<Classification> = new Set(['pr-suspect', 'unknown', 'chronic', 'flaky'])

/** Reasons that need not be said any more where the other was said. */
const IMPLIED: Partial<Record<Reason['kind'], readonly Reason['kind'][]>> = {
  'nothing-said': ['no-test-failed', 'matched-by-name'],
  'no-test-failed': ['matched-by-name'],
}

function numbersOf(counted: CountedHistory, { subject, thresholds }: LedgerInput) {
  const { hits, trunkHits, history } = counted
  const within = (days: number) => hits.filter(({ time }) => history.until - time < days * DAY).length
  return {
    unrelatedPullRequests: counted.unrelatedPullRequests,
    witnesses: counted.witnesses.trusted,
    hits: hits.length,
    trunkHits: trunkHits.length,
    hits14: within(14),
    hits30: within(30),
    runs: counted.runs,
    trunkRate: counted.trunkRate,
    firstSeen: hits.at(-1)?.time ?? null,
    lastSeen: hits[0]?.time ?? null,
    lastTrunkPass: history.lastTrunkPass,
    firstBadTrunkCommit: firstBadTrunkCommit(counted, thresholds.brokenTrunkRuns),
    examples: exampleHits(hits, subject),
  }
}

const NO_NUMBERS = {
  unrelatedPullRequests: null,
  witnesses: null,
  hits: null,
  trunkHits: null,
  hits14: null,
  hits30: null,
  runs: null,
  trunkRate: null,
  firstSeen: null,
  lastSeen: null,
  lastTrunkPass: null,
  firstBadTrunkCommit: null,
  examples: [],
}

/**
 * The hits that a person is shown: the newest of each pull request (of each commit where there is none) and, while there
 * is room, the newest of the rest. At most `EXAMPLE_HITS`, newest first. `hits` are newest first.
 */
function exampleHits(hits: readonly FailingExecution[], subject: Subject): readonly Hit[] {
  const seen = new Set<string>()
  const firsts: FailingExecution[] = []
  const rest: FailingExecution[] = []
  for (const hit of hits) {
    const source = pullRequestOf(hit, subject) ?? `commit ${hit.commitSha}`
    if (seen.has(source)) rest.push(hit)
    else firsts.push(hit)
    seen.add(source)
  }
  return [...firsts, ...rest]
    .slice(0, EXAMPLE_HITS)
    .toSorted((a, b) => b.time - a.time)
    .map(({ pullRequestNumber, commitSha, checkName, time, reportUrl }) => ({
      pullRequestNumber,
      commitSha,
      checkName,
      time,
      reportUrl,
    }))
}

/**
 * The oldest trunk commit that failed after the last pass on the trunk. Null where no pass is known (then it may have
 * begun before the lookback), where older failures were not read, and where fewer than `brokenTrunkRuns` commits failed
 * since: a flake of yesterday is nobody's commit. A job in which the test did not appear is no pass here: a name that
 * exists only when it fails would point at a new commit with every gap between two of its failures.
 */
function firstBadTrunkCommit(
  { trunkHits, history }: Pick<CountedHistory, 'trunkHits' | 'history'>,
  brokenTrunkRuns: number,
): string | null {
  const lastPass = history.lastTrunkPass
  const oldestRead = history.failing.reduce((oldest, { time }) => Math.min(oldest, time), Number.POSITIVE_INFINITY)
  if (lastPass === null || (history.failingNotRead > 0 && oldestRead > lastPass.time)) return null
  const since = trunkHits.filter(({ time }) => time > lastPass.time)
  if (new Set(since.map(({ commitSha }) => commitSha)).size < brokenTrunkRuns) return null
  return since.at(-1)?.commitSha ?? null
}

function expiredDeclaration(declaration: LastDeclaration | null, judgedAt: number): readonly Reason[] {
  if (declaration === null || stateOf(declaration, judgedAt) !== 'expired') return []
  return [{ kind: 'declaration-expired', by: declaration.by, issue: declaration.failure.issue }]
}

/** How far a clock may be ahead before it is said: less is the usual difference of machines. */
const CLOCK_TOLERANCE_MS = 5 * 60_000

/** Reasons that a person should know beside those that decided: none of them changes the classification. */
function notesBeside(
  failure: Failure,
  counted: CountedHistory | null,
  massFailures: readonly MassFailure[],
  judgedAt: number,
): readonly Reason[] {
  const said: Reason[] = []
  if (failure.testName === '') {
    said.push({ kind: 'no-test-failed', problem: infrastructureProblem(failure.signature.text) })
  }
  if (counted !== null) said.push(...ofHistory(failure, counted, massFailures))
  if (failure.passedOnRetry) said.push({ kind: 'passed-on-retry' })
  // Without how far: that is less at every look, and nothing else has changed.
  if (failure.time - judgedAt > CLOCK_TOLERANCE_MS) said.push({ kind: 'clock-ahead' })
  return said
}

function ofHistory(
  failure: Failure,
  { otherSignature, otherPullRequests, sameStack, sameStackPullRequests, massHits, history }: CountedHistory,
  massFailures: readonly MassFailure[],
): readonly Reason[] {
  const said: Reason[] = []
  if (failure.signature.kind === 'name') said.push({ kind: 'matched-by-name' })
  if (otherSignature.length > 0) {
    said.push({ kind: 'other-signature', hits: otherSignature.length, pullRequests: otherPullRequests })
  }
  if (sameStack.length > 0)
    said.push({ kind: 'same-stack', hits: sameStack.length, pullRequests: sameStackPullRequests })
  if (massHits.length > 0) {
    const rows = massHits.map((row) => ({ ...row, testName: failure.testName }))
    said.push({ kind: 'mass-failures-left-out', hits: massHits.length, hours: hoursHolding(rows, massFailures) })
  }
  if (history.failingNotRead > 0) said.push({ kind: 'more-not-read', hits: history.failingNotRead })
  return said
}
