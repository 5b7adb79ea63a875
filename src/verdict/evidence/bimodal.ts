import type { Measurement } from '../../measurement/run.ts'
import { modes } from '../../statistics/modes.ts'
import type { Bimodal } from './evidence.ts'

/**
 * The repetitions of one side fall into two separate modes (`statistics/modes.ts` has the rule and how often it is wrong).
 * Which mode a repetition falls into is often decided by the build's memory layout or by the machine, not by the change.
 *
 * Triggers: 13, 13, 14, 13, 18, 18 and 18 ms on one side. Does not: 13, 13, 14, 13, 14, 13 and 18 ms.
 */
export function bimodal(measurement: Measurement): Bimodal | null {
  const ofOld = modes(measurement.old)
  const ofNew = modes(measurement.new)
  // Where both sides have two, those of the new side are shown: they are what the author's build does now.
  const shown = ofNew ?? ofOld
  if (shown === null) return null
  const side = ofOld !== null && ofNew !== null ? 'both' : ofNew === null ? 'old' : 'new'
  return { kind: 'bimodal', architecture: measurement.architecture, side, modes: shown }
}
