import type { HistorySource } from '../../intake/imports/history/trunk-row.ts'
import type { QueryId } from '../../intake/measurement/run.ts'
import type { HistoryProblem, HistoryTooShort, TrunkMoves, TrunkSeries } from '../../judge/history/trunk-series.ts'
import type { LearnedLookup } from '../../judge/verdict/thresholds.ts'
import type { MedianOfCommit } from '../../report/compare-commits.ts'

/** Whose history, of which metric, and as of when. */
export interface HistoryOf {
  readonly repositoryId: number
  readonly metric: string
  /** Milliseconds since 1970: runs after it do not count. */
  readonly now: number
  /** Tables of a CI database whose copied rows may be used now, as `CopiedFrom.table`; left out: none. */
  readonly copiedFrom?: readonly string[]
}

/** The same query again: by its text, its place among equal texts, and the architecture. */
export interface QueryOnArchitecture extends QueryId {
  readonly architecture: string | null
}

export interface MovesWanted extends QueryOnArchitecture {
  /** Differences of at least this size are counted; a fraction. */
  readonly atLeast: number
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

export interface Learned {
  readonly lookup: LearnedLookup
  /** Queries that have learned thresholds, each architecture counted. */
  readonly queries: number
  /** Where most of them were learned from; where none were learned, `own`. */
  readonly source: HistorySource
  /** Other sources that runs came from; left out: there are none. */
  readonly alsoFrom?: readonly HistorySource[]
  /** When the newest run of the trunk was made that is known by now, milliseconds; null: the history is empty. */
  readonly newest: number | null
  /** Nothing was learned though there is a history: there are too few runs in the time that is learned from. */
  readonly tooShort?: HistoryTooShort
}

/**
 * The trunk's history. A run that two sources have (the same commit on the same architecture) counts once, as the first of
 * them has it: `own`, `imported`, `ci-database`. Every method throws `HistoryUnavailable`. An empty history is no error: it gives
 * nothing, and `newest` is null.
 */
export interface TrunkHistory {
  /** From the runs of `LEARNING_DAYS` that ended `LEARNING_GAP_DAYS` before now. */
  learnedThresholds(of: HistoryOf): Promise<Learned>
  /** How each moved in the runs of the `lookbackDays` before now, in the order of `wanted`; null: no run has it. */
  moves(of: HistoryOf, lookbackDays: number, wanted: readonly MovesWanted[]): Promise<(TrunkMoves | null)[]>
  /** The histories of the wanted queries, in their order; one that no run has is left out. */
  series(of: HistoryOf, wanted: readonly QueryOnArchitecture[], range: TimeRange): Promise<TrunkSeries[]>
  /** The newest median of each query of the commits of the trunk that begin as one of two does. */
  mediansOfCommits(of: Omit<HistoryOf, 'now'>, old: string, fresh: string): Promise<MedianOfCommit[]>
  /** The histories of all queries, some at a time: the next ones are read while the caller works on these. */
  allSeries(of: HistoryOf, range: TimeRange): AsyncIterable<readonly TrunkSeries[]>
}

/** The trunk's history can't be asked now. The message says where and what to do, and holds no secret. */
export class HistoryUnavailable extends Error {
  override readonly name = 'HistoryUnavailable'
  readonly problem: HistoryProblem

  constructor(problem: HistoryProblem, message: string) {
    super(message)
    this.problem = problem
  }
}
