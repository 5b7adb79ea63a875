import type { HistorySource } from '../../intake/imports/history/trunk-row.ts'
import { PRIMARY_METRIC, type QueryId } from '../../intake/measurement/run.ts'

/** The same query again: by its text, its place among equal texts, and the architecture. */
export interface QueryOnArchitecture extends QueryId {
  readonly architecture: string | null
}

/** The key that tells the histories of one repository and metric apart. `key` is a `queryKey`. */
export function keyOnArchitecture(key: string, architecture: string | null): string {
  return `${architecture ?? ''} ${key}`
}

/** `(from, to]` in milliseconds since 1970; whole seconds count. */
export interface TimeRange {
  readonly from: number
  readonly to: number
}

/** One run of the trunk: a commit that was measured against an earlier one on the same machine. */
export interface TrunkPoint {
  /** Milliseconds since 1970. */
  readonly time: number
  /** Full commit ids. */
  readonly commit: string
  readonly referenceCommit: string
  /** Medians of the two sides, in the metric's unit. */
  readonly old: number
  readonly new: number
  /** (new - old) / old. */
  readonly difference: number
  /** T, a fraction of `old`; null where nothing is known of it. */
  readonly threshold: number | null
  /** The type of the machine that both sides ran on; left out where nobody has said it. */
  readonly instanceType?: string
}

/** The trunk's history of one query on one architecture. */
export interface TrunkSeries extends QueryId {
  readonly architecture: string | null
  readonly metric: string
  /** Of most of its points; the first one where two have as many. */
  readonly source: HistorySource
  /** Of the other points; left out: there are none. */
  readonly alsoFrom?: readonly HistorySource[]
  /** In the order of time, oldest first. */
  readonly points: readonly TrunkPoint[]
}

/**
 * Of each commit the first: measured again it says no more of what a query does when nothing happened, and a step that is measured three
 * times is no habit. `all` are in the order of time.
 */
export function firstOfCommits<T>(all: readonly T[], commitOf: (one: T) => string): T[] {
  const known = new Set<string>()
  return all.filter((one) => known.size < known.add(commitOf(one)).size)
}

/** How much a query moved on the trunk in runs that compared a commit with its predecessor: in the first one of each commit. */
export interface TrunkMoves {
  /** Runs of the query in the lookback, and those among them with |difference| of at least what was asked for. */
  readonly runs: number
  readonly times: number
  /** The range of differences, fractions. */
  readonly lowest: number
  readonly highest: number
  /** The median of the sizes of all differences. Left out: nobody looked. */
  readonly median?: number
  /** The size of the third largest one: a step of the trunk is in one run, or in two. 0 of fewer. Left out: nobody looked. */
  readonly third?: number
  /** When it moved as far for the last time, milliseconds; null: never. Left out: nobody looked. */
  readonly lastTime?: number | null
}

/** A pull request in which the same query was flagged in the same direction. */
export interface Flag {
  readonly pullRequestNumber: number
  /** Milliseconds. */
  readonly time: number
  readonly difference: number
  /** The build that it was compared with, as its run names it; null: not known. */
  readonly oldCommit: string | null
}

/** A flag with whose word it is. */
export interface FlaggedElsewhere extends Flag {
  /** Null: nobody's whose word counts. */
  readonly witness: FlagWitness | null
}

export interface FlagWitness {
  /** Flags of one witness have one name. */
  readonly name: string
  readonly isStranger: boolean
}

/** A lasting step on the trunk: the last point before it and the first after it. */
export interface TrunkStep {
  readonly lastGood: TrunkPoint
  readonly firstBad: TrunkPoint
  /** Medians before and after, and `(after - before) / before`. */
  readonly before: number
  readonly after: number
  readonly step: number
  /** The first and the last point at which it may have happened, by its confidence interval. */
  readonly earliest: TrunkPoint
  readonly latest: TrunkPoint
  /** The detectors that saw it; `neighbour`: asked where another query of its suite stepped, whose window it has. */
  readonly seenBy: 'both' | 'change-point' | 'step-rule' | 'paired-evidence' | 'neighbour'
  /** The runs at which the two together put it, of one seen by `neighbour`; left out: `earliest` and `latest`. */
  readonly place?: { readonly earliest: TrunkPoint; readonly latest: TrunkPoint }
  /** The level went back afterwards, at this point; null while it lasts. */
  readonly recovered: TrunkPoint | null
}

/** What the thresholds of one report were learned from. */
export interface LearnedProvenance {
  /** Of most of them. */
  readonly source: HistorySource
  /** Other sources that runs came from; left out: there are none. */
  readonly alsoFrom?: readonly HistorySource[]
  /** Compared queries of which a learned threshold is known, each architecture counted, whether or not it is the largest. */
  readonly learned: number
  /** Those of which none is. */
  readonly floor: number
  /** When the newest run was stored that they were learned from; milliseconds. */
  readonly newest: number | null
  /** Nothing was learned from a history that is there, for it is too short; left out: that is not so. */
  readonly tooShort?: HistoryTooShort
}

/** How much of a history there is to learn from. */
export interface HistoryTooShort {
  /** Of the query that has the most, in the time that thresholds are learned from. */
  readonly runs: number
  /** Thresholds are learned from more runs than this. */
  readonly moreThan: number
  /** That time, and how long ago it ended. */
  readonly days: number
  readonly endedDaysAgo: number
}

/** Why there is no history. Each is a state of its own in the report. */
export type HistoryProblem =
  | 'unreachable'
  | 'too-slow'
  | 'access-denied'
  | 'missing-table'
  | 'missing-column'
  | 'unexpected-answer'
  /** Not all of it that is needed is copied out of the CI database yet. */
  | 'copying'
  /** It can be asked and holds nothing of this repository. */
  | 'empty'

const TIME_METRICS: ReadonlySet<string> = new Set([PRIMARY_METRIC, 'real_time', 'cpu_time', 'server_time'])

/** Times in the history are seconds; of other metrics it does not say. */
export function unitInHistory(metric: string): string | null {
  return TIME_METRICS.has(metric) ? 's' : null
}
