import { type LevelChange, levelChanges } from '../bisect/level-changes.ts'
import { inTrunkOrder } from '../bisect/trunk-order.ts'
import type { TrunkPoint, TrunkSeries } from '../history/trunk-series.ts'
import { MIN_STEP } from '../statistics/change-points/e-divisive.ts'

/** A change of the level that is not sure enough for a bisect window. */
export interface UnsureStep {
  readonly series: TrunkSeries
  readonly firstBad: TrunkPoint
  readonly before: number
  readonly after: number
  /** `(after - before) / before`. */
  readonly step: number
}

/** What the change points alone see of a history: too small for one of the two detectors by itself. In order. */
export function unsureSteps(series: TrunkSeries): UnsureStep[] {
  const points = inTrunkOrder(series.points, null)
  return levelChanges(points)
    .filter(({ isSure }) => !isSure)
    .map((change) => stepOf(series, points, change))
    .filter(({ step }) => Math.abs(step) >= MIN_STEP)
}

function stepOf(series: TrunkSeries, points: readonly TrunkPoint[], { index, before, after }: LevelChange): UnsureStep {
  return { series, firstBad: points[index]!, before, after, step: (after - before) / before }
}
