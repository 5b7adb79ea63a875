import type { TrunkPoint, TrunkSeries, TrunkStep } from '../history/trunk-series.ts'
import { type AgreedStep, agreedSteps } from '../statistics/change-points/agreed-steps.ts'
import { changePoints } from '../statistics/change-points/change-points.ts'
import { positionInterval } from '../statistics/change-points/position-interval.ts'
import { LEVEL_ROWS, pairedSteps } from '../statistics/change-points/step-rule.ts'

/**
 * The share of a step that must be gone for the level to have come back: the rest is what a fix leaves and the noise of
 * two medians. It is the share that a row must show to be the place of a step, the same tolerance the other way.
 *
 * Recovered: 20 to 30 ms, later 21.5 ms. Not: 20 to 30 ms, later 25 ms.
 */
export const RECOVERED_SHARE = 0.7

/**
 * The lasting steps of one query's history on the trunk, in the order of time, that are sure enough for a bisect window:
 * both detectors see it within one point of each other, or one of them with a large step.
 *
 * Where both see it, the paired step says at which point: its old and new side ran on the same machine, while the level of
 * one point differs from the next one's by the machine as well. The interval then covers both positions.
 *
 * A point whose new side is not finite or not positive was not measured: it is never the last good or the first bad one,
 * so a gap before a step widens what is between them. Several runs of one commit are one commit: the last good point is of
 * another commit than the first bad one, and a step without such a point is left out.
 *
 * Time `n` for the step rule and that of `changePoints`.
 */
export function trunkSteps(series: TrunkSeries): TrunkStep[] {
  const rows = series.points.map((point) => (isMeasured(point) ? point : { ...point, new: Number.NaN }))
  const levels = Float64Array.from(rows, (row) => row.new)
  const steps: TrunkStep[] = []
  for (const agreed of agreedSteps(changePoints(levels), pairedSteps(rows))) {
    const step = stepOf(series.points, levels, agreed)
    if (step !== null) steps.push(step)
  }
  return steps.map((step, index) => ({ ...step, recovered: recoveryOf(step, steps.slice(index + 1)) }))
}

function isMeasured(point: TrunkPoint): boolean {
  return Number.isFinite(point.new) && point.new > 0
}

function stepOf(points: readonly TrunkPoint[], levels: Float64Array, agreed: AgreedStep): TrunkStep | null {
  const { changePoint, pairedStep } = agreed
  const index = pairedStep?.index ?? changePoint!.index
  const firstBad = points[index]!
  const lastGood = lastOfAnotherCommit(points, index)
  if (lastGood === null) return null
  const { earliest, latest } = changePoint ?? intervalAround(levels, index)
  const { before, after } = changePoint ?? pairedStep!
  return {
    lastGood,
    firstBad,
    before,
    after,
    step: (after - before) / before,
    earliest: points[Math.min(earliest, index)]!,
    latest: points[Math.max(latest, index)]!,
    seenBy: changePoint === null ? 'step-rule' : pairedStep === null ? 'change-point' : 'both',
    recovered: null,
  }
}

function lastOfAnotherCommit(points: readonly TrunkPoint[], index: number): TrunkPoint | null {
  const { commit } = points[index]!
  const before = points.slice(0, index).findLast((point) => isMeasured(point) && point.commit !== commit)
  return before ?? null
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

/** The first bad point of the first later step that leads back by most of this one. */
function recoveryOf({ before, after }: TrunkStep, later: readonly TrunkStep[]): TrunkPoint | null {
  const back = later.find((step) => (after - step.after) / (after - before) >= RECOVERED_SHARE)
  return back?.firstBad ?? null
}
