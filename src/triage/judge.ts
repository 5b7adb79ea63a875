import { InertPaths, UNBUILT_PATHS } from '../bisect/binary-paths.ts'
import { trunkBetween } from '../bisect/trunk-shift.ts'
import { type HistoryFacts, historyKey } from '../history/history-facts.ts'
import type { LearnedProvenance } from '../history/trunk-series.ts'
import { type Measurement, type QueryId, queryKey, queryLabel, type ReadWarning, type Run } from '../measurement/run.ts'
import type { ChangedFunctions } from '../profile/changed-functions.ts'
import {
  type Degradation,
  REPORT_SCHEMA_VERSION,
  type ReportHistory,
  type ReportRow,
  type Shard,
  type SincePreviousHead,
  type TriageReport,
  type WrongBuilds,
} from '../report/report.ts'
import { discoveryBudget } from '../statistics/discovery-budget.ts'
import { median } from '../statistics/median.ts'
import type { RunOf, StoredAttempt } from '../store/store.ts'
import { type ClassifiedQuery, countOutcomes } from '../verdict/classified-query.ts'
import { canCompare, classify } from '../verdict/classify.ts'
import { alreadyOnTrunk } from '../verdict/evidence/already-on-trunk.ts'
import { differentWork, isWorkMetric } from '../verdict/evidence/different-work.ts'
import type { Evidence, NoCodeChanged, ShardShifted } from '../verdict/evidence/evidence.ts'
import { flaggedElsewhere } from '../verdict/evidence/flagged-elsewhere.ts'
import { noCodeChanged } from '../verdict/evidence/no-code-changed.ts'
import { offPath, onPath } from '../verdict/evidence/on-path.ts'
import { bimodal, confirmedOrNot, floorThreshold, tooFewRepetitions } from '../verdict/evidence/own-measurement.ts'
import { replicatedOrNot } from '../verdict/evidence/replicated.ts'
import { type Rotation, rotating, rotation } from '../verdict/evidence/rotating.ts'
import {
  explainedByShift,
  mayExplain,
  type ShardShift,
  shardShift,
  type WholeRunShift,
  wholeRunShift,
} from '../verdict/evidence/shard-shift.ts'
import { type ReferenceBuild, referenceOf, staleReference } from '../verdict/evidence/stale-reference.ts'
import { takesBack } from '../verdict/evidence/takes-back.ts'
import { movesOrStillOnTrunk } from '../verdict/evidence/trunk-moves.ts'
import { isFailure } from '../verdict/failed-in.ts'
import { findingsOf } from '../verdict/findings.ts'
import { isGuarded } from '../verdict/guard.ts'
import type { ThresholdSettings } from '../verdict/thresholds.ts'
import { isBecauseOfChange, isOpen, type Verdict, verdictOf } from '../verdict/verdict.ts'
import { compareWorstFirst } from '../verdict/worst-first.ts'
import { measuredAt } from './measured-at.ts'
import { type HeadProfiles, profileKey } from './profiles-of-head.ts'

/** The plain values that the report follows from: the same input gives the same report. */
export interface JudgeInput {
  readonly repository: TriageReport['repository']
  readonly pullRequest: TriageReport['pullRequest']
  /** Full commit id. */
  readonly head: string
  readonly mergeBase: string | null
  /** The newest commit of the branch that it goes into; null or absent: not known. */
  readonly base?: string | null
  readonly references: readonly ReferenceBuild[]
  /**
   * Of each check, architecture and shard the newest attempt: the measurement set. A query without a value of the primary metric
   * has a measurement of it without samples (`unmeasuredBy`).
   */
  readonly runs: readonly Run[]
  readonly shards: readonly Shard[]
  /** Shards that have not come will not be waited for any longer. */
  readonly isFinal: boolean
  readonly primaryMetric: string
  readonly thresholds: ThresholdSettings
  /** The trunk's history; null or absent: it was not asked. */
  readonly history?: HistoryFacts | null
  /**
   * Every path that the pull request changes, with the earlier names of renamed files; null or absent: not known, or not
   * all of them.
   */
  readonly changedFiles?: readonly string[] | null
  /** Paths that can't reach the binary; absent: `UNBUILT_PATHS`. */
  readonly inertPaths?: InertPaths
  /** The profiles of rows with a verdict in words, by result; absent: nobody looked. */
  readonly profiles?: HeadProfiles
  /** The functions that the pull request changes; null or absent: its files could not be listed. */
  readonly changedFunctions?: ChangedFunctions | null
  /** Earlier runs of the same checks on this head. They are never pooled; what they shifted by is compared. Absent: not asked. */
  readonly earlierAttempts?: readonly StoredAttempt[]
  readonly failingTests: TriageReport['failingTests']
  /** The windows of steps on the trunk; absent: none were looked for. */
  readonly windows?: TriageReport['windows']
  readonly mode: TriageReport['mode']
  /** The newest report of another head of the same pull request. */
  readonly previous: TriageReport | null
  /** The report of this very head that stood before; null or absent: there was none. */
  readonly earlier?: TriageReport | null
  readonly degradations: readonly Degradation[]
  /** ISO 8601, UTC. */
  readonly judgedAt: string
}

/** The level that the discovery budget is quoted for. */
const DISCOVERY_LEVEL = 0.01

/** Judges the measurement set of a head: the report that should stand. */
export function judge(input: JudgeInput): TriageReport {
  const { measured, warnings } = measuredOnce(input.runs, input.primaryMetric)
  const results = classify(
    [...measured.values()].map(({ measurement }) => measurement),
    input.thresholds,
  )
  const architectures = architecturesOf(results)
  const shifts = shiftsOf(results, measured)
  const allShifts = [...shifts.values()]
  const surroundings: Surroundings = {
    input,
    oldCommitOf: oldCommitIn(measured),
    shiftOf: (result) => explainedByShift(result, shifts.get(measured.get(resultKey(result))!.run), allShifts),
    rotation: rotationOf(results, input),
    work: workOf(input.runs),
    noCode: noCodeChanged(input.changedFiles ?? null, input.inertPaths ?? new InertPaths(UNBUILT_PATHS)),
  }
  const judged = rowsOf(results, architectures, (deciding, all) =>
    evidenceOf(deciding, all, measured.get(resultKey(deciding))!, surroundings),
  )
  const rows = judged.map((row) => withProfile(row, input.profiles))
  const sinceLastPush = deltaOf(rows, input.previous)
  const history = historyOf(results, input)
  const wrongBuilds = wrongBuildsOf(input)
  const notMeasuredAgain = notMeasuredAgainOf(rows, input)

  return {
    schemaVersion: REPORT_SCHEMA_VERSION,
    repository: input.repository,
    pullRequest: input.pullRequest,
    head: input.head,
    mergeBase: input.mergeBase,
    references: input.references,
    primaryMetric: input.primaryMetric,
    architectures,
    shards: input.shards,
    complete: isComplete(input),
    rows: sinceLastPush.rows.map((row) => markedWhereBecause(row, history)),
    counts: countOutcomes(rows.map(({ results, decidedBy }) => results[decidedBy]!)),
    thresholdSources: thresholdSourcesOf(rows),
    discoveries: architectures.map((architecture) => ({
      architecture,
      metric: input.primaryMetric,
      ...discoveryBudget(
        results.filter((result) => result.architecture === architecture),
        DISCOVERY_LEVEL,
      ),
    })),
    smallestPValue: smallestPValueOf(results),
    shifts: [...shifts.values()],
    wholeRun: isComplete(input) ? wholeRunShiftsOf(shifts, input.earlierAttempts ?? []) : [],
    ...(wrongBuilds.length === 0 ? {} : { wrongBuilds }),
    ...(notMeasuredAgain.length === 0 ? {} : { notMeasuredAgain }),
    sinceLastPush: sinceLastPush.summary,
    history,
    failingTests: input.failingTests,
    windows: input.windows ?? [],
    mode: input.mode,
    degradations: input.degradations,
    warnings: [...input.runs.flatMap((run) => run.warnings.map((warning) => inCheck(run, warning))), ...warnings],
    judgedAt: input.judgedAt,
  }
}

/**
 * Runs that say which commits they built, and did not compare the change with its base. CI may build the merge of the head
 * into the base: another commit than each of them is nothing wrong.
 */
function wrongBuildsOf({ runs, head, base = null, mergeBase }: JudgeInput): readonly WrongBuilds[] {
  const found = runs.flatMap(({ oldCommit, newCommit }): WrongBuilds[] => {
    if (oldCommit !== null && (isSameCommit(oldCommit, head) || isSameCommit(oldCommit, newCommit)))
      return [{ kind: 'same-commit', commit: oldCommit }]
    if (newCommit === null || isSameCommit(newCommit, head)) return []
    const isBase = isSameCommit(newCommit, base) || isSameCommit(newCommit, mergeBase)
    return isBase ? [{ kind: 'new-is-base', commit: newCommit }] : []
  })
  return [...new Map(found.map((one) => [`${one.kind} ${one.commit}`, one])).values()]
}

/** A source may state a short id. */
function isSameCommit(commit: string, other: string | null): boolean {
  return other !== null && other !== '' && commit !== '' && (other.startsWith(commit) || commit.startsWith(other))
}

const ENDED: ReadonlySet<Shard['state']> = new Set(['measured', 'failed', 'skipped'])

function isComplete({ shards, isFinal }: JudgeInput): boolean {
  return shards.length > 0 && (isFinal || shards.every(({ state }) => ENDED.has(state)))
}

interface Measured {
  readonly measurement: Measurement
  readonly run: Run
}

/**
 * Every query of the primary metric once per architecture. Two checks that measured the same query on the same
 * architecture are never pooled: the one that can be compared stands, of two such the worse one, and a warning says so.
 */
function measuredOnce(
  runs: readonly Run[],
  metric: string,
): { readonly measured: ReadonlyMap<string, Measured>; readonly warnings: readonly ReadWarning[] } {
  const measured = new Map<string, Measured>()
  const warnings: ReadWarning[] = []
  const ordered = runs.toSorted((a, b) => (a.check < b.check ? -1 : 1))
  for (const run of ordered) {
    for (const measurement of run.measurements) {
      if (measurement.metric !== metric) continue
      const placed = { ...measurement, architecture: measurement.architecture ?? run.architecture }
      const key = resultKey(placed)
      const standing = measured.get(key)
      const stands = standing !== undefined && weightOf(standing.measurement) >= weightOf(placed)
      if (!stands) measured.set(key, { measurement: placed, run })
      const other = stands ? placed : standing?.measurement
      if (standing !== undefined && other !== undefined && weightOf(other) > 0) {
        const [kept, left] = stands ? [standing.run, run] : [run, standing.run]
        warnings.push({
          code: 'duplicate-sample',
          where: left.check,
          message: `${queryLabel(measurement)} is measured by "${kept.check}" as well; the worse of the two results stands`,
        })
      }
    }
  }
  return { measured, warnings }
}

/** The rank of a result that may stand for a query: 0 without samples, below 1 where it can't be compared, else 1 and the ratio of the medians. */
function weightOf(measurement: Measurement): number {
  const { old, new: fresh } = measurement
  if (old.length === 0 || fresh.length === 0) return old.length + fresh.length > 0 ? 0.5 : 0
  if (!canCompare(measurement)) return 0.75
  const ratio = median(fresh) / median(old)
  // Two medians of 0.
  return Number.isNaN(ratio) ? 1 : 1 + ratio
}

/** The run that stands for each result of the report of `runs`; null for any other. */
export function runOfResult({ runs, primaryMetric }: Pick<JudgeInput, 'runs' | 'primaryMetric'>): RunOf {
  const { measured } = measuredOnce(runs, primaryMetric)
  return (result) => measured.get(resultKey(result))?.run ?? null
}

/** The old build of the run that a result is of; null where the run does not say. */
export type OldCommitOf = (result: QueryId & { readonly architecture: string | null }) => string | null

export function oldCommitsOf({ runs, primaryMetric }: Pick<JudgeInput, 'runs' | 'primaryMetric'>): OldCommitOf {
  return oldCommitIn(measuredOnce(runs, primaryMetric).measured)
}

function oldCommitIn(measured: ReadonlyMap<string, Measured>): OldCommitOf {
  return (result) => measured.get(resultKey(result))?.run.oldCommit ?? null
}

function inCheck(run: Run, warning: ReadWarning): ReadWarning {
  return { ...warning, where: `${run.check}: ${warning.where}` }
}

function resultKey(result: QueryId & { readonly architecture: string | null }): string {
  return JSON.stringify([queryKey(result), result.architecture])
}

/** The architectures in alphabetical order, the unnamed one last. */
function architecturesOf(results: readonly ClassifiedQuery[]): readonly (string | null)[] {
  const named = new Set(results.map(({ architecture }) => architecture))
  return [...named].toSorted((a, b) => (a === null ? 1 : b === null ? -1 : a < b ? -1 : 1))
}

function shiftsOf(
  results: readonly ClassifiedQuery[],
  measured: ReadonlyMap<string, Measured>,
): ReadonlyMap<Run, ShardShift> {
  const byRun = Map.groupBy(results, (result) => measured.get(resultKey(result))!.run)
  return new Map([...byRun].map(([run, ofRun]) => [run, shardShift(run.architecture, run.shard, ofRun)]))
}

/** Shifts of a finished head: while shards are awaited, the next one may tell the machine from the build. */
function wholeRunShiftsOf(
  shifts: ReadonlyMap<Run, ShardShift>,
  attempts: readonly StoredAttempt[],
): readonly WholeRunShift[] {
  const all = [...shifts.values()]
  return [...shifts].flatMap(([run, shift]) => {
    const earlier = attempts.filter((one) => isEarlierOf(run, one))
    const found = wholeRunShift(shift, all, earlier.map(shiftOfAttempt))
    return found === null ? [] : [(run.shards ?? 1) > 1 ? found : { ...found, shard: null }]
  })
}

function isEarlierOf(run: Run, { check, architecture, shard, attempt }: StoredAttempt): boolean {
  return check === run.check && architecture === run.architecture && shard === run.shard && attempt < run.attempt
}

function shiftOfAttempt({ architecture, shard, medians }: StoredAttempt): ShardShift {
  const results = medians.map(([old, fresh]) => ({
    status: 'compared' as const,
    old: { median: old, repetitions: 1 },
    new: { median: fresh, repetitions: 1 },
  }))
  return shardShift(architecture, shard, results)
}

function rowsOf(
  results: readonly ClassifiedQuery[],
  architectures: readonly (string | null)[],
  evidenceFor: (deciding: ClassifiedQuery, all: readonly ClassifiedQuery[]) => Evidence[],
): ReportRow[] {
  const byQuery = Map.groupBy(results, queryKey)
  const rows = [...byQuery.values()].map((unordered): ReportRow => {
    const all = unordered.toSorted(
      (a, b) => architectures.indexOf(a.architecture) - architectures.indexOf(b.architecture),
    )
    const guarded = all.some(isGuarded)
    const deciding = worstOf(all)
    const evidence = deciding.outcome === 'changed' || guarded ? evidenceFor(deciding, all) : []
    return {
      test: deciding.test,
      queryIndex: deciding.queryIndex,
      queryName: deciding.queryName,
      ...(deciding.ordinal === undefined ? {} : { ordinal: deciding.ordinal }),
      metric: deciding.metric,
      unit: deciding.unit,
      results: all,
      decidedBy: all.indexOf(deciding),
      outcome: deciding.outcome,
      direction: deciding.direction,
      verdict: verdictOf(
        deciding,
        guarded,
        evidence,
        all.filter((other) => other !== deciding),
      ),
      guarded,
      evidence,
      sinceLastPush: null,
    }
  })
  return rows.toSorted(compareRows)
}

/** Rows that were not asked for stay without. */
function withProfile(row: ReportRow, profiles: HeadProfiles | undefined): ReportRow {
  const found = profiles?.get(profileKey(row.results[row.decidedBy]!))
  return found === undefined ? row : { ...row, profile: found?.shown ?? null }
}

/** Slower and changed first, then what the guard names, then the order of `worst-first.ts`. */
function worstOf(results: readonly ClassifiedQuery[]): ClassifiedQuery {
  const slower = results.filter(({ outcome, direction }) => outcome === 'changed' && direction === 'slower')
  const guarded = results.filter(isGuarded)
  const candidates = slower.length > 0 ? slower : guarded.length > 0 ? guarded : results
  return candidates.toSorted(compareWorstFirst)[0]!
}

/** The places beside the row itself in which evidence is found. */
interface Surroundings {
  readonly input: JudgeInput
  readonly oldCommitOf: OldCommitOf
  /** The part of a result's difference that the shift of its own run explains. */
  readonly shiftOf: (result: ClassifiedQuery) => ShardShifted | null
  readonly rotation: Rotation | null
  /** The work of each query, what it read and held, by `resultKey`. */
  readonly work: ReadonlyMap<Run, ReadonlyMap<string, readonly Measurement[]>>
  readonly noCode: NoCodeChanged | null
}

function workOf(runs: readonly Run[]): Surroundings['work'] {
  return new Map(
    runs.map((run) => {
      const work = run.measurements.filter(({ metric }) => isWorkMetric(metric))
      return [
        run,
        Map.groupBy(work, (one) => resultKey({ ...one, architecture: one.architecture ?? run.architecture })),
      ]
    }),
  )
}

/** Evidence in the order in which a person reads it: what decides first, what narrows the claim last. */
function evidenceOf(
  deciding: ClassifiedQuery,
  all: readonly ClassifiedQuery[],
  { measurement, run }: Measured,
  { input, oldCommitOf, shiftOf, rotation: rotated, work, noCode }: Surroundings,
): Evidence[] {
  const isOfItsRun = (result: ClassifiedQuery) => {
    const shifted = shiftOf(result)
    return shifted !== null && mayExplain(shifted.shift, result)
  }
  const { architecture } = deciding
  const key = queryKey(deciding)
  const known = input.history?.queries.get(historyKey(key, architecture))
  const at = Date.parse(run.finishedAt)
  const grown = input.profiles?.get(profileKey(deciding))?.grown ?? null
  const changed = input.changedFunctions ?? null
  const found: (Evidence | null)[] = [
    ...stepsOf(deciding, all, input, oldCommitOf),
    takesBack(deciding, known?.takenBack ?? null),
    tooFewRepetitions(deciding),
    shiftOf(deciding),
    confirmedOrNot(deciding, run.confirmations ?? []),
    movesOrStillOnTrunk(deciding, known?.moves ?? null),
    flaggedElsewhere(deciding, known?.flaggedElsewhere ?? [], input.pullRequest.number, at),
    noCode,
    rotating(deciding, rotated),
    bimodal(measurement),
    replicatedOrNot(deciding, all, isOfItsRun),
    onPath(deciding, grown, changed),
    offPath(deciding, grown, changed),
    differentWork(deciding, work.get(run)?.get(resultKey(deciding)) ?? []),
    staleReference(architecture, input.references, run.oldCommit),
    floorThreshold(deciding, input.thresholds.learned?.(key, architecture) ?? null),
  ]
  return found.filter((item) => item !== null)
}

/** Evidence of the deciding architecture first, then of those that changed the same way. */
function stepsOf(
  deciding: ClassifiedQuery,
  all: readonly ClassifiedQuery[],
  { history, references, mergeBase }: JudgeInput,
  oldCommitOf: OldCommitOf,
): (Evidence | null)[] {
  if (history === undefined || history === null) return []
  const alike = all.filter(
    (other) => other !== deciding && other.outcome === 'changed' && other.direction === deciding.direction,
  )
  return [deciding, ...alike].map((result) => {
    const known = history.queries.get(historyKey(queryKey(result), result.architecture))
    const reference = referenceOf(result.architecture, references, oldCommitOf(result))?.commit ?? null
    const trunk = { step: known?.step ?? null, points: known?.points ?? [] }
    return alreadyOnTrunk(result, trunk, trunkBetween(history.orderOnTrunk, reference, mergeBase))
  })
}

function rotationOf(results: readonly ClassifiedQuery[], { previous, primaryMetric }: JudgeInput): Rotation | null {
  if (previous === null || previous.primaryMetric !== primaryMetric) return null
  return rotation(
    previous.rows.flatMap((row) => row.results),
    results,
  )
}

/** The number of compared queries, each architecture for itself, that have learned thresholds. */
function historyOf(
  results: readonly ClassifiedQuery[],
  { history, thresholds, runs }: JudgeInput,
): ReportHistory | null {
  if (history === undefined || history === null) return null
  const compared = results.filter(({ status }) => status === 'compared')
  const learned = compared.filter((result) => thresholds.learned?.(queryKey(result), result.architecture)).length
  const provenance: LearnedProvenance | null =
    history.learned === null ? null : { ...history.learned, learned, floor: compared.length - learned }
  return { provenance, problem: history.problem, measuredAt: measuredAt(runs) }
}

/** Whether the change is why can be told only where all of the history was there. */
function markedWhereBecause(row: ReportRow, history: ReportHistory | null): ReportRow {
  const isThere = history?.provenance != null && history.problem === null
  return isBecauseOfChange(row.verdict, row.evidence, isThere) ? { ...row, becauseOfChange: true } : row
}

/** The order in which to look at rows: guarded ones, then by verdict, then worst first by the measurement. */
function compareRows(a: ReportRow, b: ReportRow): number {
  return (
    Number(b.guarded) - Number(a.guarded) ||
    verdictRank(a.verdict) - verdictRank(b.verdict) ||
    compareWorstFirst(a.results[a.decidedBy]!, b.results[b.decidedBy]!)
  )
}

const VERDICT_ORDER: readonly (Verdict | null)[] = [
  'regression',
  'needs-rerun',
  'already-on-trunk',
  'likely-noise',
  'acknowledged',
  null,
  'improvement',
]

function verdictRank(verdict: Verdict | null): number {
  return VERDICT_ORDER.indexOf(verdict)
}

function thresholdSourcesOf(rows: readonly ReportRow[]): TriageReport['thresholdSources'] {
  const sources = { floor: 0, configured: 0, test: 0, learned: 0, given: 0 }
  for (const { results, decidedBy } of rows) {
    const source = results[decidedBy]?.changedThresholdSource
    if (source) sources[source] += 1
  }
  return sources
}

function smallestPValueOf(results: readonly ClassifiedQuery[]): number | null {
  return results.reduce<number | null>(
    (least, { smallestPValue }) =>
      smallestPValue === null ? least : least === null ? smallestPValue : Math.min(least, smallestPValue),
    null,
  )
}

/** The open rows that the last push brought, and those that it took away. Only what was measured again can be resolved. */
function deltaOf(
  rows: readonly ReportRow[],
  previous: TriageReport | null,
): { readonly rows: ReportRow[]; readonly summary: SincePreviousHead | null } {
  if (previous === null) return { rows: [...rows], summary: null }
  const openBefore = new Map(previous.rows.filter(({ verdict }) => isOpen(verdict)).map((row) => [queryKey(row), row]))
  const marked = rows.map((row): ReportRow => {
    if (!isOpen(row.verdict)) return row
    return { ...row, sinceLastPush: openBefore.has(queryKey(row)) ? 'unchanged' : 'new' }
  })
  const resolved = rows.filter((row) => {
    const before = openBefore.get(queryKey(row))
    return before !== undefined && !isOpen(row.verdict) && isMeasuredAgain(before, row)
  })
  return {
    rows: marked,
    summary: {
      head: previous.head,
      new: marked.filter(({ sinceLastPush }) => sinceLastPush === 'new').length,
      unchanged: marked.filter(({ sinceLastPush }) => sinceLastPush === 'unchanged').length,
      resolved: resolved.map(queryLabel),
    },
  }
}

/**
 * Rows that stood open on this head and that the newest attempts did not measure again. Attempts are never pooled: a row is
 * kept as it was said, until a measurement takes it back.
 */
function notMeasuredAgainOf(rows: readonly ReportRow[], { earlier, primaryMetric }: JudgeInput): readonly ReportRow[] {
  if (!earlier || earlier.primaryMetric !== primaryMetric) return []
  const { open, failedInNew, notMeasuredAgain } = findingsOf(earlier)
  const stood = [...new Map([...notMeasuredAgain, ...failedInNew, ...open].map((row) => [queryKey(row), row])).values()]
  const now = new Map(rows.map((row) => [queryKey(row), row]))
  return stood.filter((row) => {
    const again = now.get(queryKey(row))
    return again === undefined || !(isMeasuredAgain(row, again) || again.results.some(isFailure))
  })
}

/** The architecture that stood open has been compared again: another one that is in says nothing of it. */
function isMeasuredAgain(before: ReportRow, now: ReportRow): boolean {
  const { architecture } = before.results[before.decidedBy]!
  return now.results.some((result) => result.architecture === architecture && result.outcome !== null)
}
