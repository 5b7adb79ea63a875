import type { z } from 'zod'
import type { Environments } from './environment.ts'
import type { OwnVerdict } from './own-verdict.ts'
import type { RunNotes } from './run-notes.ts'
import type { confirmationSchema, measurementProblemSchema, queryIdSchema, readWarningSchema } from './run-schemas.ts'
import type { TraceType } from './trace-type.ts'

/**
 * The measurements of a performance run, as plain values. Every input format is read into these and nothing else, so
 * that the statistics, the verdicts and everything shown know no format.
 *
 * Units: times are seconds, memory is bytes; `unit` says which where it is known.
 */

/** The two builds that ran side by side. ClickHouse's files say left/right or 0/1; we always say old and new. */
export type Side = 'old' | 'new'

/** The metric that decides outcomes when nothing else is asked for: the time that the client saw. */
export const PRIMARY_METRIC = 'client_time'

/** Whether a smaller value of a metric is the better one, as of a time, or a larger one, as of operations a second. */
export type Better = 'lower' | 'higher'

/** A circumstance of the measurement that the source states. Closed. */
export const SOURCE_NOTES = [
  /** Only what ran in user space was counted. */
  'user-space-only',
  /** The counter was on for a part of the time, and the tool has scaled it up. */
  'multiplexed',
  /** A count that the same work gives again to the last digit, such as allocations or what valgrind counts. */
  'counted',
] as const
export type SourceNote = (typeof SOURCE_NOTES)[number]

/** What a tool says of a side in the place of samples. */
export interface Given {
  readonly kind: 'mean' | 'median' | 'minimum' | 'value'
  readonly value: number
  /** The bounds that the tool states, in the metric's unit. */
  readonly lower: number | null
  readonly upper: number | null
  /** The tool's measure of spread, a fraction of the value. */
  readonly spread: number | null
  /** How many repetitions it is of; null where the tool does not say. */
  readonly repetitions: number | null
}

/** Where the samples of a side come from: a number for each of them, in their order. */
export interface Taken {
  /**
   * The process that a sample is of, such as a fork of JMH, from 0. Samples of one process share what it was given: addresses,
   * compiled code, the state of the machine. Absent: each sample counts by itself.
   */
  readonly processes?: readonly number[]
  /** The place of a sample in the order in which its side was measured. Absent: the source does not show it. */
  readonly places?: readonly number[]
}

/** A query's identity: its text identifies it over time, the index only where the text is unknown. */
export type QueryId = Readonly<z.output<typeof queryIdSchema>>

export type MeasurementProblemReason = MeasurementProblem['reason']

export type MeasurementProblem = Readonly<z.output<typeof measurementProblemSchema>>

/** All samples of one query and one metric in one run. A side without samples is empty, never absent. */
export interface Measurement extends QueryId {
  readonly metric: string
  /** `s`, `bytes`, … or null where the source does not say. */
  readonly unit: string | null
  /** The architecture that the source itself states for this measurement; null means: that of the run. */
  readonly architecture: string | null
  /** Samples in the order of the repetitions. May hold NaN, infinite or negative values: the outcome says so. */
  readonly old: readonly number[]
  readonly new: readonly number[]
  /** The test's own threshold for a change, a fraction; null where it has none. */
  readonly reportThreshold: number | null
  /** The source gives rounded or floored numbers, not what was measured. */
  readonly rounded: boolean
  readonly problems: readonly MeasurementProblem[]
  /** Absent: lower; null: nobody knows, as of a score. */
  readonly better?: Better | null
  /** Sides of which the tool gives a summary and no samples; its value stands among `old` or `new`, alone. */
  readonly given?: Readonly<Partial<Record<Side, Given>>>
  /** What the source has computed of samples that it does not give: the medians stand among `old` and `new`, alone. */
  readonly comparison?: Comparison
  /** Absent: none. */
  readonly notes?: readonly SourceNote[]
  /** Absent: each sample counts by itself, in an order that nothing is known of. */
  readonly taken?: Readonly<Partial<Record<Side, Taken>>>
  /** What the old build and a copy of it gave in the same turns. Absent: no copy was measured. */
  readonly equalBuilds?: EqualBuilds
  /** The places of both sides are of one clock; without places the samples of the sides were taken in turns, as they stand. */
  readonly clock?: true
}

/** The measurements of each metric, made anew whenever they are asked for: of a run that has more than are held at once. */
export type ByMetric = ReadonlyMap<string, () => readonly Measurement[]>

/** A value a turn of the old build and of its copy, in the metric's unit. */
export interface EqualBuilds {
  readonly base: readonly number[]
  readonly copy: readonly number[]
}

/** D and T as a source gives them, fractions of the old median. */
export interface Comparison {
  readonly difference: number
  readonly threshold: number
}

export type ReadWarningCode = ReadWarning['code']

export type ReadWarning = Readonly<z.output<typeof readWarningSchema>>

/** Warnings of these kinds say that a part of the results was not read, so that nobody knows what it holds. */
const UNREAD: ReadonlySet<ReadWarningCode> = new Set(['truncated-line', 'unreadable-member', 'limit-reached'])

/** Warnings that say the same of several places. */
export interface AlikeWarnings {
  readonly first: ReadWarning
  /** How many more there are. */
  readonly others: number
}

/** The warnings by what they say, in the order of the first of each. */
export function alikeWarnings(warnings: readonly ReadWarning[]): readonly AlikeWarnings[] {
  const groups = Map.groupBy(warnings, ({ code, message }) => JSON.stringify([code, message]))
  return [...groups.values()].map((alike) => ({ first: alike[0]!, others: alike.length - 1 }))
}

/** A limit of ours ended the reading: what was given is whole, and what came of it is not. */
export function leftOutByLimit(warnings: readonly ReadWarning[]): readonly ReadWarning[] {
  return warnings.filter(({ code }) => code === 'limit-reached')
}

export function unreadParts(warnings: readonly ReadWarning[]): readonly ReadWarning[] {
  return warnings.filter(({ code }) => UNREAD.has(code))
}

/** The run's own finding when it measured a flagged query once more after both servers had been restarted. */
export type Confirmation = Readonly<z.output<typeof confirmationSchema>>

/** What a source says of a run as a whole, besides what was measured. */
export interface About {
  /** The programs or machines that the sides were measured of, where the source names them and they are not the same. */
  readonly labels?: Labels
  /** The kind of machine that the new side was measured on, such as its CPU, where the source says one. */
  readonly machine?: string
  /** Where the sides were measured, for each architecture; absent: the source does not say, or it was stored before that was kept. */
  readonly environments?: readonly Environments[]
  /** What the report that the run itself made of its measurements concludes. */
  readonly own?: OwnVerdict
  /** What that report says beside the comparison. */
  readonly runNotes?: RunNotes
  /** It has further metrics, which nobody has asked for yet. Absent: all that it has were read. */
  readonly othersUnread?: true
  /** The path of the workflow that gave it, empty where no workflow of GitHub Actions did; absent: stored before that was kept. */
  readonly workflow?: string
}

/** Everything that one source (a folder, an archive, a file) gave. */
export interface RunContents extends About {
  readonly measurements: readonly Measurement[]
  /** In the place of `measurements`, where they were asked for by metric (`ReadOptions.byMetric`). */
  readonly byMetric?: ByMetric
  /** The commits of the two builds where the source states them (`left-commit.txt`), full or short ids. */
  readonly oldCommit: string | null
  readonly newCommit: string | null
  readonly warnings: readonly ReadWarning[]
  /** The metric that decides where nobody chose one; absent: `PRIMARY_METRIC`. */
  readonly decides?: string
  /**
   * Results of the rerun by test and position; absent where nothing was measured again. A query that is not in it was
   * not.
   */
  readonly confirmations?: readonly Confirmation[]
  /**
   * Stacks that profilers saw while the queries ran; absent where the source has no profiles, and in runs read from the
   * store.
   */
  readonly profiles?: readonly QueryProfile[]
}

/** What the sides differ in besides the build. */
export interface Labels extends Readonly<Record<Side, readonly string[]>> {
  /** `machine`: the same system on different machines; else different programs or systems. */
  readonly kind: 'program' | 'machine'
}

/** A finished performance check: one head, one architecture, one shard, one attempt. */
export interface Run extends RunContents {
  /** GitHub's numeric id of the repository: names change, it does not. */
  readonly repositoryId: number
  /** 0 for a run of the trunk itself. */
  readonly pullRequestNumber: number
  /** Full commit id of the head that was measured. */
  readonly head: string
  /** The name of the check or artifact; with `architecture` and `shard` it tells the runs of one head apart. */
  readonly check: string
  /** null where neither name nor contents state one. */
  readonly architecture: string | null
  /** 1-based; null where the check is not sharded. */
  readonly shard: number | null
  readonly shards: number | null
  /** Same head and check again: the highest attempt stands, older ones are kept and never pooled with it. */
  readonly attempt: number
  /** Where the results came from: `artifact 123` or an address. */
  readonly source: string
  /** ISO 8601, UTC. */
  readonly finishedAt: string
  /** When it was stored, in milliseconds: of a run with `othersUnread` that is read from the store. */
  readonly storedAt?: number
}

/** One attempt of a check among the runs of a head. */
export function runKey({
  check,
  architecture,
  shard,
  attempt,
}: Pick<Run, 'check' | 'architecture' | 'shard' | 'attempt'>): string {
  return JSON.stringify([check, architecture, shard, attempt])
}

/**
 * The same query again, whatever its position: by test and text (and the ordinal among equal texts), by position only
 * where the text is unknown.
 */
export function queryKey(query: QueryId): string {
  const key = [query.test, query.queryName ?? query.queryIndex]
  return JSON.stringify(query.ordinal === undefined ? key : [...key, query.ordinal])
}

/** The same query on one architecture: a result of a report, and its history on the trunk. */
export function resultKey(result: QueryId & { readonly architecture: string | null }): string {
  return JSON.stringify([queryKey(result), result.architecture])
}

/**
 * Gives the same number to results of the same `resultKey`, and takes a tenth of the time of making each key: a run may have 180,000.
 * `unnamed`: the architecture of those that state none.
 */
export function resultNumbers(
  unnamed: string | null = null,
): (result: QueryId & { readonly architecture: string | null }) => number {
  const byTest = new Map<string, Map<string | number | null, Map<string, number>>>()
  let count = 0
  return ({ test, queryName, queryIndex, ordinal, architecture: stated }) => {
    const architecture = stated ?? unnamed
    const name = queryName ?? queryIndex
    const rest =
      architecture === null && ordinal === undefined
        ? ''
        : `${ordinal} ${architecture === null ? '' : `of ${architecture}`}`
    const ofTest = byTest.get(test) ?? new Map<string | number | null, Map<string, number>>()
    const ofQuery = ofTest.get(name) ?? new Map<string, number>()
    const known = ofQuery.get(rest)
    if (known !== undefined) return known
    byTest.set(test, ofTest)
    ofTest.set(name, ofQuery)
    ofQuery.set(rest, count)
    return count++
  }
}

/** No sample of that query by that metric, with what the source says of the query. */
export function unmeasured(
  { test, queryIndex, queryName, ordinal }: QueryId,
  of: Pick<Measurement, 'metric' | 'architecture' | 'problems'>,
): Measurement {
  const query = { test, queryIndex, queryName, ...(ordinal === undefined ? {} : { ordinal }) }
  return { ...query, ...of, unit: null, old: [], new: [], reportThreshold: null, rounded: false }
}

/**
 * The queries that were measured by other metrics only, each as a measurement without samples by this one: a query that can't
 * be judged is counted as such, and never as one that is not there.
 *
 * `server_time` of `alpha` and `client_time` of `alpha` and `beta`: by `server_time` that is `beta`.
 */
export function unmeasuredBy(metric: string, measurements: readonly Measurement[]): readonly Measurement[] {
  const queries = Map.groupBy(measurements, resultNumbers())
  const tests = new Set(measurements.filter((one) => one.metric === metric).map(({ test }) => test))
  // a figure of the test as a whole, such as how long its data took to load, is no query of it
  const isOfTest = ({ test, queryIndex, queryName }: QueryId) =>
    queryIndex === null && queryName === null && tests.has(test)
  return [...queries.values()]
    .filter((ofQuery) => ofQuery.every((one) => one.metric !== metric) && !isOfTest(ofQuery[0]!))
    .map(([first, ...others]) => {
      const problems = [first!, ...others].flatMap((one) => one.problems)
      const different = new Map(problems.map((problem) => [JSON.stringify(problem), problem]))
      return unmeasured(first!, { metric, architecture: first!.architecture, problems: [...different.values()] })
    })
}

/** By the names of the metrics, measurements of one in the order that they have. */
export function byMetricOf(measurements: readonly Measurement[]): ByMetric {
  const metrics = [...Map.groupBy(measurements, ({ metric }) => metric)]
  return new Map(metrics.map(([metric, ofMetric]) => [metric, () => ofMetric]))
}

/** ` (no. 2)` of the second of equal texts in one test; nothing of the first. */
export function ordinalLabel({ queryIndex, ordinal = 0 }: QueryId): string {
  return queryIndex !== null || ordinal === 0 ? '' : ` (no. ${ordinal + 1})`
}

/**
 * `join_hash #3`, or `example.com/pkg BenchmarkSort` without an index: how a query is named everywhere a person reads. A name
 * that begins with its test, such as `sum/values/1000`, is the whole.
 */
export function queryLabel(query: QueryId): string {
  const { test, queryIndex, queryName } = query
  if (queryIndex !== null) return `${test} #${queryIndex}`
  const isWhole = queryName === test || queryName?.startsWith(`${test}/`) === true
  const label = queryName === null ? test : isWhole ? queryName : `${test} ${queryName}`
  return `${label}${ordinalLabel(query)}`
}

/** `frame;frame;frame`, outermost first, and how often it was seen (or how many bytes). */
export interface StackCount {
  readonly stack: string
  readonly count: number
}

/** The folded stacks of one query in one run. A side without stacks is empty, never absent; each stack is there once. */
export interface QueryProfile extends QueryId {
  readonly traceType: TraceType
  readonly old: readonly StackCount[]
  readonly new: readonly StackCount[]
}
