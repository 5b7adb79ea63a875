import type { TrunkPoint, TrunkStep } from '../history/trunk-series.ts'
import { type AgreedStep, agreedSteps } from '../statistics/change-points/agreed-steps.ts'
import { type ChangePoint, changePoints } from '../statistics/change-points/change-points.ts'
import { type EvidencedStep, pairedEvidence } from '../statistics/change-points/paired-evidence.ts'
import { positionInterval } from '../statistics/change-points/position-interval.ts'
import { LEVEL_ROWS, type PairedStep, pairedSteps } from '../statistics/change-points/step-rule.ts'
import { chainAcross, type Stretch, stretchesOf } from './paired-chain.ts'
import { isMeasuredAgainst, type PositionOf, positionsInSeries } from './trunk-order.ts'

/** A place of a history at which its level changes and stays. Positions count the points. */
export interface LevelChange {
  /** The first point of the new level. */
  readonly index: number
  /** The last point that is surely before it, where the pair that shows it has its old side. */
  readonly lastBefore: number
  /** The first point of the new level may be any of these. */
  readonly earliest: number
  readonly latest: number
  readonly before: number
  readonly after: number
  readonly seenBy: TrunkStep['seenBy']
  /** Both detectors see it, or one of them sees a step of 20% and more, or paired evidence shows it. */
  readonly isSure: boolean
}

/**
 * The share of a change of the level that the pairs across it must show, where they are there: without it another machine
 * made it and no commit. Half: the pairs have the noise of single runs.
 *
 * Of commits: the level rises by 25%, the run across by 15%. Of the machine: by 25%, and the run across by 2%.
 */
export const PAIRS_SHARE = 0.5

/**
 * All changes of the level of one history, in order: those of the detectors together, and those that the change points
 * show alone, however small. `points` stand in the order of the trunk.
 *
 * A change that the levels alone show is none where the runs across it, whose two sides were measured on one machine, do
 * not show it, nor where no run leads across and the machines before and after are known to be of different types. Time
 * that of `changePoints`.
 */
export function levelChanges(points: readonly TrunkPoint[]): LevelChange[] {
  const levels = Float64Array.from(points, (point) => (isMeasured(point) ? point.new : Number.NaN))
  const rows = points.map((point, index) => ({
    ...point,
    new: levels[index]!,
    isClose: index > 0 && isMeasuredAgainst(point, points[index - 1]!),
  }))
  const positionOf = positionsInSeries(points)
  const found = changePoints(levels)
  const steps = withoutRepeated(pairedSteps(rows), points, positionOf)
  const agreed = agreedSteps(found, steps, pairedEvidence(rows), levels)
  const seen = new Set(agreed.map(({ changePoint }) => changePoint))
  const small = found.filter((changePoint) => !seen.has(changePoint))
  const changes = [
    ...agreed
      .filter((one) => !isRepeated(one, found))
      .map((one) =>
        one.evidenced === null ? changeOf(points, levels, one, true, positionOf) : changeShown(one.evidenced),
      ),
    ...small.map((changePoint) =>
      changeOf(points, levels, { changePoint, pairedStep: null, evidenced: null }, false, positionOf),
    ),
  ].toSorted((a, b) => a.index - b.index)
  const stretches = stretchesOf(points, positionOf)
  return changes.filter((change, i) => {
    const [previous, next] = [changes[i - 1], changes[i + 1]]
    return change.seenBy !== 'change-point' || isOfCommits(change, previous, next, points, stretches)
  })
}

export function isMeasured(point: TrunkPoint): boolean {
  return Number.isFinite(point.new) && point.new > 0
}

/**
 * Runs against the same old build each show what came after it: a row whose reference is before the place of an earlier
 * step of the same direction shows that one again.
 */
function withoutRepeated(
  steps: readonly PairedStep[],
  points: readonly TrunkPoint[],
  positionOf: PositionOf,
): PairedStep[] {
  const kept: PairedStep[] = []
  for (const step of steps) {
    const reference = positionOf(points[step.index]!.referenceCommit)
    const isAgain = kept.some(
      (earlier) =>
        reference !== undefined &&
        reference < earlier.index &&
        earlier.after > earlier.before === step.after > step.before,
    )
    if (!isAgain) kept.push(step)
  }
  return kept
}

/** The step rule alone has put it beside a change point whose interval holds the place. */
function isRepeated({ changePoint, pairedStep }: AgreedStep, found: readonly ChangePoint[]): boolean {
  if (changePoint !== null || pairedStep === null) return false
  return found.some(
    ({ earliest, latest, before, after }) =>
      pairedStep.index >= earliest &&
      pairedStep.index <= latest &&
      after > before === pairedStep.after > pairedStep.before,
  )
}

function changeShown({ index, lastBefore, earliest, latest, before, after }: EvidencedStep): LevelChange {
  return { index, lastBefore, earliest, latest, before, after, seenBy: 'paired-evidence', isSure: true }
}

function changeOf(
  points: readonly TrunkPoint[],
  levels: Float64Array,
  { changePoint, pairedStep }: AgreedStep,
  isSure: boolean,
  positionOf: PositionOf,
): LevelChange {
  const paired = pairedStep === null ? null : placeOfPair(points, pairedStep.index, positionOf)
  // A pair that reaches over several points says less of the place than the levels do.
  const index = paired !== null && (paired.isClose || changePoint === null) ? pairedStep!.index : changePoint!.index
  const { earliest, latest } = changePoint ?? intervalAround(levels, index)
  const { before, after } = changePoint ?? pairedStep!
  return {
    index,
    lastBefore: Math.min(
      index - 1,
      paired === null ? earliest - 1 : paired.isClose || changePoint === null ? paired.before : earliest - 1,
    ),
    earliest: Math.min(earliest, index),
    latest: Math.max(latest, index),
    before,
    after,
    seenBy: changePoint === null ? 'step-rule' : pairedStep === null ? 'change-point' : 'both',
    isSure,
  }
}

/** The last point that is not after the old side of a run; the one before it where nobody knows. */
function placeOfPair(points: readonly TrunkPoint[], index: number, positionOf: PositionOf) {
  const reference = positionOf(points[index]!.referenceCommit)
  if (reference === undefined || reference >= index) return { before: index - 1, isClose: true }
  const between = points.slice(reference + 1, index)
  const isClose = between.every(
    (point) =>
      !isMeasured(point) || point.commit === points[index]!.commit || point.commit === points[reference]!.commit,
  )
  return { before: isClose ? index - 1 : reference, isClose }
}

/** Where the step may be by the levels alone, over the rows that the step rule looks at. */
function intervalAround(levels: Float64Array, index: number): { earliest: number; latest: number } {
  const positions: number[] = []
  for (const [position, level] of levels.entries()) if (Number.isFinite(level)) positions.push(position)
  const at = positions.indexOf(index)
  const near = positions.slice(Math.max(0, at - LEVEL_ROWS - 1), at + LEVEL_ROWS + 1)
  const values = near.map((position) => levels[position]!)
  const { earliest, latest } = positionInterval(values, 0, values.length, near.indexOf(index))
  // A point without a value before the earliest one may be where it happened.
  return { earliest: near[earliest - 1]! + 1, latest: near[latest]! }
}

/**
 * Whether commits made a change that the levels show alone: the runs across it show half of it, or nobody can tell that the
 * machines before and after are of different types.
 */
export function isOfCommits(
  { earliest, latest, before, after }: LevelChange,
  previous: LevelChange | undefined,
  next: LevelChange | undefined,
  points: readonly TrunkPoint[],
  stretches: readonly Stretch[],
): boolean {
  const starts = { first: Math.min(previous?.latest ?? 0, earliest - 1), last: earliest - 1 }
  const ends = { first: latest, last: Math.max(latest, (next?.earliest ?? points.length) - 1) }
  const log = chainAcross(stretches, starts, ends)
  if (log !== null)
    return (
      Math.sign(log) === Math.sign(after - before) && Math.abs(log) >= PAIRS_SHARE * Math.abs(Math.log(after / before))
    )
  const [there, here] = [points[earliest - 1]?.instanceType, points[latest]?.instanceType]
  return !there || !here || there === here
}
