import type { TrunkStep } from '../../history/trunk-series.ts'
import type { ClassifiedQuery } from '../classified-query.ts'
import { STEP_SHARE } from './already-on-trunk.ts'

/** The row undoes a step of the trunk that its old build has. Informs. */
export interface TakesBack {
  readonly kind: 'takes-back'
  readonly architecture: string | null
  /** The first one measured with the step, and when; milliseconds. */
  readonly commit: string
  readonly time: number
  readonly step: number
}

/**
 * How far the row may miss the step that it takes back: a third of the step, since the two were measured on two machines.
 * Both are log ratios, so that −19% takes back +24%: log 1.24 is 0.215, and log 0.81 is -0.211.
 *
 * A row that chance moves further than that may miss the step by its T, but never by more than half of the step
 * (`STEP_SHARE`): where the samples do not overlap T is as large as the difference itself, and would excuse any miss.
 *
 * Triggers: +24% on the trunk, and −19% here (0.004 missed of 0.072 allowed) or −15% (0.053 missed). Does not: −8% with
 * a T of 3% (0.132 missed).
 */
export const TAKEN_BACK_SHARE = 1 / 3

/**
 * The row undoes a step that the trunk has made, still has, and had in the old build: a mended slowdown, or an optimisation
 * that is gone. It informs the author, and decides no verdict.
 *
 * Triggers: the trunk +24% slower, −19% here; the trunk −20% faster, +25% here. Does not: the trunk +24% slower and +24%
 * here; +24% that the trunk has taken back since; +24% there and −5% here.
 *
 * @param step of the trunk, in the old build of the row; null: none is known
 */
export function takesBack(result: ClassifiedQuery, step: TrunkStep | null): TakesBack | null {
  const { outcome, difference, threshold, architecture } = result
  if (step === null || step.recovered !== null || outcome !== 'changed' || !difference) return null
  const [here, there] = [Math.log1p(difference), Math.log1p(step.step)]
  if (Math.sign(here) !== -Math.sign(there)) return null
  const chance = Math.min(Math.log1p(threshold ?? 0), STEP_SHARE * Math.abs(there))
  if (Math.abs(here + there) > Math.max(TAKEN_BACK_SHARE * Math.abs(there), chance)) return null
  const { firstBad } = step
  return { kind: 'takes-back', architecture, commit: firstBad.commit, time: firstBad.time, step: step.step }
}
