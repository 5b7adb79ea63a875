import type { TrunkStep } from '../../history/trunk-series.ts'
import type { ClassifiedQuery } from '../classified-query.ts'
import { STEP_SIZE } from './already-on-trunk.ts'
import type { TakesBack } from './evidence.ts'

/**
 * How far the row may miss the step that it takes back, as a share of the step, both as log ratios: two measurements of the
 * same thing on two machines. What chance can move the row by (T) counts where it is more, up to `STEP_SIZE`: T repeats the
 * difference where the samples do not overlap.
 *
 * Triggers: +24 % on the trunk and -19 % here, which is all of it; -15 %, three quarters. Does not: -8 % with a T of 3 %,
 * two fifths.
 */
export const TAKEN_BACK_SHARE = 1 / 3

/**
 * The row undoes a step that the trunk has made, still has, and had in the old build: a mended slowdown, or an optimisation
 * that is gone. It informs the author, and decides no verdict.
 *
 * Triggers: the trunk +24 % slower, -19 % here; the trunk -20 % faster, +25 % here. Does not: the trunk +24 % slower and +24 %
 * here; +24 % that the trunk has taken back since; +24 % there and -5 % here.
 *
 * @param step of the trunk, in the old build of the row; null: none is known
 */
export function takesBack(result: ClassifiedQuery, step: TrunkStep | null): TakesBack | null {
  const { outcome, difference, threshold, architecture } = result
  if (step === null || step.recovered !== null || outcome !== 'changed' || !difference) return null
  const [here, there] = [Math.log1p(difference), Math.log1p(step.step)]
  if (Math.sign(here) !== -Math.sign(there)) return null
  const chance = Math.min(Math.log1p(threshold ?? 0), STEP_SIZE * Math.abs(there))
  if (Math.abs(here + there) > Math.max(TAKEN_BACK_SHARE * Math.abs(there), chance)) return null
  const { firstBad } = step
  return { kind: 'takes-back', architecture, commit: firstBad.commit, time: firstBad.time, step: step.step }
}
