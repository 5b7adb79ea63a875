import { type TrunkBetween, trunkShift } from '../../bisect/trunk-shift.ts'
import type { TrunkPoint, TrunkStep } from '../../history/trunk-series.ts'
import type { ClassifiedQuery } from '../classified-query.ts'

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

/**
 * How much of the row's difference the trunk's shift must be to be said: half of it. A smaller one may be another thing.
 *
 * Triggers: +20% here, the trunk is slower by 15%. Does not: +20% here, the trunk is slower by 6%.
 */
export const STEP_SHARE = 0.5

/** The history of a query on the trunk. */
export interface TrunkOfQuery {
  /** The step that is to be named. */
  readonly step: TrunkStep | null
  /** The query's runs, in the order of time. */
  readonly points: readonly TrunkPoint[]
}

/**
 * The trunk moved the same way between the old build and the merge base: the new build has it from there, the old one has
 * not. The *step* says where, and its window must lie between the two. Whether that excuses the row is decided by the
 * trunk's whole shift between them (`trunkShift`), which holds several steps, has lost what was taken back, and knows what
 * another machine did: by pairs and by levels it must be the same to less than the row's threshold for a change. Of the two
 * the one that explains less counts. Where one of them is not known there is no evidence: a doubt never excuses.
 *
 * `between` has the positions of the run's own old build and of the merge base; null: not known.
 *
 * Triggers: old build 10, step in (12, 14], merge base 20, +15% by the runs across and +14% by the levels, +20% here; the
 * same with the level back at 23, which is said. Does not: step in (8, 14], where a run is missing; step in (18, 22]; the
 * level back at 17, which the new build has too; +15% by the levels and 0% by the runs across: another machine.
 */
export function alreadyOnTrunk(
  result: ClassifiedQuery,
  { step, points }: TrunkOfQuery,
  between: TrunkBetween | null,
): AlreadyOnTrunk | null {
  const { difference, changedThreshold, architecture } = result
  if (step === null || between === null || !difference || changedThreshold === null) return null
  if (Math.sign(step.step) !== Math.sign(difference)) return null
  if (!isBetween(step.lastGood, between) || !isBetween(step.firstBad, between)) return null
  if (step.recovered !== null && isBetween(step.recovered, between)) return null

  const shift = trunkShift(points, between, step.place)
  if (shift === null) return null
  const { byPairs, byLevels } = shift
  if (Math.abs((1 + byPairs) / (1 + byLevels) - 1) >= changedThreshold) return null
  const least = difference > 0 ? Math.min(byPairs, byLevels) : Math.max(byPairs, byLevels)
  if (Math.sign(least) !== Math.sign(difference) || Math.abs(least) < STEP_SHARE * Math.abs(difference)) return null
  return {
    kind: 'already-on-trunk',
    architecture,
    lastGood: step.lastGood.commit,
    firstBad: step.firstBad.commit,
    time: step.firstBad.time,
    step: step.step,
    shift: least,
    recovered: step.recovered?.commit ?? null,
  }
}

function isBetween({ commit }: TrunkPoint, { order, from, to }: TrunkBetween): boolean {
  const position = order.get(commit)
  return position !== undefined && position >= from && position <= to
}

/**
 * The step explains a row where what remains of it without the trunk's shift is not beyond its threshold for a change,
 * in the row's direction.
 *
 * Explains: +20% here and +15% there, 4.3% remain. Does not: +40% here and +25% there, 12% remain.
 */
export function stepExplains({ step, shift = step }: AlreadyOnTrunk, result: ClassifiedQuery): boolean {
  const { difference, changedThreshold } = result
  if (difference === null || changedThreshold === null) return false
  const remaining = (1 + difference) / (1 + shift) - 1
  return Math.sign(remaining) !== Math.sign(difference) || Math.abs(remaining) < changedThreshold
}
