import type { TrunkStep } from '../../history/trunk-series.ts'
import type { ClassifiedQuery } from '../classified-query.ts'
import type { AlreadyOnTrunk } from './evidence.ts'

/**
 * How much of the row's difference the trunk's step must be to be said: half of it. A smaller one may be another thing.
 *
 * Triggers: +20 % here, the trunk stepped by +15 %. Does not: +20 % here, the trunk stepped by +6 %.
 */
export const STEP_SIZE = 0.5

/**
 * The trunk made the same step after the old build and not after the merge base: the new build has it from there, the old
 * one has not. The whole window of the step must lie between the two, its last good commit at the old build at the
 * earliest; a window that begins before it may be a step that both builds have. A step that may have come after the merge
 * base may be this very change, merged in the meantime: where only the levels of the trunk have shown it, the end of its
 * confidence interval must not lie there either. Where the step rule has seen it, the run of the first bad commit has
 * measured it against the build before, and that is the place.
 *
 * `order` holds the positions of all commits from the old build to the merge base (`HistoryFacts`).
 *
 * Triggers: old build 10, step in (12, 14], merge base 20, +15 % there and +20 % here; the same with the level back at 23,
 * which is said. Does not: step in (8, 14], where a run is missing; step in (18, 22]; the level back at 17, which the new
 * build has too; -15 % there.
 */
export function alreadyOnTrunk(
  result: ClassifiedQuery,
  step: TrunkStep | null,
  reference: string | null,
  mergeBase: string | null,
  order: ReadonlyMap<string, number> | null,
): AlreadyOnTrunk | null {
  const { difference, architecture } = result
  if (step === null || order === null || reference === null || mergeBase === null || !difference) return null
  if (Math.sign(step.step) !== Math.sign(difference)) return null
  if (Math.abs(step.step) < STEP_SIZE * Math.abs(difference)) return null

  const from = order.get(reference)
  const to = order.get(mergeBase)
  if (from === undefined || to === undefined) return null
  const isBetween = ({ commit }: { readonly commit: string }) => {
    const position = order.get(commit)
    return position !== undefined && position >= from && position <= to
  }
  if (!isBetween(step.lastGood) || !isBetween(step.firstBad)) return null
  if (step.seenBy === 'change-point' && !isBetween(step.latest)) return null
  if (step.recovered !== null && isBetween(step.recovered)) return null
  return {
    kind: 'already-on-trunk',
    architecture,
    lastGood: step.lastGood.commit,
    firstBad: step.firstBad.commit,
    time: step.firstBad.time,
    step: step.step,
    recovered: step.recovered?.commit ?? null,
  }
}

/**
 * What remains of the row without the trunk's step is not beyond its threshold for a change, in the row's direction.
 *
 * Explains: +20 % here and +15 % there, 4.3 % remain. Does not: +40 % here and +25 % there, 12 % remain.
 */
export function stepExplains({ step }: AlreadyOnTrunk, result: ClassifiedQuery): boolean {
  const { difference, changedThreshold } = result
  if (difference === null || changedThreshold === null) return false
  const remaining = (1 + difference) / (1 + step) - 1
  return Math.sign(remaining) !== Math.sign(difference) || Math.abs(remaining) < changedThreshold
}
