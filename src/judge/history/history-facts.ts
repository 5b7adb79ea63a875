import type { QueryId } from '../../intake/measurement/run.ts'
import type {
  FlaggedElsewhere,
  HistoryProblem,
  LearnedProvenance,
  TrunkMoves,
  TrunkPoint,
  TrunkStep,
} from './trunk-series.ts'

/** What the history knows of one query on one architecture, seen from one row of a report. */
export interface QueryHistory {
  /** Counted for the |difference| of the row; null: no run of the query in the lookback, or nobody asked. */
  readonly moves: TrunkMoves | null
  /** Flags in the direction of the row, in other pull requests. */
  readonly flaggedElsewhere: readonly FlaggedElsewhere[]
  /**
   * The step of the trunk that may explain the row, in its direction. Of those between its old build and the merge base
   * that were not taken back there it is the largest, such as +15% of +15% and +6%; where there is none, the newest of
   * which one end lies there. A step after the merge base is left out: the new build has none of it.
   */
  readonly step: TrunkStep | null
  /** The newest step of the trunk that the row takes back and that its old build has; left out: none is known. */
  readonly takenBack?: TrunkStep
  /** Its runs on the trunk, in the order of time; left out: they were not read. */
  readonly points?: readonly TrunkPoint[]
}

/** A query that moves by itself on the trunk, on one architecture, whether or not a report flags it. */
export interface TrunkMover extends QueryId {
  readonly architecture: string | null
  /** The difference from which its moves were counted, a fraction: the floor. */
  readonly atLeast: number
  readonly moves: TrunkMoves
  /** Flags in other pull requests, in either direction. */
  readonly flaggedElsewhere: readonly FlaggedElsewhere[]
}

/** Everything that a report takes from the history, as plain values. */
export interface HistoryFacts {
  /** By `resultKey`. A query that is not in it has no history. */
  readonly queries: ReadonlyMap<string, QueryHistory>
  /** What the learned thresholds in use were learned from; null: none were. How many, the report counts by its rows. */
  readonly learned: Pick<LearnedProvenance, 'source' | 'alsoFrom' | 'newest' | 'tooShort'> | null
  /**
   * Full commit ids with their positions on the trunk: every commit from the oldest reference to the merge base, both
   * included, so that one that is not in it lies outside; null: nobody could say.
   */
  readonly orderOnTrunk: ReadonlyMap<string, number> | null
  /** Why the history is not there, or not all of it; null: it is. */
  readonly problem: HistoryProblem | null
  /** Of the queries of the report those that move by themselves on the trunk; left out: nobody looked. */
  readonly movers?: readonly TrunkMover[]
}
