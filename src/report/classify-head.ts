import { type Environments, ofOtherMachines } from '../intake/measurement/environment.ts'
import { median } from '../intake/measurement/median.ts'
import {
  type Measurement,
  type QueryId,
  queryLabel,
  type ReadWarning,
  type Run,
  resultKey,
  resultNumbers,
  runKey,
} from '../intake/measurement/run.ts'
import { metricInPlaceOf } from '../intake/measurement/units.ts'
import type { OneSidedHistory } from '../judge/history/one-sided-history.ts'
import type { ClassifiedQuery } from '../judge/verdict/classified-query.ts'
import { canCompare, classify } from '../judge/verdict/classify.ts'
import { classifyByHistory } from '../judge/verdict/classify-one-sided.ts'
import { type ShardShift, shardShift } from '../judge/verdict/evidence/shard-shift.ts'
import { type ReferenceBuild, referenceOf } from '../judge/verdict/evidence/stale-reference.ts'
import { attemptsByResult, joinAttempts } from '../judge/verdict/join-attempts.ts'
import { NO_ENTRIES, type TestEntries } from '../judge/verdict/test-entries.ts'
import type { ThresholdSettings } from '../judge/verdict/thresholds.ts'
import { worstFirst } from '../judge/verdict/worst-first.ts'
import type { StandingDecisions } from './acceptance.ts'
import type { Degradation, Shard, TriageReport } from './report.ts'

/** A head as it was measured, with what is known of it before anybody is asked. */
export interface HeadInput {
  readonly repository: TriageReport['repository']
  readonly pullRequest: TriageReport['pullRequest']
  /** Full commit id. */
  readonly head: string
  readonly mergeBase: string | null
  /** When it was committed, in milliseconds; null or absent: not known. */
  readonly mergeBaseTime?: number | null
  /** The newest commit of the branch that it goes into; null or absent: not known. */
  readonly base?: string | null
  readonly references: readonly ReferenceBuild[]
  /** Commits that runs state as their new build, of which it is known that the head is not in them; absent: none. */
  readonly otherHeads?: readonly string[]
  /** Commits that runs state as their new build, and that nobody was asked about, since there are too many; absent: none. */
  readonly unaskedHeads?: readonly string[]
  /** Commits that runs state as their new build, and that are the merge of the head into their old one; absent: none is known to be. */
  readonly merges?: readonly string[]
  /**
   * Of each check, architecture and shard the newest attempt: the measurement set, judged by the metric that decides of the run
   * (`decides`), else by the primary one. A query without a value of it has a measurement of it without samples (`unmeasuredBy`).
   */
  readonly runs: readonly Run[]
  /** Attempts of these checks before those; absent: there are none, or nobody asked. */
  readonly earlierRuns?: readonly Run[]
  /** What the trunk and the other jobs of the head measured, of runs that have one side, by `runKey`; absent: of none. */
  readonly oneSided?: ReadonlyMap<string, OneSidedHistory>
  readonly shards: readonly Shard[]
  /** Shards that have not come will not be waited for any longer. */
  readonly isFinal: boolean
  readonly primaryMetric: string
  readonly thresholds: ThresholdSettings
  /** What the repository's file says of single tests; absent: nothing. */
  readonly entries?: TestEntries
  readonly failingTests: TriageReport['failingTests']
  readonly mode: TriageReport['mode']
  /** The newest report of another head of the same pull request. */
  readonly previous: TriageReport | null
  /** The report of this very head that stood before; null or absent: there was none. */
  readonly earlier?: TriageReport | null
  readonly degradations: readonly Degradation[]
  /** The changed files that decide how the head is measured; absent: none. */
  readonly howMeasured?: TriageReport['howMeasured']
  /** What people have said of the pull request; absent: nothing. */
  readonly said?: StandingDecisions
  /** ISO 8601, UTC. */
  readonly judgedAt: string
}

/** A head with the outcome of each result. */
export interface ClassifiedHead {
  readonly input: HeadInput
  /** The measurement of each result, and the run that it is of, by `resultKey`. */
  readonly measured: ReadonlyMap<string, Measured>
  readonly results: readonly ClassifiedQuery[]
  /** In alphabetical order, the unnamed one last. */
  readonly architectures: readonly (string | null)[]
  readonly shifts: ReadonlyMap<Run, ShardShift>
  /** What else was measured of two programs or machines, or of one program: counters, cold times. Worst first. */
  readonly otherMetrics: readonly ClassifiedQuery[]
  readonly warnings: readonly ReadWarning[]
}

export interface Measured {
  readonly measurement: Measurement
  readonly run: Run
}

/** Classifies the measurement set of a head, each query once per architecture. The same input gives the same outcomes. */
export function classifyHead(input: HeadInput): ClassifiedHead {
  const { measured, warnings } = measuredOnce(input.runs, input.primaryMetric)
  const measurements = [...measured.values()].map(({ measurement }) => measurement)
  const alone = classify(measurements, input.thresholds)
  const { results, oneSidedShifts } = withHistory(withEarlierRuns(alone, measured, input), measured, input)
  return {
    input,
    measured,
    results,
    architectures: architecturesOf(results),
    shifts: new Map([...shiftsOf(results.filter(isJudged(input)), measured), ...oneSidedShifts]),
    otherMetrics: otherMetricsOf(input, results),
    warnings: [...input.runs.flatMap((run) => run.warnings.map((warning) => inCheck(run, warning))), ...warnings],
  }
}

/** Each result tested together with the earlier attempts of its check that had the same old build. */
function withEarlierRuns(
  results: readonly ClassifiedQuery[],
  measured: ReadonlyMap<string, Measured>,
  { earlierRuns = [], runs }: Pick<HeadInput, 'earlierRuns' | 'runs'>,
): readonly ClassifiedQuery[] {
  const earlierOf = new Map(
    runs.map((run) => {
      const ofCheck = earlierRuns
        .filter((other) => isEarlierAttempt(other, run))
        .toSorted((a, b) => a.attempt - b.attempt)
      return [
        run,
        ofCheck.length === 0
          ? null
          : attemptsByResult(
              ofCheck.map(({ measurements }) => measurements),
              run.architecture,
            ),
      ]
    }),
  )
  if ([...earlierOf.values()].every((earlier) => earlier === null)) return results
  return worstFirst(
    results.map((result) => {
      const { measurement, run } = measured.get(resultKey(result))!
      const earlier = earlierOf.get(run) ?? null
      return earlier === null ? result : joinAttempts(result, measurement, earlier(result))
    }),
  )
}

function isEarlierAttempt(other: Run, run: Run): boolean {
  const { check, architecture, shard, oldCommit } = other
  return (
    other.attempt < run.attempt &&
    oldCommit !== null &&
    // what another machine adds to a difference is no second look at it
    [other, run].every(({ environments }) => ofOtherMachines(environments).length === 0) &&
    runKey({ ...run, check, architecture, shard }) === runKey(run) &&
    oldCommit === run.oldCommit
  )
}

/** Rows of other metrics that a report holds: the cold times of 43 queries, or all counters of a program. */
const MOST_OTHER_METRICS = 100

/** One query with other metrics is a program with its counters: all of them tell what it does. */
function otherMetricsOf({ runs, primaryMetric, thresholds }: HeadInput, results: readonly ClassifiedQuery[]) {
  const told = runs.filter(
    ({ labels, decides }) => labels !== undefined || (decides !== undefined && results.length === 1),
  )
  const others = told.flatMap(({ measurements }) => measurements.filter(({ metric }) => metric !== primaryMetric))
  return others.length === 0 ? [] : classify(others, thresholds).slice(0, MOST_OTHER_METRICS)
}

/** The results of runs that have one side judged by the trunk's history, worst first again, and what such a run moved by as a whole. */
function withHistory(
  results: readonly ClassifiedQuery[],
  measured: ReadonlyMap<string, Measured>,
  { oneSided }: Pick<HeadInput, 'oneSided'>,
): { readonly results: readonly ClassifiedQuery[]; readonly oneSidedShifts: ReadonlyMap<Run, ShardShift> } {
  const oneSidedShifts = new Map<Run, ShardShift>()
  if (oneSided === undefined || oneSided.size === 0) return { results, oneSidedShifts }
  const byRun = Map.groupBy(results, (result) => measured.get(resultKey(result))!.run)
  const judged = [...byRun].flatMap(([run, ofRun]) => {
    const history = oneSided.get(runKey(run))
    if (history === undefined) return ofRun
    const found = classifyByHistory(ofRun, history)
    const queries = found.results.filter((result) => result.history !== undefined).length
    const { architecture, shard } = run
    oneSidedShifts.set(run, {
      architecture,
      shard,
      queries,
      shift: found.shift,
      notable: found.shift !== 0,
      jobs: history.jobs,
    })
    return found.results
  })
  return { results: worstFirst(judged), oneSidedShifts }
}

/** Results that the repository's file does not ignore: by these is told what a whole machine did, what chance lets pass and what rotates. */
export function isJudged({ entries = NO_ENTRIES }: Pick<HeadInput, 'entries'>): (result: ClassifiedQuery) => boolean {
  return (result) => entries.ignoring(result) === null
}

/** The run that stands for each result of a head; null for any other. */
export function runOfResult({ measured }: Pick<ClassifiedHead, 'measured'>) {
  return (result: QueryId & { readonly architecture: string | null }): Run | null =>
    measured.get(resultKey(result))?.run ?? null
}

/** Where a run's sides were measured, by the architectures of its results. */
export function environmentsIn(run: Pick<Run, 'environments' | 'architecture'> | null): readonly Environments[] {
  return (run?.environments ?? []).map((one) => ({ ...one, architecture: one.architecture ?? run!.architecture }))
}

/** The commit of the build that a result was measured against; null: not known. */
export function oldBuildOf(head: ClassifiedHead, result: ClassifiedQuery): string | null {
  const { oldCommit = null } = runOfResult(head)(result) ?? {}
  return referenceOf(result.architecture, head.input.references, oldCommit)?.commit ?? null
}

/**
 * When the last of the runs ended, in milliseconds; null without runs. The trunk's history is asked as of then: judged
 * again later, the same measurements have the same thresholds.
 */
export function measuredAt(runs: readonly Pick<Run, 'finishedAt'>[]): number | null {
  const times = runs.map(({ finishedAt }) => Date.parse(finishedAt)).filter((time) => Number.isFinite(time))
  return times.length === 0 ? null : times.reduce((last, time) => Math.max(last, time))
}

/** What counts of a run: of each query its value of the metric that decides, or of the one that was measured in its place. */
export function countedIn(run: Run, metric: string): readonly Measurement[] {
  const decides = run.decides ?? metric
  const numberOf = resultNumbers()
  const metrics = new Map(
    [...Map.groupBy(run.measurements, numberOf)].map(([query, ofQuery]) => {
      const measured = ofQuery.filter((one) => one.old.length + one.new.length > 0)
      return [query, metricInPlaceOf(decides, measured)]
    }),
  )
  return run.measurements.filter((one) => one.metric === metrics.get(numberOf(one)))
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
    for (const measurement of countedIn(run, metric)) {
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
          message: `${queryLabel(measurement)} is also measured by "${kept.check}"; the worse of the two results counts`,
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

function inCheck(run: Run, warning: ReadWarning): ReadWarning {
  return { ...warning, where: `${run.check}: ${warning.where}` }
}

function architecturesOf(results: readonly ClassifiedQuery[]): readonly (string | null)[] {
  const named = new Set(results.map(({ architecture }) => architecture))
  return [...named].toSorted((a, b) => (a === null ? 1 : b === null ? -1 : a < b ? -1 : 1))
}

function shiftsOf(
  results: readonly ClassifiedQuery[],
  measured: ReadonlyMap<string, Measured>,
): ReadonlyMap<Run, ShardShift> {
  const byRun = Map.groupBy(results, (result) => measured.get(resultKey(result))!.run)
  // two programs or machines differ as a whole: that explains no row
  const alike = [...byRun].filter(
    ([{ labels, environments }]) => labels === undefined && ofOtherMachines(environments).length === 0,
  )
  return new Map(alike.map(([run, ofRun]) => [run, shardShift(run.architecture, run.shard, ofRun)]))
}
