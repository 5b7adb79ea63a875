import type { QueryId } from '../../intake/measurement/run.ts'
import type { Learned } from './learned-thresholds.ts'
import type { HistoryProblem, QueryOnArchitecture, TimeRange, TrunkMoves, TrunkSeries } from './trunk-series.ts'

/** Whose history, of which metric, and as of when. */
export interface HistoryOf {
  readonly repositoryId: number
  readonly metric: string
  /** Milliseconds since 1970: runs after it do not count. */
  readonly now: number
  /** Tables of a CI database whose copied rows may be used now, as `CopiedFrom.table`; left out: none. */
  readonly copiedFrom?: readonly string[]
}

export interface MovesWanted extends QueryOnArchitecture {
  /** Differences of at least this size are counted; a fraction. */
  readonly atLeast: number
}

/** A median of a commit without its samples. */
export interface MedianOfCommit extends QueryId {
  readonly commit: string
  readonly architecture: string | null
  readonly median: number
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
