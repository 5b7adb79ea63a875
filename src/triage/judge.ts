import { type Measurement, type QueryId, queryKey, queryLabel, type ReadWarning, type Run } from '../measurement/run.ts'
import { discoveryBudget } from '../statistics/discovery-budget.ts'
import { median } from '../statistics/median.ts'
import type { ClassifiedQuery } from '../verdict/classified-query.ts'
import { classify } from '../verdict/classify.ts'
import { countOutcomes } from '../verdict/count-outcomes.ts'
import { bimodal } from '../verdict/evidence/bimodal.ts'
import type { Evidence } from '../verdict/evidence/evidence.ts'
import { floorThreshold } from '../verdict/evidence/floor-threshold.ts'
import { replicatedOrNot } from '../verdict/evidence/replicated.ts'
import { explainedByShift, type ShardShift, shardShift } from '../verdict/evidence/shard-shift.ts'
import { type ReferenceBuild, staleReference } from '../verdict/evidence/stale-reference.ts'
import { tooFewRepetitions } from '../verdict/evidence/too-few-repetitions.ts'
import { isGuarded } from '../verdict/guard.ts'
import type { ThresholdSettings } from '../verdict/thresholds.ts'
import { isOpen, type Verdict, verdictOf } from '../verdict/verdict.ts'
import { compareWorstFirst } from '../verdict/worst-first.ts'
import {
  type Degradation,
  REPORT_SCHEMA_VERSION,
  type ReportRow,
  type Shard,
  type SincePreviousHead,
  type TriageReport,
} from './report.ts'

/** Everything the report follows from. All of it plain values: the same input gives the same report. */
export interface JudgeInput {
  readonly repository: TriageReport['repository']
  readonly pullRequest: TriageReport['pullRequest']
  /** Full commit id. */
  readonly head: string
  readonly mergeBase: string | null
  readonly references: readonly ReferenceBuild[]
  /** Of each check, architecture and shard the newest attempt: the measurement set. */
  readonly runs: readonly Run[]
  readonly shards: readonly Shard[]
  /** Shards that have not come will not be waited for any longer. */
  readonly isFinal: boolean
  readonly primaryMetric: string
  readonly thresholds: ThresholdSettings
  readonly failingTests: TriageReport['failingTests']
  readonly mode: TriageReport['mode']
  /** The newest report of another head of the same pull request. */
  readonly previous: TriageReport | null
  readonly degradations: readonly Degradation[]
  /** ISO 8601, UTC. */
  readonly judgedAt: string
}

/** The level that the discovery budget is quoted for. */
const DISCOVERY_LEVEL = 0.01

/** From the measurement set of a head to the report that should stand. */
export function judge(input: JudgeInput): TriageReport {
  const { measured, warnings } = measuredOnce(input.runs, input.primaryMetric)
  const results = classify(
    [...measured.values()].map(({ measurement }) => measurement),
    input.thresholds,
  )
  const architectures = architecturesOf(results)
  const shifts = shiftsOf(results, measured)
  const rows = rowsOf(results, architectures, (deciding, all) => {
    const source = measured.get(resultKey(deciding))!
    return evidenceOf(deciding, all, source.measurement, shifts.get(source.run), [...shifts.values()], input.references)
  })
  const sinceLastPush = deltaOf(rows, input.previous)

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
    rows: sinceLastPush.rows,
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
    sinceLastPush: sinceLastPush.summary,
    failingTests: input.failingTests,
    mode: input.mode,
    degradations: input.degradations,
    warnings: [...input.runs.flatMap((run) => run.warnings.map((warning) => inCheck(run, warning))), ...warnings],
    judgedAt: input.judgedAt,
  }
}

function isComplete({ shards, isFinal }: JudgeInput): boolean {
  return shards.length > 0 && (isFinal || shards.every(({ state }) => state === 'measured' || state === 'failed'))
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

/** What may stand for a query: 0 without samples, below 1 with one side only, else 1 and the ratio of the medians. */
function weightOf({ old, new: fresh }: Measurement): number {
  if (old.length === 0 || fresh.length === 0) return old.length + fresh.length > 0 ? 0.5 : 0
  const ratio = median(fresh) / median(old)
  return Number.isFinite(ratio) ? 1 + ratio : 0.75
}

function inCheck(run: Run, warning: ReadWarning): ReadWarning {
  return { ...warning, where: `${run.check}: ${warning.where}` }
}

function resultKey(result: QueryId & { readonly architecture: string | null }): string {
  return JSON.stringify([queryKey(result), result.architecture])
}

/** Named ones in alphabetical order, the unnamed one last. */
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
      verdict: verdictOf(deciding, guarded, evidence),
      guarded,
      evidence,
      sinceLastPush: null,
    }
  })
  return rows.toSorted(compareRows)
}

/** Slower and changed first, then what the guard names, then the order of `worst-first.ts`. */
function worstOf(results: readonly ClassifiedQuery[]): ClassifiedQuery {
  const slower = results.filter(({ outcome, direction }) => outcome === 'changed' && direction === 'slower')
  const guarded = results.filter(isGuarded)
  const candidates = slower.length > 0 ? slower : guarded.length > 0 ? guarded : results
  return candidates.toSorted(compareWorstFirst)[0]!
}

/** In the order in which a person reads them: what decides first, what narrows the claim last. */
function evidenceOf(
  deciding: ClassifiedQuery,
  all: readonly ClassifiedQuery[],
  measurement: Measurement,
  shift: ShardShift | undefined,
  shifts: readonly ShardShift[],
  references: readonly ReferenceBuild[],
): Evidence[] {
  const found: (Evidence | null)[] = [
    tooFewRepetitions(deciding),
    explainedByShift(deciding, shift, shifts),
    bimodal(measurement),
    replicatedOrNot(deciding, all),
    staleReference(deciding.architecture, references),
    floorThreshold(deciding),
  ]
  return found.filter((item) => item !== null)
}

/** What to look at first: guarded rows, then by verdict, then worst first by the measurement. */
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

/** Which open rows the last push brought and which it took away. Only what was measured again can be resolved. */
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

/** The architecture that stood open has been compared again: another one that is in says nothing of it. */
function isMeasuredAgain(before: ReportRow, now: ReportRow): boolean {
  const { architecture } = before.results[before.decidedBy]!
  return now.results.some((result) => result.architecture === architecture && result.outcome !== null)
}
