import { averagedMedian } from '../../intake/measurement/median.ts'
import type { TrunkPoint, TrunkSeries, TrunkStep } from '../history/trunk-series.ts'
import { isCounted } from '../statistics/change-points/paired-evidence.ts'
import { correlationOf } from '../statistics/change-points/paired-history.ts'
import { commonInterval } from '../statistics/change-points/position-interval.ts'
import { mannWhitney } from '../statistics/mann-whitney.ts'
import { normalQuantile, normalTwoSided } from '../statistics/normal-tail.ts'
import { isMeasured, isOfCommits, type LevelChange, levelChanges } from './level-changes.ts'
import { stretchesOf } from './paired-chain.ts'
import { inTrunkOrder, type PositionOf, positionsInSeries } from './trunk-order.ts'
import { recoveryOf, stepsAmong } from './trunk-steps.ts'

/**
 * The chance that one step in a suite makes any further series step that did not, shared by the series that are asked: the 1%
 * of T.
 *
 * Two series are asked at 0.5%, ten at 0.1%.
 */
const FURTHER_CHANCE = 0.01

/**
 * A series is asked at this at least: in a large suite a share of 1% finds nothing. Of 99 series without a step 0.1 then
 * have one on average.
 *
 * A step: 7 runs at 48 ms, 7 at 55 ms that do not overlap (p = 0.0006). None: 5 and 5 of these (p = 0.008), beside ten others.
 */
const LEAST_CHANCE = 0.001

/** The smallest step, a fraction: the smallest change of a query that is reported. A step: 20 to 21 ms. None: 20 to 20.9. */
const SMALLEST_STEP = 0.05

/**
 * Series from which on what all of them did in a run is taken out: that was the machine, which no rank test knows. Of fewer the
 * median may be a step of their own.
 *
 * Taken out: 5 of 99 queries rise by 15% with the other 94. Not: 2 of 2.
 */
const LEAST_FOR_MACHINE = 5

/**
 * Runs from which on the likeness of neighbouring ones is asked for: a place that is not searched for has no other runs that
 * would show what the machines do.
 */
const LEAST_FOR_LIKENESS = 20

const seenBy = 'neighbour'

/** Runs on each side that are compared: as many as paired evidence has for a level. */
const WIDEST = 32

/** Queries with one key are neighbours: those of a test on one architecture. */
export function suiteOf({ test, architecture }: Pick<TrunkSeries, 'test' | 'architecture'>): string {
  return JSON.stringify([test, architecture])
}

/** A history with the steps that it shows by itself. */
export interface SteppedHistory {
  /** In the order of the trunk. */
  readonly points: readonly TrunkPoint[]
  readonly positionOf: PositionOf
  readonly changes: readonly LevelChange[]
  readonly steps: readonly TrunkStep[]
}

/** One history, as `suiteSteps` needs it. */
export function steppedHistory(series: TrunkSeries, order: ReadonlyMap<string, number> | null = null): SteppedHistory {
  const points = inTrunkOrder(series.points, order)
  const changes = levelChanges(points)
  return { points, positionOf: positionsInSeries(points), changes, steps: stepsAmong(points, changes, order) }
}

/** A step that a series has by itself. */
interface Shown {
  readonly history: SteppedHistory
  readonly step: TrunkStep
}

/**
 * The steps of the histories of one suite (a test on one architecture), in their order: those that each shows by itself, as
 * `trunkSteps` finds them, and those that it shows where a neighbour stepped. One commit slows what runs through it: where one
 * query stepped, the others are asked at that place alone, which a noisy one can answer that no search would find.
 *
 * A series stepped with its neighbour where a rank test of its levels before and after the place says so, at 1% divided by the
 * number of series that are asked there and at least 0.1%; the medians differ by 5% and more; its own place may be the
 * neighbour's; and the runs across show it, as they must for any step of levels alone (`isOfCommits`). The window is the
 * neighbour's: one cause is one step. A step that was only found so has no neighbours.
 *
 * A step with it: `#1` goes from 47 to 59 ms at run 25 of 40, `#0` from 48 to 55 ms with spikes of 30%, too noisy to step by
 * itself. None: `#0` steps ten runs later, or rises where the runs across show nothing, which is another machine.
 */
export function suiteSteps(histories: readonly SteppedHistory[]): TrunkStep[][] {
  const found = histories.map(({ steps }) => [...steps])
  for (const cause of causesOf(histories)) {
    const asked = histories.flatMap((history, i) => {
      const place = placeIn(history, cause)
      const isAsked = place !== null && !history.steps.some((step) => isAt(ownPlace(history, step), place))
      return isAsked ? [{ history, i, place }] : []
    })
    const chance = Math.max(LEAST_CHANCE, FURTHER_CHANCE / asked.length)
    const machineOf = machineOfRuns(asked.map(({ history }) => history))
    for (const { history, i, place } of asked) {
      const step = stepAt(history, cause, place, { chance, machineOf })
      if (step !== null) found[i]!.push(step)
    }
  }
  return found.map((steps, i) => {
    const { positionOf } = histories[i]!
    return steps.toSorted((a, b) => positionOf(a.firstBad.commit)! - positionOf(b.firstBad.commit)!)
  })
}

interface Asking {
  /** The significance at which one series is asked. */
  readonly chance: number
  /** How slow the machine of a commit's run was, a logarithm: the median of what the series did; 0 where they are few. */
  readonly machineOf: (commit: string) => number
}

function machineOfRuns(asked: readonly SteppedHistory[]): Asking['machineOf'] {
  const runs = new Map<string, number[]>()
  if (asked.length < LEAST_FOR_MACHINE) return () => 0
  for (const { points } of asked) {
    const measured = points.filter(isMeasured)
    const level = averagedMedian(Float64Array.from(measured, (point) => Math.log(point.new)))
    for (const point of measured) {
      const known = runs.get(point.commit)
      const off = Math.log(point.new) - level
      if (known === undefined) runs.set(point.commit, [off])
      else known.push(off)
    }
  }
  const machines = new Map([...runs].map(([commit, offs]) => [commit, averagedMedian(Float64Array.from(offs))]))
  return (commit) => machines.get(commit) ?? 0
}

/** The steps of all series, of those that may be at the same run the surest: that with the narrowest place. */
function causesOf(histories: readonly SteppedHistory[]): Shown[] {
  const width = ({ history, step }: Shown) => {
    const { earliest, latest } = ownPlace(history, step)
    return latest - earliest
  }
  const sorted = histories
    .flatMap((history) => history.steps.map((step) => ({ history, step })))
    .toSorted((a, b) => width(a) - width(b) || Math.abs(b.step.step) - Math.abs(a.step.step))
  const causes: Shown[] = []
  for (const one of sorted) {
    if (!causes.some((surest) => isSameRun(one, surest) || isSameRun(surest, one))) causes.push(one)
  }
  return causes
}

/** Null places are nowhere. */
function isAt(one: Range, other: Range | null): boolean {
  return other !== null && one.earliest <= other.latest && one.latest >= other.earliest
}

function isSameRun({ history, step }: Shown, other: Shown): boolean {
  return isAt(ownPlace(history, step), placeIn(history, other))
}

function ownPlace({ positionOf }: SteppedHistory, { earliest, latest }: TrunkStep): Range {
  return { earliest: positionOf(earliest.commit)!, latest: positionOf(latest.commit)! }
}

interface Range {
  readonly earliest: number
  readonly latest: number
}

/** Positions in one series of what a neighbour's step names. */
interface Place extends Range {
  readonly lastGood: number
  readonly firstBad: number
}

/** Null where one of these runs is not in the series: nothing is asked then. */
function placeIn({ points, positionOf }: SteppedHistory, { step }: Shown): Place | null {
  const [lastGood, firstBad, earliest, latest] = [step.lastGood, step.firstBad, step.earliest, step.latest].map(
    ({ commit }) => positionOf(commit),
  )
  if (lastGood === undefined || firstBad === undefined || earliest === undefined || latest === undefined) return null
  const isThere = isMeasured(points[lastGood]!) && isMeasured(points[firstBad]!)
  return isThere && lastGood < firstBad && earliest <= latest ? { lastGood, firstBad, earliest, latest } : null
}

function stepAt(
  history: SteppedHistory,
  { history: other, step }: Shown,
  asked: Place,
  { chance, machineOf }: Asking,
): TrunkStep | null {
  const { points, positionOf } = history
  const changes = history.changes.filter(({ earliest, latest }) => latest < asked.earliest || earliest > asked.latest)
  const previous = changes.findLast(({ latest }) => latest < asked.earliest)
  const next = changes.find(({ earliest }) => earliest > asked.latest)
  const measured = (from: number, to: number) =>
    points.flatMap((point, at) => (at >= from && at < to && isMeasured(point) ? [at] : []))
  const rows = [
    ...measured(previous?.latest ?? 0, asked.earliest).slice(-WIDEST),
    ...measured(asked.earliest, asked.latest),
    ...measured(asked.latest, next?.earliest ?? points.length).slice(0, WIDEST),
  ]
  const split = rows.filter((at) => at < asked.earliest).length
  const first = rows.findIndex((at) => at >= asked.latest)
  const lost = points[positionOf(step.recovered?.commit ?? '') ?? -1] ?? null
  if (split === 0 || first < 0 || (lost === null && step.recovered !== null)) return null
  const measuredLevels = Float64Array.from(rows, (at) => Math.log(points[at]!.new))
  const levelsOfOwn = Float64Array.from(rows, (at, row) => measuredLevels[row]! - machineOf(points[at]!.commit))
  const [shown, own] = [shiftIn(measuredLevels, split, first), shiftIn(levelsOfOwn, split, first)]
  const size = Math.expm1(shown.high - shown.low)
  const sizes = [size, Math.expm1(own.high - own.low)]
  if (sizes.some((one) => Math.abs(one) < SMALLEST_STEP) || sizes[0]! > 0 !== sizes[1]! > 0) return null
  if (shown.pValue > chance || weakened(own.pValue, levelsOfOwn, first) > chance) return null

  const place = placeTogether(points, rows, other, asked)
  if (place === null) return null
  const levels = { before: Math.exp(shown.low), after: Math.exp(shown.high) }
  const change = {
    ...place,
    ...levels,
    index: place.latest,
    lastBefore: place.earliest - 1,
    seenBy,
    isSure: true,
  } as const
  const stretches = stretchesOf(points, positionOf)
  if (!isOfCommits(change, previous, next, points, stretches)) return null
  const later = next === undefined ? [] : changes.slice(changes.indexOf(next))
  return {
    lastGood: points[asked.lastGood]!,
    firstBad: points[asked.firstBad]!,
    ...levels,
    step: size,
    earliest: points[asked.earliest]!,
    latest: points[asked.latest]!,
    seenBy,
    place: { earliest: points[place.earliest]!, latest: points[place.latest]! },
    // If the neighbour went back to its old level, this query may have as well, hidden by noise.
    recovered: recoveryOf(change, later, points) ?? lost,
  }
}

/** The medians of the levels up to `split` and from `first` on, and what a rank test says of the two. */
function shiftIn(levels: Float64Array, split: number, first: number) {
  const [before, after] = [levels.slice(0, split), levels.slice(first)]
  const { pValue } = mannWhitney(before, after, isCounted)
  return { low: averagedMedian(before), high: averagedMedian(after), pValue }
}

/** The p-value where rows are like their neighbours, and so fewer than they seem. `first` is where the step is. */
function weakened(pValue: number, levels: Float64Array, first: number): number {
  const correlation = correlationOf({ levels }, [first], LEAST_FOR_LIKENESS)
  const weakening = Math.sqrt((1 - correlation) / (1 + correlation))
  return weakening === 1 ? pValue : normalTwoSided(weakening * -normalQuantile(pValue / 2))
}

/**
 * The first row of the new level, as both series put it together, among those that the neighbour's may be. Null where that of
 * the series by itself is elsewhere: then it is another cause.
 */
function placeTogether(
  points: readonly TrunkPoint[],
  rows: readonly number[],
  other: SteppedHistory,
  { earliest, latest }: Place,
): Range | null {
  const common = rows.flatMap((at) => {
    const there = other.points[other.positionOf(points[at]!.commit) ?? -1]
    return there !== undefined && isMeasured(there) ? [{ at, values: [points[at]!.new, there.new] as const }] : []
  })
  const first = common.findIndex(({ at }) => at >= earliest)
  const last = common.findLastIndex(({ at }) => at <= latest)
  if (first < 1 || last < first) return null
  const [own, theirs] = [0, 1].map((which) => Float64Array.from(common, ({ values }) => values[which]!))
  const alone = commonInterval([own!], 1, common.length - 1)
  if (alone.latest < first || alone.earliest > last) return null
  const together = commonInterval([own!, theirs!], first, last)
  // A row without a value before the earliest one may be where it happened.
  return { earliest: Math.max(earliest, common[together.earliest - 1]!.at + 1), latest: common[together.latest]!.at }
}
