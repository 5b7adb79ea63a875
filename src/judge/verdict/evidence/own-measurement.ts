import type { Confirmation, Measurement, Side } from '../../../intake/measurement/run.ts'
import type { LearnedThresholds } from '../../history/learned-thresholds.ts'
import { twoModes } from '../../statistics/modes.ts'
import { type ClassifiedQuery, isComparedExactly } from '../classified-query.ts'

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

/**
 * The repetitions of one side fall into two separate modes (`judge/statistics/modes.ts` has the rule and how often it is wrong).
 * Which mode a repetition falls into is often decided by the build's memory layout or by the machine, not by the change.
 *
 * Triggers: 13, 13, 14, 13, 18, 18 and 18 ms on one side. Does not: 13, 13, 14, 13, 14, 13 and 18 ms.
 */
export function bimodal(measurement: Measurement): Bimodal | null {
  const ofOld = twoModes(measurement.old)
  const ofNew = twoModes(measurement.new)
  // Where both sides have two, those of the new side are shown: they are what the author's build does now.
  const shown = ofNew ?? ofOld
  if (shown === null) return null
  const side = ofOld !== null && ofNew !== null ? 'both' : ofNew === null ? 'old' : 'new'
  return { kind: 'bimodal', architecture: measurement.architecture, side, modes: shown }
}

/**
 * The run's own result when it measured the query once more, after a restart of both servers: a fresh process, with
 * empty caches and another layout of memory. `intake/measurement/confirmations.ts` has the rule by which it is decided there;
 * a query that was not measured again has no evidence of either kind.
 *
 * `confirmed` triggers: slower by 30%, and by 28% in the rerun. `not-reproduced` triggers: slower by 30%, and by 3% in
 * the rerun. Neither does: the query has no position in its test or is not among the rerun ones; or it is slower here,
 * and what the rerun confirmed was that it is faster.
 */
export function confirmedOrNot(
  result: ClassifiedQuery,
  confirmations: readonly Confirmation[],
): Confirmed | NotReproduced | null {
  const found = confirmations.find(({ test, queryIndex }) => test === result.test && queryIndex === result.queryIndex)
  if (found === undefined || result.difference === null) return null
  const { architecture } = result
  const { difference, threshold } = found
  if (found.result === 'not-reproduced') return { kind: 'not-reproduced', architecture, difference, threshold }
  if (difference !== null && Math.sign(difference) !== Math.sign(result.difference)) return null
  return { kind: 'confirmed', architecture, difference }
}

/**
 * The change was judged by the general floor, not by what this query's own history shows it does by itself. `learned` is
 * what that history has taught, null where there is none.
 *
 * Triggers: the threshold of the row is the built-in 5%, and nothing was learned. Does not: the repository configured
 * one, the test has its own, or one was learned, also where that is below the floor.
 */
export function floorThreshold(
  result: ClassifiedQuery,
  learned: LearnedThresholds | null = null,
): FloorThreshold | null {
  if (result.changedThresholdSource !== 'floor' || result.changedThreshold === null || learned !== null) return null
  return { kind: 'floor-threshold', threshold: result.changedThreshold }
}

/**
 * Repetitions a side below which a change supports no claim: at 4 + 4 even completely separated samples have p = 0.086,
 * at 5 + 5 they have p = 0.048.
 *
 * Triggers: 4 old and 7 new. Does not: 5 old and 5 new; allocations that are the same each time, however often they were counted.
 */
export const NEEDED_REPETITIONS = 5

export function tooFewRepetitions(result: ClassifiedQuery): TooFewRepetitions | null {
  if (isComparedExactly(result)) return null
  const { repetitions: old } = result.old
  const { repetitions: fresh } = result.new
  // the source that gives a threshold and no samples had as many as that took
  if (old === null || fresh === null) return null
  if (old >= NEEDED_REPETITIONS && fresh >= NEEDED_REPETITIONS) return null
  return {
    kind: 'too-few-repetitions',
    architecture: result.architecture,
    old,
    new: fresh,
    needed: NEEDED_REPETITIONS,
  }
}
