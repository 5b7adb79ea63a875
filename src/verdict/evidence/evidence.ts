import type { Side } from '../../measurement/run.ts'

/**
 * The closed list of what speaks for or against the pull request, each a named fact with its numbers. One file in this
 * folder per kind: its rule, its default threshold with the reason, an example that triggers it and one that does not.
 * Kinds that need the trunk's history or the profiles have their place in the verdict table and no rule yet.
 */

/** The query moves the same way on other architectures. Speaks for the pull request as the cause. */
export interface Replicated {
  readonly kind: 'replicated'
  readonly architectures: readonly (string | null)[]
}

/** It moves on one architecture only; narrows the claim. */
export interface OneArchitecture {
  readonly kind: 'one-architecture'
  readonly architecture: string | null
  readonly others: readonly (string | null)[]
}

/** The samples of one side fall into two separate modes. Speaks for noise. */
export interface Bimodal {
  readonly kind: 'bimodal'
  readonly architecture: string | null
  readonly side: Side | 'both'
  /** Median of each mode, in the metric's unit, lower first, and how many samples are in it. */
  readonly modes: readonly [ModeSummary, ModeSummary]
}

export interface ModeSummary {
  readonly median: number
  readonly samples: number
}

/** Everything on that machine moved, and not on the others. Speaks for noise; where there is no other, doubt. */
export interface ShardShifted {
  readonly kind: 'shard-shift'
  readonly architecture: string | null
  readonly shard: number | null
  /** Fractions: of this shard, and the median of the other shards of the architecture (null: there is none). */
  readonly shift: number
  readonly elsewhere: number | null
  readonly queries: number
}

/** Fewer repetitions than can support a claim. Doubt. */
export interface TooFewRepetitions {
  readonly kind: 'too-few-repetitions'
  readonly architecture: string | null
  readonly old: number
  readonly new: number
  /** Repetitions a side that would do. */
  readonly needed: number
}

/** No learned threshold was available for this query. Doubt. */
export interface FloorThreshold {
  readonly kind: 'floor-threshold'
  readonly threshold: number
}

/** The old server is not the merge base. Doubt. */
export interface StaleReference {
  readonly kind: 'stale-reference'
  readonly commit: string
  readonly commitsBeforeMergeBase: number
}

export type Evidence =
  | Replicated
  | OneArchitecture
  | Bimodal
  | ShardShifted
  | TooFewRepetitions
  | FloorThreshold
  | StaleReference

export type EvidenceKind = Evidence['kind']
