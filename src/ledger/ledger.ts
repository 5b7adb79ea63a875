import { compileNamePattern } from '../text/name-pattern.ts'
import { type CountedHistory, countHistory } from './counted-history.ts'
import { exampleHits } from './example-hits.ts'
import type {
  ChangedFile,
  Classification,
  Failure,
  JudgedFailure,
  LedgerNames,
  LookupProblem,
  MassFailure,
  Reason,
  Subject,
  TestHistory,
} from './failure.ts'
import { firstBadTrunkCommit } from './first-bad-trunk-commit.ts'
import { historyKey } from './history-wanted.ts'
import { jobOf } from './job.ts'
import { inOrder } from './order.ts'
import { brokenTrunk } from './rules/broken-trunk.ts'
import { chronic } from './rules/chronic.ts'
import { fallout, possibleCauses } from './rules/fallout.ts'
import { flaky } from './rules/flaky.ts'
import { infrastructure } from './rules/infrastructure.ts'
import { massFailure } from './rules/mass-failure.ts'
import { neverElsewhere } from './rules/never-elsewhere.ts'
import { rollup } from './rules/rollup.ts'
import type { Case, CaseWithHistory, Reasons } from './rules/rule.ts'
import { testChanged } from './rules/test-changed.ts'
import { tooLittle } from './rules/too-little.ts'
import { saidBeside } from './said-beside.ts'
import type { LedgerThresholds } from './thresholds.ts'
import { worstCause } from './worst-cause.ts'

export interface LedgerInput {
  /** Of one head. Retries of one test in one job are one failure. */
  readonly failures: readonly Failure[]
  /** As `historiesWanted` asks for them; in any order. */
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
  /** Milliseconds. */
  readonly judgedAt: number
}

/** The table of `docs/ledger.md`: from the top, the first that applies stands. These need no history. */
const WITHOUT_HISTORY: readonly (readonly [Classification, (case_: Case) => Reasons])[] = [
  ['rollup', rollup],
  ['infrastructure', infrastructure],
  ['fallout', fallout],
  ['pr-suspect', testChanged],
]

/** The rest of the table. Below it is `unknown`. */
const BY_HISTORY: readonly (readonly [Classification, (case_: CaseWithHistory) => Reasons])[] = [
  ['mass-failure', massFailure],
  ['broken-trunk', brokenTrunk],
  ['chronic', chronic],
  ['flaky', flaky],
  ['pr-suspect', neverElsewhere],
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
  const jobs = Map.groupBy(input.failures, jobOf)

  const cases = input.failures.map((failure) => {
    const besides = jobs.get(jobOf(failure))!.filter((other) => other !== failure)
    return { failure, besides, rollupChecks, falloutTests, changedFiles: input.changedFiles }
  })
  const judged = new Map(cases.map((case_) => [case_.failure, judgeCase(case_, input, histories)]))
  return inOrder(
    cases.map((case_) => {
      const causes = possibleCauses(case_).flatMap((cause) => judged.get(cause) ?? [])
      return underWorstCause(judged.get(case_.failure)!, causes)
    }),
  )
}

function judgeCase(case_: Case, input: LedgerInput, histories: ReadonlyMap<string, TestHistory>): JudgedFailure {
  const history = histories.get(historyKey(case_.failure, input.until(case_.failure)))
  if (input.problem !== null) return judgeWithoutHistory(case_, input, input.problem)
  if (history === undefined) return judgeWithoutHistory(case_, input, 'unexpected-answer')
  return judgeByHistory(case_, input, history)
}

/** Fallout with the cause that decides, now that all of them are judged. */
function underWorstCause(one: JudgedFailure, causes: readonly JudgedFailure[]): JudgedFailure {
  const cause = one.classification === 'fallout' ? worstCause(causes) : null
  if (cause === null) return one
  const { testName } = cause.failure
  const reasons = one.reasons.map((reason) => (reason.kind === 'follows-from' ? { ...reason, testName } : reason))
  return { ...one, reasons, causedBy: testName }
}

function judgeByHistory(case_: Case, input: LedgerInput, history: TestHistory): JudgedFailure {
  const { subject, massFailures, thresholds } = input
  const { lookbackDays } = thresholds
  const counted = countHistory(case_.failure, history, { subject, massFailures, lookbackDays })
  const withHistory = { ...case_, counted, massFailures, subject, thresholds }
  const [classification, reasons] = firstThatApplies(WITHOUT_HISTORY, case_) ??
    firstThatApplies(BY_HISTORY, withHistory) ?? ['unknown', tooLittle(withHistory)]
  return { ...judgement(case_, classification, reasons, counted, input), ...numbersOf(counted, input) }
}

/** What needs no history is said all the same; of anything else only why nobody knows. */
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
  const beside = saidBeside(case_.failure, counted, input.massFailures, input.judgedAt)
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

/** What need not be said any more where the reason was said. */
const IMPLIED: Partial<Record<Reason['kind'], readonly Reason['kind'][]>> = {
  'nothing-said': ['no-test-failed', 'matched-by-name'],
}

function numbersOf(counted: CountedHistory, { subject, thresholds }: LedgerInput) {
  const { hits, trunkHits, history } = counted
  return {
    unrelatedPullRequests: counted.unrelatedPullRequests,
    hits: hits.length,
    trunkHits: trunkHits.length,
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
  hits: null,
  trunkHits: null,
  runs: null,
  trunkRate: null,
  firstSeen: null,
  lastSeen: null,
  lastTrunkPass: null,
  firstBadTrunkCommit: null,
  examples: [],
}
