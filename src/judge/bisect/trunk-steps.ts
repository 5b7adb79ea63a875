import type { TrunkPoint, TrunkSeries, TrunkStep } from '../history/trunk-series.ts'
import { isMeasured, type LevelChange, levelChanges } from './level-changes.ts'
import { inTrunkOrder, isMeasuredAgainst } from './trunk-order.ts'
import type { TrunkBetween } from './trunk-shift.ts'

/**
 * The share of a step that must be gone for the level to have come back: the rest is what a fix leaves and the noise of
 * two medians. It is the share that a row must show to be the place of a step, the same tolerance the other way.
 *
 * Recovered: 20 to 30 ms, later 21.5 ms. Not: 20 to 30 ms, later 25 ms.
 */
export const RECOVERED_SHARE = 0.7

/**
 * The lasting steps of one query's history on the trunk, in its order, that are sure enough for a bisect window: see
 * `agreedSteps`. Another machine is no step: see `levelChanges`. The points are put in the order of the trunk as `inTrunkOrder` does with `order`.
 *
 * Where both see it, the paired step says at which point: its old and new side ran on the same machine, while the level of
 * one point differs from the next one's by the machine as well. The interval then covers both positions. A run against an
 * old build of some points before says only that it lies in between; then the levels say where, or the window is that wide.
 *
 * A point whose new side is not finite or not positive was not measured: it is never the last good or the first bad one,
 * so a gap before a step widens what is between them. Several runs of one commit are one commit: the last good point is of
 * another commit than the first bad one, and a step without such a point is left out. Where the first bad point was not
 * measured against the one before it, their order is not sure: the last good one is then before the whole interval.
 *
 * A recovery needs the levels alone: any later change that leads back by most of the step.
 */
export function trunkSteps(series: TrunkSeries, order: ReadonlyMap<string, number> | null = null): TrunkStep[] {
  const points = inTrunkOrder(series.points, order)
  return stepsAmong(points, levelChanges(points), order)
}

/** The changes of the level that `trunkSteps` keeps; `points` are in the order of the trunk. */
export function stepsAmong(
  points: readonly TrunkPoint[],
  changes: readonly LevelChange[],
  order: ReadonlyMap<string, number> | null,
): TrunkStep[] {
  const steps: TrunkStep[] = []
  for (const [i, change] of changes.entries()) {
    const step = change.isSure ? stepOf(points, change, order) : null
    if (step !== null) steps.push({ ...step, recovered: recoveryOf(change, changes.slice(i + 1), points) })
  }
  return steps
}

function stepOf(
  points: readonly TrunkPoint[],
  { index, lastBefore, earliest, latest, before, after, seenBy }: LevelChange,
  order: ReadonlyMap<string, number> | null,
): TrunkStep | null {
  const firstBad = points[index]!
  const close = lastOfAnotherCommit(points, lastBefore, firstBad)
  const isKnown = close !== null && isBefore(close, firstBad, order)
  const lastGood = isKnown ? close : lastOfAnotherCommit(points, Math.min(lastBefore, earliest - 1), firstBad)
  if (lastGood === null) return null
  return {
    lastGood,
    firstBad,
    before,
    after,
    step: (after - before) / before,
    earliest: points[earliest]!,
    latest: points[latest]!,
    seenBy,
    recovered: null,
  }
}

/** Somebody has said so: one was measured against the other, or the order of the trunk has both. */
function isBefore(good: TrunkPoint, bad: TrunkPoint, order: ReadonlyMap<string, number> | null): boolean {
  const [a, b] = [order?.get(good.commit), order?.get(bad.commit)]
  if (a !== undefined && b !== undefined) return a < b
  return isMeasuredAgainst(bad, good)
}

function lastOfAnotherCommit(points: readonly TrunkPoint[], last: number, { commit }: TrunkPoint): TrunkPoint | null {
  return points.slice(0, last + 1).findLast((point) => isMeasured(point) && point.commit !== commit) ?? null
}

/** The first point of the first later change that leads back by most of this one. */
export function recoveryOf(
  { before, after }: LevelChange,
  later: readonly LevelChange[],
  points: readonly TrunkPoint[],
): TrunkPoint | null {
  const back = later.find((change) => (after - change.after) / (after - before) >= RECOVERED_SHARE)
  return back === undefined ? null : points[back.index]!
}

/**
 * The step that is to be named beside this difference, in its direction: the largest whose window lies between the old build and
 * the merge base and that was not taken back there, else the newest of which one end does.
 */
export function stepToName(
  steps: readonly TrunkStep[],
  { order, from, to }: TrunkBetween,
  difference: number,
): TrunkStep | null {
  const alike = steps.filter(({ step }) => Math.sign(step) === Math.sign(difference))
  const isWithin = (point: TrunkPoint | null, first: number, last: number) => {
    const position = order.get(point?.commit ?? '')
    return position !== undefined && position >= first && position <= last
  }
  const [largest] = alike
    .filter(({ lastGood, firstBad }) => isWithin(lastGood, from, to) && isWithin(firstBad, from, to))
    .filter(({ recovered }) => !isWithin(recovered, from, to))
    .toSorted((a, b) => Math.abs(b.step) - Math.abs(a.step))
  return (
    largest ??
    alike.findLast(({ firstBad }) => isWithin(firstBad, from + 1, to)) ??
    alike.findLast(({ lastGood }) => isWithin(lastGood, from, to - 1)) ??
    null
  )
}
