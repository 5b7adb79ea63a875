import { type Better, type Given, type QueryId, resultNumbers, type SourceNote } from '../../intake/measurement/run.ts'
import { metricInPlaceOf } from '../../intake/measurement/units.ts'
import type { TrafficEvidence } from '../statistics/query-log/compare-sides.ts'

/**
 * A query, metric and architecture after the statistics: the row of `classify --json`, of the report and of the page.
 * Fractions are of the old median and unrounded; rounding is for display only.
 */

/** `compared` has an outcome; everything else is none of the four and is never counted as unchanged. */
export type Status =
  | 'compared'
  /** One number a side, or a summary in the place of samples: a difference that nothing tells from chance. */
  | 'measured-once'
  | 'only-new'
  | 'only-old'
  | 'failed'
  | 'not-measured'
  /** The two sides of a query log never ran within the same hour. */
  | 'not-comparable'

/** Why a query was not compared. */
export type StatusReason =
  | 'zero-old'
  | 'not-a-number'
  | 'infinite'
  | 'negative'
  | 'run-error'
  | 'skipped'
  | 'partial'
  | 'no-samples'
  /** More repetitions than relabelings are counted for: 2,000 a side. */
  | 'too-many-samples'
  /** The head alone was measured, and too few runs of the trunk were. */
  | 'no-history'

/** The build in which a query failed; `unknown`: one of them, and the source does not say which. */
export type FailedIn = 'new' | 'old' | 'both' | 'unknown'

/** The four outcomes, in the order in which they are decided (`outcome.ts`). */
export type Outcome = 'changed' | 'unstable' | 'too-small' | 'not-significant'

export type Direction = 'slower' | 'faster'

/** Where a threshold came from; the largest one wins. */
export type ThresholdSource = 'floor' | 'configured' | 'entry' | 'test' | 'learned' | 'given' | 'history'

/** A note that a reader of the row should know. Closed list. */
export type Note =
  | 'too-few-repetitions'
  | 'uneven-repetitions'
  /** Values of one process, or of too few of them to count processes, were tested as if each counted by itself. */
  | 'one-process'
  | 'rounded-source'
  | 'run-errors'
  /** A query log: the sides ran side by side in fewer blocks of time than a threshold takes. */
  | 'too-few-blocks'
  | TrafficEvidence
  | SourceNote

export interface SideSummary {
  /** A measured value (the upper middle one of an even count); null without samples. */
  readonly median: number | null
  /** null: the tool does not say how many its summary is of. */
  readonly repetitions: number | null
  /** The values that the repetitions are medians of, where each is a process; absent: each is one value. */
  readonly values?: number
  /** The processes that the repetitions are of, where they are fewer; absent: each counts by itself. */
  readonly processes?: number
  /** The tool's summary in the place of samples; absent: there are samples, or nothing. */
  readonly given?: Given
}

/** Counts that do not vary were compared as they are, without a test. */
export function isComparedExactly({ status, notes, pValue }: ClassifiedQuery): boolean {
  return status === 'compared' && pValue === null && notes.includes('counted')
}

/** The number that stands for a side where it is shown. */
export function shownValue({ median, given }: SideSummary): number | null {
  return median ?? given?.value ?? null
}

/** How a run of the head alone was judged by the trunk's history: `one-sided.ts`. */
export interface AgainstHistory {
  /** Jobs of the head, three at most. */
  readonly jobs: number
  /** How often the trunk was held against its own level, and how often it was as far off as here. */
  readonly trunkRuns: number
  readonly asLarge: number
  /** The smallest change that this history can show, a fraction; null: it can show none. */
  readonly reach: number | null
  /** Slower, and another job has to show it as well. */
  readonly asksAgain: boolean
  readonly reason: RerunReason | null
  /** Further jobs that would settle it; null: no number of them will. */
  readonly moreJobs: number | null
  /** The trunk's value does not vary. */
  readonly isExact: boolean
  /** Some of the trunk's runs were on another kind of machine; absent: none that says so. */
  readonly isOtherMachine?: boolean
  /** The kind of machine of the newest job, where that is another one. */
  readonly machine?: string
  /** A job takes at least three times as long. */
  readonly isGuarded: boolean
}

/** Why a row that would be slower, or any other, asks for another job. Closed. */
export type RerunReason =
  /** One job is off by what two would have to show. */
  | 'one-job'
  | 'already-on-trunk'
  | 'short-history'
  /** The trunk itself was as far off its level in more than one of a hundred runs. */
  | 'moves-on-trunk'
  /** So much slower that it is looked at whatever the history shows. */
  | 'guard'

/** What a measurement that shows no change may hide. */
export interface CouldHide {
  /**
   * The largest slowdown that the samples don't rule out, a fraction of the time; of a rate the same slowdown of what it counts. null:
   * not even ten times.
   */
  readonly slowdown: number | null
  /** A slowdown of so much is ruled out all the same; null: it is not. */
  readonly ruledOut: number | null
  /** Absent: nothing does. */
  readonly ruledOutBy?: RulesOut
  /** Repetitions a side that would show `changedThreshold` in four of five runs; null: more than 499. */
  readonly repetitions: number | null
}

/** What rules a slowdown out that the medians do not. Closed. */
export type RulesOut =
  /** The fastest repetitions of both sides: of what only the slow ones do, they say nothing. */
  | 'fast-part'
  /** The repetitions pair by pair. */
  | 'pairs'

/** Why a row that has not changed asks for another measurement: it may be slower. Closed by `reason`. */
export type Leaning =
  /** Few samples are in the way of a change that their ranks show. */
  | { readonly reason: 'one-repetition-overlaps' }
  /** Pair by pair, by the run's common noise, it is slower by `difference`. */
  | { readonly reason: 'leans-slower'; readonly difference: number; readonly pValue: number }

export interface ClassifiedQuery extends QueryId {
  readonly metric: string
  readonly unit: string | null
  /** Absent in reports of before there was anything but `lower`; null: nobody knows, and a change has no direction. */
  readonly better?: Better | null
  readonly architecture: string | null
  readonly status: Status
  readonly statusReason: StatusReason | null
  /** Absent: it did not fail, or not so that a build has no samples. */
  readonly failedIn?: FailedIn
  /** Some of its repetitions failed there, and the others were judged; absent: none did. */
  readonly partlyFailedIn?: FailedIn
  readonly old: SideSummary
  readonly new: SideSummary
  /** D, a fraction of the old median. null unless compared or measured once; all that follow are null unless compared. */
  readonly difference: number | null
  /** T: what |D| reaches in 1% of all relabelings if nothing changed, a fraction of the old median. */
  readonly threshold: number | null
  /**
   * T of the samples without their difference: each side moved to the old median. It says how much the query varies, and no change swells
   * it. Absent: nothing was tested; null: endless.
   */
  readonly centredThreshold?: number | null
  /** Exact randomization p of the difference of medians. */
  readonly pValue: number | null
  /** Exact two-sided Mann-Whitney p. */
  readonly rankPValue: number | null
  /** Benjamini-Hochberg q from `rankPValue`, over the compared queries of one architecture and metric. */
  readonly qValue: number | null
  /** The smallest `pValue` that these repetition counts can give at all. */
  readonly smallestPValue: number | null
  /** The two samples do not overlap: every value of one side is beyond every value of the other. */
  readonly separated: boolean | null
  /** Attempts that were tested together; absent: one. The medians are those of the newest. */
  readonly attempts?: number
  readonly outcome: Outcome | null
  /**
   * The direction of the measured medians; null where D is 0, there is none, or nobody knows which way is better. Counted as slower or faster only when
   * `changed`.
   */
  readonly direction: Direction | null
  readonly changedThreshold: number | null
  readonly changedThresholdSource: ThresholdSource | null
  readonly unstableThreshold: number | null
  readonly unstableThresholdSource: ThresholdSource | null
  /** Of rows that are unstable, and of those that are as far off as a change and not significant; absent: of others. */
  readonly couldHide?: CouldHide
  /** Absent: the row asks for nothing by itself. */
  readonly leans?: Leaning
  /** Closed list. */
  readonly notes: readonly Note[]
  /** The old side is the trunk's level; absent: both sides were measured. */
  readonly history?: AgainstHistory
}

export interface OutcomeCounts {
  readonly slower: number
  readonly faster: number
  readonly unstable: number
  readonly tooSmall: number
  readonly notSignificant: number
  /** Without what was measured once. */
  readonly notCompared: number
  /** Rows with a difference that nothing tells from chance; absent: none. */
  readonly measuredOnce?: number
  /** Changed rows of which nobody knows whether they are better or worse; absent: none. */
  readonly changed?: number
}

/**
 * The rows that are counted: of each query that of the metric `counted`; of one that was not measured by it, as a rate is
 * measured in the place of a time, that of `metricInPlaceOf`.
 */
export function countedRows<T extends Pick<ClassifiedQuery, 'metric' | 'architecture'> & QueryId>(
  rows: readonly T[],
  counted: string,
): readonly T[] {
  const numberOf = resultNumbers()
  const metrics = new Map(
    [...Map.groupBy(rows, numberOf)].map(([query, ofQuery]) => [query, metricInPlaceOf(counted, ofQuery)]),
  )
  return rows.filter((row) => row.metric === metrics.get(numberOf(row)))
}

/** How many of each outcome. Counts rows: hand it those of one metric, and one per query where queries are to be counted. */
export function countOutcomes(rows: readonly ClassifiedQuery[]): OutcomeCounts {
  const all = {
    slower: 0,
    faster: 0,
    unstable: 0,
    tooSmall: 0,
    notSignificant: 0,
    notCompared: 0,
    measuredOnce: 0,
    changed: 0,
  }
  for (const row of rows) all[countedAs(row)] += 1
  const { measuredOnce, changed, ...always } = all
  return { ...always, ...(measuredOnce > 0 && { measuredOnce }), ...(changed > 0 && { changed }) }
}

function countedAs({ status, outcome, direction, history }: ClassifiedQuery): keyof OutcomeCounts {
  if (outcome === null) return status === 'measured-once' ? 'measuredOnce' : 'notCompared'
  // one value of the head alone carries no verdict
  if (history?.asksAgain === true) return 'unstable'
  if (outcome === 'changed') return direction ?? 'changed'
  return NAMES[outcome]
}

const NAMES = {
  unstable: 'unstable',
  'too-small': 'tooSmall',
  'not-significant': 'notSignificant',
} as const satisfies Record<Exclude<Outcome, 'changed'>, keyof OutcomeCounts>
