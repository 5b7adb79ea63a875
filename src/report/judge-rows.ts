import { type Measurement, queryKey, type Run, resultKey, resultNumbers } from '../intake/measurement/run.ts'
import { InertPaths, UNBUILT_PATHS } from '../judge/bisect/binary-paths.ts'
import { trunkBetween } from '../judge/bisect/trunk-shift.ts'
import type { HistoryFacts } from '../judge/history/history-facts.ts'
import type { TrunkStep } from '../judge/history/trunk-series.ts'
import type { ChangedFunctions } from '../judge/profile/changed-functions.ts'
import type { GrownFunctions } from '../judge/profile/grown-functions.ts'
import type { ClassifiedQuery } from '../judge/verdict/classified-query.ts'
import { alreadyOnTrunk } from '../judge/verdict/evidence/already-on-trunk.ts'
import { isWorkMetric } from '../judge/verdict/evidence/different-work.ts'
import { type Evidence, type Examined, evidenceOf } from '../judge/verdict/evidence/evidence.ts'
import { hostSpells } from '../judge/verdict/evidence/host-spell.ts'
import { movedMeanwhile } from '../judge/verdict/evidence/moved-meanwhile.ts'
import { otherMachine } from '../judge/verdict/evidence/other-machine.ts'
import { type Rotation, rotation } from '../judge/verdict/evidence/rotating.ts'
import { explainedByShift, type StoredAttempt } from '../judge/verdict/evidence/shard-shift.ts'
import { isGuarded } from '../judge/verdict/guard.ts'
import type { IgnoreEntry } from '../judge/verdict/test-entries.ts'
import { type Verdict, verdictOf } from '../judge/verdict/verdict.ts'
import { compareWorstFirst } from '../judge/verdict/worst-first.ts'
import { NOTHING_SAID, withAcceptance } from './acceptance.ts'
import { type ClassifiedHead, environmentsIn, isJudged, oldBuildOf, runOfResult } from './classify-head.ts'
import { confirmedEarlier } from './earlier-attempts.ts'
import { decisive } from './parts.ts'
import type { HeadFacts, IgnoringEntry, ReportRow, RowProfile } from './report.ts'

/** The answers of those who were asked about the changed rows of a head, as plain values. */
export interface Answers {
  /** The trunk's history; null or absent: it was not asked. */
  readonly history?: HistoryFacts | null
  /**
   * Every path that the pull request changes, with the earlier names of renamed files; null or absent: not known, or not
   * all of them.
   */
  readonly changedFiles?: readonly string[] | null
  /** Paths that can't reach the binary; absent: `UNBUILT_PATHS`. */
  readonly inertPaths?: InertPaths
  /** The profiles of rows with a verdict in words; absent: nobody looked. */
  readonly profiles?: HeadProfiles
  /** The functions that the pull request changes; null or absent: its files could not be listed. */
  readonly changedFunctions?: ChangedFunctions | null
  /** Facts of the head that only the trunk's last runs show; absent: none, or nobody knows. */
  readonly facts?: HeadFacts
  /** Earlier runs of the same checks on this head. They are never pooled; what they shifted by is compared. Absent: not asked. */
  readonly earlierAttempts?: readonly StoredAttempt[]
  /**
   * Evidence that nobody can be asked for now, by `resultKey`, as an earlier report has it: it stands where none of its kind is found.
   * Absent: everybody could be asked.
   */
  readonly remembered?: ReadonlyMap<string, readonly Evidence[]>
}

/** The profiles of one result in words. */
export interface ResultProfile {
  /** The words for those who read the report. */
  readonly shown: RowProfile
  /** The functions for the evidence. */
  readonly grown: GrownFunctions
}

/** The profile of each result that was asked for, by `resultKey`; null where it has none. */
export type HeadProfiles = ReadonlyMap<string, ResultProfile | null>

/**
 * The rows to ask about, worst first by the measurements alone: those with a verdict, but for the ignored ones, of which no answer
 * changes anything. No answer gives one to another row.
 */
export function rowsToAskAbout(head: ClassifiedHead): ReportRow[] {
  return judgeRows(head, {}).filter(({ verdict }) => verdict !== null && verdict !== 'ignored')
}

/** A row a query, with its evidence and its verdict, in the order in which to look at them. */
export function judgeRows(head: ClassifiedHead, answers: Answers): ReportRow[] {
  const surroundings = surroundingsOf(head, answers)
  return [...Map.groupBy(head.results, queryKey).values()]
    .map((results) =>
      withAcceptance(judgeRow(results, surroundings), head.input.said ?? NOTHING_SAID, head.input.entries),
    )
    .toSorted(compareRows)
    .map((row) => withProfile(row, answers.profiles))
}

function judgeRow(unordered: readonly ClassifiedQuery[], surroundings: Surroundings): ReportRow {
  const { architectures } = surroundings.head
  const results = unordered.toSorted(
    (a, b) => architectures.indexOf(a.architecture) - architectures.indexOf(b.architecture),
  )
  const guarded = results.some(isGuarded)
  // what can be compared is not hidden by what can't, however far apart it is
  const comparable = results.filter(surroundings.isComparable)
  const deciding = worstOf(comparable.some(isSlower) ? comparable : results)
  const isFound =
    deciding.outcome === 'changed' || guarded || deciding.history?.asksAgain === true || deciding.leans !== undefined
  const remembered = surroundings.answers.remembered?.get(resultKey(deciding)) ?? []
  const evidence = isFound ? evidenceOf(examined(deciding, results, surroundings), remembered) : []
  const others = results.filter((other) => other !== deciding)
  const ignoring = surroundings.head.input.entries?.ignoring(deciding) ?? null
  const verdict = verdictOf(deciding, guarded, evidence, others, ignoring !== null)
  return {
    test: deciding.test,
    queryIndex: deciding.queryIndex,
    queryName: deciding.queryName,
    ...(deciding.ordinal === undefined ? {} : { ordinal: deciding.ordinal }),
    metric: deciding.metric,
    unit: deciding.unit,
    results,
    decidedBy: results.indexOf(deciding),
    outcome: deciding.outcome,
    direction: deciding.direction,
    verdict,
    ...(verdict === 'ignored' && ignoring !== null && { ignored: 'by' in ignoring ? ignoring : ignoredBy(ignoring) }),
    guarded: guarded && verdict !== 'ignored',
    evidence,
    sinceLastPush: null,
  }
}

function isSlower({ outcome, direction }: ClassifiedQuery): boolean {
  return outcome === 'changed' && direction === 'slower'
}

export function ignoredBy({ test, query, reason, until }: Omit<IgnoreEntry, 'kind'>): IgnoringEntry {
  return { test, query, reason, until }
}

/** Rows that were not asked for stay without. */
function withProfile(row: ReportRow, profiles: HeadProfiles | undefined): ReportRow {
  const found = profiles?.get(resultKey(decisive(row)))
  return found === undefined ? row : { ...row, profile: found?.shown ?? null }
}

/** Slower and changed first, then what the guard names, then the order of `worst-first.ts`. */
function worstOf(results: readonly ClassifiedQuery[]): ClassifiedQuery {
  const slower = results.filter(isSlower)
  const guarded = results.filter(isGuarded)
  const candidates = slower.length > 0 ? slower : guarded.length > 0 ? guarded : results
  return candidates.toSorted(compareWorstFirst)[0]!
}

/** The places beside the row itself in which evidence is found. */
interface Surroundings {
  readonly head: ClassifiedHead
  readonly answers: Answers
  readonly runOf: (result: ClassifiedQuery) => Run | null
  /** Both of its sides ran on machines of one kind, as far as anybody says it. */
  readonly isComparable: (result: ClassifiedQuery) => boolean
  /** The part of a result's difference that the shift of its own run explains. */
  readonly shiftOf: Examined['shiftOf']
  readonly rotation: Rotation | null
  /** What the order of measurement says of the host of each row's run. */
  readonly hosts: ReadonlyMap<ClassifiedQuery, Examined['hosts']>
  /** The work of a query in its run: what it read and held. */
  readonly workOf: (result: ClassifiedQuery, run: Run) => readonly Measurement[]
  readonly inertPaths: InertPaths
  readonly confirmedBefore: ReturnType<typeof confirmedEarlier>
}

function surroundingsOf(head: ClassifiedHead, answers: Answers): Surroundings {
  const runOf = runOfResult(head)
  const shifts = [...head.shifts.values()]
  const environments = new Map(head.input.runs.map((run) => [run, environmentsIn(run)]))
  return {
    head,
    answers,
    runOf,
    isComparable: (result) => otherMachine(result, environments.get(runOf(result)!)) === null,
    shiftOf: (result) => explainedByShift(result, head.shifts.get(runOf(result)!), shifts),
    rotation: rotationOf(head),
    hosts: hostsOf(head),
    workOf: workIn(head.input.runs),
    inertPaths: answers.inertPaths ?? new InertPaths(UNBUILT_PATHS),
    confirmedBefore: confirmedEarlier(head.input),
  }
}

/** Of what is compared on both heads: so ignored queries count in neither. */
function rotationOf({ input, results }: ClassifiedHead): Rotation | null {
  const { previous, primaryMetric } = input
  if (previous === null || previous.primaryMetric !== primaryMetric) return null
  const before = previous.rows.flatMap((row) => row.results)
  return rotation(before, results.filter(isJudged(input)))
}

function hostsOf({ results, measured }: ClassifiedHead): Surroundings['hosts'] {
  const rows = results.map((result) => ({ result, ...measured.get(resultKey(result))! }))
  const found = [...Map.groupBy(rows, ({ run }) => run).values()].flatMap((ofRun) => [
    ...hostSpells(ofRun),
    ...movedMeanwhile(ofRun),
  ])
  const byResult = Map.groupBy(found, ([result]) => result)
  return new Map([...byResult].map(([result, ofResult]) => [result, ofResult.map(([, evidence]) => evidence)]))
}

function workIn(runs: readonly Run[]): Surroundings['workOf'] {
  const works = new Map(
    runs.map((run) => {
      const numberOf = resultNumbers(run.architecture)
      const work = run.measurements.filter(({ metric }) => isWorkMetric(metric))
      return [run, { numberOf, byNumber: Map.groupBy(work, numberOf) }]
    }),
  )
  return (result, run) => {
    const work = works.get(run)
    return work?.byNumber.get(work.numberOf(result)) ?? []
  }
}

function examined(deciding: ClassifiedQuery, all: readonly ClassifiedQuery[], surroundings: Surroundings): Examined {
  const { head, answers, isComparable, shiftOf, rotation: rotated, hosts, workOf } = surroundings
  const { references, pullRequest, thresholds } = head.input
  const key = resultKey(deciding)
  const { measurement, run } = head.measured.get(key)!
  const history = answers.history?.queries.get(key)
  return {
    result: deciding,
    comparable: all.filter(isComparable),
    measurement,
    run,
    environments: environmentsIn(run),
    history,
    steps: stepsOf([deciding, ...changedAlike(deciding, all)], surroundings),
    steppedSince: steppedSince(run.oldCommit, history?.step ?? null, answers.history?.orderOnTrunk ?? null),
    hosts: hosts.get(deciding) ?? [],
    shiftOf,
    confirmedEarlier: surroundings.confirmedBefore(deciding, run),
    pullRequest: pullRequest.number,
    changedFiles: answers.changedFiles ?? null,
    inertPaths: surroundings.inertPaths,
    changedFunctions: answers.changedFunctions ?? null,
    grown: answers.profiles?.get(key)?.grown ?? null,
    rotation: rotated,
    work: workOf(deciding, run),
    references,
    learned: thresholds.learned?.(queryKey(deciding), deciding.architecture) ?? null,
  }
}

/** The old build where the trunk has stepped since it, or nobody can say; null: there is no such step, or no build. */
function steppedSince(
  oldCommit: string | null,
  step: TrunkStep | null,
  order: HistoryFacts['orderOnTrunk'],
): string | null {
  if (oldCommit === null || step === null) return null
  const [build, after] = [order?.get(oldCommit), order?.get(step.firstBad.commit)]
  return build !== undefined && after !== undefined && build >= after ? null : oldCommit
}

/** The other results of a row that changed the same way. */
export function changedAlike(deciding: ClassifiedQuery, all: readonly ClassifiedQuery[]): ClassifiedQuery[] {
  return all.filter(
    (other) => other !== deciding && other.outcome === 'changed' && other.direction === deciding.direction,
  )
}

function stepsOf(results: readonly ClassifiedQuery[], { head, answers }: Surroundings): Examined['steps'] {
  const { history = null } = answers
  if (history === null) return []
  return results.map((result) => {
    const known = history.queries.get(resultKey(result))
    const trunk = { step: known?.step ?? null, points: known?.points ?? [] }
    const between = trunkBetween(history.orderOnTrunk, oldBuildOf(head, result), head.input.mergeBase)
    return alreadyOnTrunk(result, trunk, between)
  })
}

/** The order in which to look at rows: guarded ones that nobody accepted, then by verdict, then worst first by the measurement. */
function compareRows(a: ReportRow, b: ReportRow): number {
  return (
    Number(isGuardedStill(b)) - Number(isGuardedStill(a)) ||
    verdictRank(a.verdict) - verdictRank(b.verdict) ||
    compareWorstFirst(decisive(a), decisive(b))
  )
}

function isGuardedStill({ guarded, accepted }: ReportRow): boolean {
  return guarded && accepted === undefined
}

const VERDICT_ORDER: readonly (Verdict | null)[] = [
  'regression',
  'needs-rerun',
  'already-on-trunk',
  'likely-noise',
  'acknowledged',
  'ignored',
  null,
  'improvement',
]

function verdictRank(verdict: Verdict | null): number {
  return VERDICT_ORDER.indexOf(verdict)
}
