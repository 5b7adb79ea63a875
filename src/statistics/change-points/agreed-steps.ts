import type { ChangePoint } from './change-points.ts'
import type { PairedStep } from './step-rule.ts'

/** A step of a history of paired runs that is sure enough for a bisect window. */
export interface AgreedStep {
  /** Null where this detector alone did not see it. */
  readonly changePoint: ChangePoint | null
  readonly pairedStep: PairedStep | null
}

/**
 * How far apart two detectors may put the same step: a run in the noise moves either by a point.
 *
 * The same: positions 40 and 41. Two steps: 40 and 42.
 */
export const AGREEMENT_DISTANCE = 1

/**
 * The relative step from which one detector alone is believed.
 *
 * Believed: +25 % seen by one. Not: +15 % seen by one.
 */
export const STEP_ALONE = 0.2

/**
 * The steps of one history that both detectors see, within one point of each other and in the same direction, and those
 * that one of them sees and that are large. In the order of position. Both lists are of the same rows, ascending.
 */
export function agreedSteps(points: readonly ChangePoint[], steps: readonly PairedStep[]): AgreedStep[] {
  const left = new Set(steps)
  const agreed: AgreedStep[] = []
  for (const changePoint of points) {
    const pairedStep = closest(changePoint, left)
    if (pairedStep !== null) left.delete(pairedStep)
    if (pairedStep !== null || Math.abs(changePoint.step) >= STEP_ALONE) agreed.push({ changePoint, pairedStep })
  }
  for (const pairedStep of left) {
    const step = pairedStep.after / pairedStep.before - 1
    if (Math.abs(step) >= STEP_ALONE) agreed.push({ changePoint: null, pairedStep })
  }
  return agreed.toSorted((a, b) => positionOf(a) - positionOf(b))
}

function closest(point: ChangePoint, steps: ReadonlySet<PairedStep>): PairedStep | null {
  let best: PairedStep | null = null
  for (const step of steps) {
    const distance = Math.abs(step.index - point.index)
    if (distance > AGREEMENT_DISTANCE || step.after > step.before !== point.after > point.before) continue
    if (best === null || distance < Math.abs(best.index - point.index)) best = step
  }
  return best
}

function positionOf({ changePoint, pairedStep }: AgreedStep): number {
  return changePoint?.index ?? pairedStep!.index
}
