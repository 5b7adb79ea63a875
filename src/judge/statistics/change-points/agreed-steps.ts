import type { ChangePoint } from './change-points.ts'
import type { EvidencedStep } from './paired-evidence.ts'
import { LEVEL_ROWS, type PairedStep } from './step-rule.ts'

/** A step of a history of paired runs that is sure enough for a bisect window. */
export interface AgreedStep {
  /** Null where this detector did not see it. */
  readonly changePoint: ChangePoint | null
  readonly pairedStep: PairedStep | null
  /** Null where the other two are sure, or one of them. */
  readonly evidenced: EvidencedStep | null
}

/**
 * How far apart two detectors may put the same step: a run in the noise moves either by a point.
 *
 * The same: positions 40 and 41. Two steps: 40 and 42.
 */
const AGREEMENT_DISTANCE = 1

/**
 * The relative step from which one detector alone is believed.
 *
 * Believed: +25% seen by one. Not: +15% seen by one.
 */
const STEP_ALONE = 0.2

/**
 * Rows with a value that each side of a step needs, among those that the step rule takes its levels from, where that rule
 * alone sees it: half of them. At the end of a history its level is the median of what is there, in the last row that row
 * itself, and a spike is no step.
 *
 * Believed: 12 rows at 20 ms, 6 at 26 ms. Not yet: 5 at 26 ms; not at all: one at 26 ms and then 5 at 20 ms.
 */
const LASTING_ROWS = Math.ceil(LEVEL_ROWS / 2)

/**
 * The steps of one history that both detectors see, within one point of each other and in the same direction, and those
 * that one of them sees and that are large: of the step rule alone such that last. To these come those of `pairedEvidence`
 * that are not within one point of one: each takes the place of a change point alone that may be the same step, because the
 * pair knows better where it is. In the order of position. All lists are of the same rows, ascending; `levels` are the new
 * values of these, not finite where nothing was measured.
 */
export function agreedSteps(
  points: readonly ChangePoint[],
  steps: readonly PairedStep[],
  evidence: readonly EvidencedStep[],
  levels: ArrayLike<number>,
): AgreedStep[] {
  const sure = sureSteps(points, steps, levels)
  const further = evidence.filter(
    ({ index }) =>
      !sure.some((one) =>
        [one.changePoint, one.pairedStep].some((seen) => seen !== null && isBeside(seen.index, index)),
      ),
  )
  const taken = new Set(sure.filter(({ pairedStep }) => pairedStep !== null).map(({ changePoint }) => changePoint))
  const added = further.map((evidenced): AgreedStep => {
    const changePoint = points.find((point) => !taken.has(point) && isSameStep(point, evidenced)) ?? null
    taken.add(changePoint)
    return { changePoint, pairedStep: null, evidenced }
  })
  const replaced = new Set(added.map(({ changePoint }) => changePoint))
  const kept = sure.filter(({ changePoint, pairedStep }) => pairedStep !== null || !replaced.has(changePoint))
  return [...kept, ...added].toSorted((a, b) => positionOf(a) - positionOf(b))
}

function isBeside(a: number, b: number): boolean {
  return Math.abs(a - b) <= AGREEMENT_DISTANCE
}

/**
 * How alike two sizes are that may be one step, as a fraction of the larger, of logarithms: the step rule asks as much of a
 * pair. A small step within the interval of a large one is another step, and the large one stays.
 *
 * The same: +25% and +18%. Two steps: +39% and +12%.
 */
const SAME_SIZE = 0.7

function isSameStep(point: ChangePoint, { index, before, after }: EvidencedStep): boolean {
  const [one, other] = [Math.log(point.after / point.before), Math.log(after / before)]
  if (one > 0 !== other > 0) return false
  if (isBeside(point.index, index)) return true
  const isAlike = Math.min(Math.abs(one), Math.abs(other)) >= SAME_SIZE * Math.max(Math.abs(one), Math.abs(other))
  return isAlike && index >= point.earliest && index <= point.latest
}

function sureSteps(
  points: readonly ChangePoint[],
  steps: readonly PairedStep[],
  levels: ArrayLike<number>,
): AgreedStep[] {
  const left = new Set(steps)
  const agreed: AgreedStep[] = []
  for (const changePoint of points) {
    const pairedStep = closest(changePoint, left)
    if (pairedStep !== null) left.delete(pairedStep)
    if (pairedStep !== null || Math.abs(changePoint.step) >= STEP_ALONE) {
      agreed.push({ changePoint, pairedStep, evidenced: null })
    }
  }
  for (const pairedStep of left) {
    const step = pairedStep.after / pairedStep.before - 1
    if (Math.abs(step) >= STEP_ALONE && isLasting(pairedStep, levels)) {
      agreed.push({ changePoint: null, pairedStep, evidenced: null })
    }
  }
  return agreed
}

/** On each side enough rows, and more than half of them on its own side of the middle. */
function isLasting({ index, before, after }: PairedStep, levels: ArrayLike<number>): boolean {
  const middle = (before + after) / 2
  const isHere = (values: readonly number[], level: number) =>
    values.length >= LASTING_ROWS &&
    values.filter((value) => value > middle === level > middle).length * 2 > values.length
  return isHere(measuredFrom(levels, index - 1, -1), before) && isHere(measuredFrom(levels, index, 1), after)
}

/** The measured values beside the step, away from it: as many as a level of the step rule has. */
function measuredFrom(levels: ArrayLike<number>, first: number, direction: 1 | -1): number[] {
  const values: number[] = []
  for (let i = first; i >= 0 && i < levels.length && values.length <= LEVEL_ROWS; i += direction) {
    if (Number.isFinite(levels[i])) values.push(levels[i]!)
  }
  return values
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

function positionOf({ changePoint, pairedStep, evidenced }: AgreedStep): number {
  return (evidenced ?? changePoint ?? pairedStep!).index
}
