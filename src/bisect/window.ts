import type { TrunkStep } from '../history/trunk-series.ts'
import type { QueryId } from '../measurement/run.ts'

/** A commit inside a window. Its texts come from outside. */
export interface WindowCommit {
  readonly sha: string
  /** The first line of its message. */
  readonly title: string
  /** Paths that it changes; null: not known. */
  readonly files: readonly string[] | null
  /** The pull request that brought it; null where none is known. */
  readonly pullRequestNumber: number | null
}

/** The commits of `(last good, first bad]`, oldest first. */
export interface WindowCommits {
  /** How many there are; null: nobody could say. */
  readonly total: number | null
  readonly listed: readonly WindowCommit[]
}

/** A build of a bisection: the commit in the middle, and what it takes to tell which side it is on. */
export interface PlannedMidpoint {
  readonly commit: string
  /**
   * Repetitions a side that separate this step from this noise; null: more than anybody would run, or nothing is known of
   * the noise.
   */
  readonly repetitions: number | null
  /** 1: the first to build; 2: one of the two that may come next. */
  readonly level: 1 | 2
  /** The result of the build before that makes this one the next; null for the first. */
  readonly after: 'good' | 'bad' | null
}

/** `(last good, first bad]` of one step on the trunk: where to look for the commit that brought it. */
export interface BisectWindow extends QueryId {
  readonly architecture: string | null
  readonly metric: string
  readonly unit: string | null
  readonly step: TrunkStep
  /** T that the query's runs have when nothing changes, a fraction: its noise. Null where nothing is known of it. */
  readonly threshold: number | null
  /**
   * Repetitions a side that tell any build of the window good or bad, by the step and the noise alone; null as in
   * `PlannedMidpoint`, left out in reports of earlier versions.
   */
  readonly repetitions?: number | null
  /** Null until somebody has asked the repository. */
  readonly commits: WindowCommits | null
  /** The listed commits that can change the binary. */
  readonly functional: readonly WindowCommit[]
  /** Listed commits that can't: documentation, tests, CI. */
  readonly setAside: number
  /** Builds that a bisection needs; 0 where one commit is left. Null where nobody knows how many commits there are. */
  readonly steps: number | null
  /** The first build and the two that may follow; where one commit is left, the build that would confirm it. */
  readonly plan: readonly PlannedMidpoint[]
}
