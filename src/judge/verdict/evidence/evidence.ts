import type { EnvironmentField } from '../../../intake/measurement/environment.ts'
import type { QueryId, Side } from '../../../intake/measurement/run.ts'

/**
 * The closed list of what speaks for or against the pull request, each a named fact with its numbers. The rule of each kind
 * is in this folder, with its default threshold and the reason, an example that triggers it and one that does not.
 */

/** The query moves the same way on other architectures. Speaks for the pull request as the cause. */
export interface Replicated {
  readonly kind: 'replicated'
  readonly architectures: readonly (string | null)[]
}

/** The query moves on one architecture only; narrows the claim. */
export interface OneArchitecture {
  readonly kind: 'one-architecture'
  readonly architecture: string | null
  readonly others: readonly (string | null)[]
}

/** The samples of one side fall into two separate modes. Doubt. */
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

/** The sides ran on machines that can't be compared. Doubt, of all rows of their architecture. */
export interface OtherMachine {
  readonly kind: 'other-machine'
  readonly architecture: string | null
  /** What differs, with the values of each side. */
  readonly fields: readonly EnvironmentDifference[]
}

export interface EnvironmentDifference extends Readonly<Record<Side, readonly string[]>> {
  readonly field: EnvironmentField
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

/** Too few processes for a difference of this size. Doubt. */
export interface OneProcess {
  readonly kind: 'one-process'
  readonly architecture: string | null
  readonly old: number
  readonly new: number
  /** Below this difference, a fraction, so few processes show no change. */
  readonly bound: number
  /** A process of the old build is beyond one of the new, whatever the difference. */
  readonly overlaps?: boolean
  /** Pairs of an old and a new process of which each shows the change by itself. */
  readonly agreeing: number
  /** The trunk's runs by which it is known how far processes of one build differ; 0: it is assumed. */
  readonly runs: number
}

/** It moved together with what was measured beside it, and the host can be seen to slow or to recover there. Doubt. */
export interface HostSpell {
  readonly kind: 'host-spell'
  readonly architecture: string | null
  /**
   * The sample that gives the host away: the last before the rows or the first after them is raised, or their own first or last is not.
   * null: it is seen in another group of that run.
   */
  readonly edge: 'before' | 'after' | 'first' | 'last' | null
  /** How much slower the host was, a fraction. */
  readonly effect: number
  /** The rows at the ends of the group that has the edge, and how many it has. */
  readonly first: QueryId
  readonly last: QueryId
  readonly rows: number
}

/** Much moved in a run that measured one build after the other. Doubt. */
export interface MovedMeanwhile {
  readonly kind: 'moved-meanwhile'
  readonly architecture: string | null
  readonly changed: number
  readonly compared: number
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

/** A rerun showed the same: after a restart of both servers in the same run, or in another run of this commit. Speaks for the pull request. */
export interface Confirmed {
  readonly kind: 'confirmed'
  readonly architecture: string | null
  /** The difference of the rerun; null where only its result is known. */
  readonly difference: number | null
  /** An earlier run of this commit saw it too; absent: the same run measured it again. */
  readonly by?: 'earlier-run'
  /** How many of them, where there are several. */
  readonly runs?: number
}

/** The confirmation rerun did not show it. Speaks for noise. */
export interface NotReproduced {
  readonly kind: 'not-reproduced'
  readonly architecture: string | null
  readonly difference: number | null
  readonly threshold: number | null
}

/** The query moves as much on the trunk, where a commit is compared with its predecessor. Speaks for noise. */
export interface MovesOnTrunk {
  readonly kind: 'moves-on-trunk'
  readonly architecture: string | null
  readonly times: number
  readonly runs: number
  readonly lowest: number
  readonly highest: number
}

/** The query never moved as much on the trunk in many runs. Speaks for the pull request. */
export interface StillOnTrunk {
  readonly kind: 'still-on-trunk'
  readonly architecture: string | null
  readonly runs: number
  readonly lowest: number
  readonly highest: number
}

/** The same query was flagged in pull requests that have nothing to do with this one. A doubt, which asks for a rerun. */
export interface FlaggedInOthers {
  readonly kind: 'flagged-elsewhere'
  readonly architecture: string | null
  /** One of each witness. */
  readonly pullRequests: readonly number[]
  readonly days: number
  /** Those among them that are of first-time contributors. Left out: none. */
  readonly strangers?: number
}

/** The trunk moved the same way after the old build and not after the merge base. Not this pull request. */
export interface AlreadyOnTrunk {
  readonly kind: 'already-on-trunk'
  readonly architecture: string | null
  /** The window of the step that is named. */
  readonly lastGood: string
  readonly firstBad: string
  /** Milliseconds. */
  readonly time: number
  readonly step: number
  /** The fraction by which the trunk moved in all between the old build and the merge base; left out: by the step. */
  readonly shift?: number
  /** The commit since which the trunk is fast again; null while it lasts. */
  readonly recovered: string | null
}

/** The row undoes a step of the trunk that its old build has. Informs. */
export interface TakesBack {
  readonly kind: 'takes-back'
  readonly architecture: string | null
  /** The first one measured with the step, and when; milliseconds. */
  readonly commit: string
  readonly time: number
  readonly step: number
}

/** Rows, bytes, parts or memory differ between the sides: they did not do the same. Explains. */
export interface DifferentWork {
  readonly kind: 'different-work'
  readonly architecture: string | null
  readonly metrics: readonly WorkDifference[]
}

export interface WorkDifference {
  readonly metric: string
  readonly old: number
  readonly new: number
  /** (new - old) / old; null for old 0. */
  readonly difference: number | null
}

/** The pull request changes nothing that reaches the binary. Speaks for noise. */
export interface NoCodeChanged {
  readonly kind: 'no-code-changed'
  readonly files: number
}

/** The set of flagged queries has little in common with that of the previous push. Speaks for noise. */
export interface Rotating {
  readonly kind: 'rotating'
  readonly before: number
  readonly now: number
  readonly inBoth: number
}

/**
 * Functions that the pull request changes grew in the profile, such as `Aggregator::executeImpl` from 31 % to 44 %. Speaks
 * for the pull request. Where only the file of each is changed, and not the function, it is said and decides nothing.
 */
export interface OnPath {
  readonly kind: 'on-path'
  readonly architecture: string | null
  /** The functions, first those that grew most. */
  readonly functions: readonly GrownFunction[]
}

export interface GrownFunction {
  /** The function's name in the profile, without parameters and template arguments; may be any text. */
  readonly name: string
  /** The changed file that ties it to the pull request, as the repository names it. */
  readonly file: string
  /** The file is touched, and not the function as far as the diff shows: it decides no verdict. Absent: it is changed. */
  readonly onlyFile?: true
  /** Shares of all stack samples of the side, with everything that it calls; fractions. */
  readonly oldShare: number
  readonly newShare: number
}

/**
 * The functions that grew are none that the pull request changes; all that it changes is known, and has frames in other
 * stacks. Doubt.
 */
export interface OffPath {
  readonly kind: 'off-path'
  readonly architecture: string | null
  /** How many functions grew by more than chance, and how many changed functions they were held against. */
  readonly grown: number
  readonly changed: number
}

export type Evidence =
  | OnPath
  | OffPath
  | Confirmed
  | NotReproduced
  | MovesOnTrunk
  | StillOnTrunk
  | FlaggedInOthers
  | AlreadyOnTrunk
  | TakesBack
  | DifferentWork
  | NoCodeChanged
  | Rotating
  | Replicated
  | OneArchitecture
  | Bimodal
  | ShardShifted
  | OtherMachine
  | TooFewRepetitions
  | OneProcess
  | HostSpell
  | MovedMeanwhile
  | FloorThreshold
  | StaleReference

export type EvidenceKind = Evidence['kind']
