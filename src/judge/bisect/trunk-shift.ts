import { median } from '../../intake/measurement/median.ts'
import type { TrunkPoint, TrunkStep } from '../history/trunk-series.ts'
import { LEVEL_ROWS } from '../statistics/change-points/step-rule.ts'
import { isMeasured, type LevelChange, levelChanges } from './level-changes.ts'
import { chainAcross, stretchesOf } from './paired-chain.ts'
import { inTrunkOrder, type PositionOf, positionsInSeries, positionsOf } from './trunk-order.ts'

/** How far the trunk has moved between two of its commits, in two ways that can go wrong in different ways. */
export interface TrunkShift {
  /**
   * The shift by runs that measured both sides on one machine, multiplied; a fraction. It knows no machines, and has
   * the noise of runs.
   */
  readonly byPairs: number
  /**
   * The shift by the medians of the runs up to each of the two commits; a fraction. It has little noise, and the
   * machine in it.
   */
  readonly byLevels: number
}

/**
 * Runs that each side's level needs: of two the median is one of them.
 *
 * Enough: three runs that measured builds up to the merge base since the step. Not: the merge base's own run alone.
 */
export const LEAST_LEVEL_RUNS = 3

/** The trunk between two commits: all positions of its commits that are known, with those of the two. */
export interface TrunkBetween {
  /** Full ids: every commit from `from` to `to` is in it. */
  readonly order: ReadonlyMap<string, number>
  readonly from: number
  readonly to: number
}

/** Null where the old build or the merge base has no position, or nothing lies between them. */
export function trunkBetween(
  order: ReadonlyMap<string, number> | null,
  oldBuild: string | null,
  mergeBase: string | null,
): TrunkBetween | null {
  const [from, to] = [order?.get(oldBuild ?? ''), order?.get(mergeBase ?? '')]
  return order !== null && from !== undefined && to !== undefined && from < to ? { order, from, to } : null
}

/**
 * How far one query's level moved on the trunk in `(from, to]`; null where that can't be said.
 *
 * *By pairs* is the product of new / old over runs whose stretches `(reference, commit]` lead, without gap and overlap,
 * across each place at which the level changes; between these places it does not, and runs there would bring their noise
 * alone: 40 runs with 2% each make 13%. A change that no runs lead across, or of which nobody can say whether it lies in
 * `(from, to]`, leaves no answer. The end of a place that both detectors see is the run that shows it.
 *
 * *By levels* compares the medians of what was measured of builds up to each of the two commits since the change before
 * it: at most as many runs as the step rule has for a level, at least `LEAST_LEVEL_RUNS`, on machines of the same type where
 * types are known.
 *
 * Points are in the order of time; a point whose place on the trunk nobody knows counts for nothing. `place` is that of a
 * step that the series shows beside a neighbour alone. Time that of `changePoints`.
 */
export function trunkShift(
  points: readonly TrunkPoint[],
  { order, from, to }: TrunkBetween,
  place?: TrunkStep['place'],
): TrunkShift | null {
  const placed = placedPoints(points, order)
  const changes = changesWithin(placed, from, to, place)
  if (changes === null) return null
  const byPairs = pairsAcross(placed, changes, from, to)
  if (byPairs === null) return null
  const byLevels = levelShift(placed, changes, from, to)
  // A level of 5e-324 overflows the ratio: no size can be said.
  const isSize = byLevels !== null && Number.isFinite(byPairs) && Number.isFinite(byLevels)
  return isSize ? { byPairs, byLevels } : null
}

interface Placed {
  /** The points in the order of the trunk. */
  readonly points: readonly TrunkPoint[]
  /**
   * The position of each point. Ascending; negative before the known stretch of the trunk, beyond every known place
   * after it.
   */
  readonly positions: readonly number[]
  readonly positionOf: PositionOf
}

/** Points outside of the known stretch lie before all that are in it, or after all; what lies between is off the trunk. */
function placedPoints(all: readonly TrunkPoint[], order: ReadonlyMap<string, number>): Placed {
  const known = positionsOf(order)
  const sorted = inTrunkOrder(all, order)
  const inside = sorted.map(({ commit }) => known(commit) ?? null)
  const first = inside.findIndex((position) => position !== null)
  const last = inside.findLastIndex((position) => position !== null)
  const beyond = Math.max(0, ...order.values()) + 1
  const points: TrunkPoint[] = []
  const positions: number[] = []
  for (const [index, point] of sorted.entries()) {
    const isAfter = index > last || known(point.referenceCommit) !== undefined
    const outside = index < first && !isAfter ? index - first : isAfter && index > last ? beyond + index : null
    const position = inside[index] ?? outside
    if (position === null) continue
    points.push(point)
    positions.push(position)
  }
  const inSeries = positionsInSeries(points)
  const positionOf = (commit: string) => {
    const index = inSeries(commit)
    return known(commit) ?? (index === undefined ? undefined : positions[index])
  }
  return { points, positions, positionOf }
}

/** A change of the level in positions of the trunk: it came in `(after, until]`. */
interface PlacedChange {
  readonly after: number
  readonly until: number
}

interface Changes {
  readonly before: PlacedChange | undefined
  readonly between: readonly PlacedChange[]
  readonly next: PlacedChange | undefined
}

/** The steps in `(from, to]`, with their neighbours; null where one of them may be on either side. */
function changesWithin(
  { points, positions }: Placed,
  from: number,
  to: number,
  place: TrunkStep['place'],
): Changes | null {
  const found = levelChanges(points).map((change) => placeOf(change, positions, to))
  const beside = place === undefined ? [] : [placeBeside(place, points, positions)]
  const changes = beside.length === 0 ? found : [...found, ...beside].toSorted((a, b) => a.after - b.after)
  const before = changes.filter(({ until }) => until <= from)
  const next = changes.filter(({ after }) => after >= to)
  const between = changes.filter(({ after, until }) => until > from && after < to)
  const areSure = between.every(({ after, until }) => after >= from && until <= to)
  return areSure ? { before: before.at(-1), between: joined(between), next: next[0] } : null
}

function placeOf(
  { earliest, latest, index, seenBy }: LevelChange,
  positions: readonly number[],
  to: number,
): PlacedChange {
  // The step may have come before all that is known where no run is before its earliest place.
  const after = positions[earliest - 1] ?? Number.NEGATIVE_INFINITY
  const [until, shown] = [positions[latest]!, positions[index]!]
  return { after, until: seenBy === 'both' && shown <= to ? Math.max(shown, Math.min(until, to)) : until }
}

function placeBeside(
  { earliest, latest }: TrunkStep['place'] & {},
  points: readonly TrunkPoint[],
  positions: readonly number[],
): PlacedChange {
  // A run that is off the trunk leaves the end open, and then there is no answer.
  const [first, last] = [earliest, latest].map((run) =>
    points.findIndex(({ commit, time }) => commit === run.commit && time === run.time),
  )
  return {
    after: positions[first! - 1] ?? Number.NEGATIVE_INFINITY,
    until: positions[last!] ?? Number.POSITIVE_INFINITY,
  }
}

/** Changes whose places overlap are one place: no runs lead across one of them alone. */
function joined(changes: readonly PlacedChange[]): PlacedChange[] {
  const places: PlacedChange[] = []
  for (const change of changes) {
    const last = places.at(-1)
    if (last !== undefined && change.after < last.until) {
      places[places.length - 1] = { after: last.after, until: Math.max(last.until, change.until) }
    } else places.push(change)
  }
  return places
}

function pairsAcross({ points, positionOf }: Placed, { before, between, next }: Changes, from: number, to: number) {
  const stretches = stretchesOf(points, positionOf).filter((one) => one.from >= from && one.to <= to)
  let sum = 0
  for (const [i, { after, until }] of between.entries()) {
    const [previous, following] = [between[i - 1] ?? before, between[i + 1] ?? next]
    const log = chainAcross(
      stretches,
      { first: Math.max(from, previous?.until ?? from), last: after },
      { first: until, last: Math.min(to, following?.after ?? to) },
    )
    if (log === null) return null
    sum += log
  }
  return Math.expm1(sum)
}

/** The median that one run measured of a build at a place of the trunk, with either side. */
interface Sample {
  readonly position: number
  readonly value: number
  readonly run: TrunkPoint
}

function levelShift(placed: Placed, { before, between }: Changes, from: number, to: number): number | null {
  const samples = samplesOf(placed)
  const oldest = before?.until ?? Number.NEGATIVE_INFINITY
  const there = samples.filter(({ position }) => position >= oldest && position <= from)
  const here = samples.filter(({ position }) => position >= (between.at(-1)?.until ?? oldest) && position <= to)
  let best: { readonly runs: number; readonly shift: number } | null = null
  for (const type of new Set(placed.points.map(({ instanceType }) => instanceType ?? ''))) {
    const [a, b] = [levelOf(there, type), levelOf(here, type)]
    if (a === null || b === null) continue
    const runs = Math.min(a.runs, b.runs)
    if (best === null || runs > best.runs) best = { runs, shift: b.level / a.level - 1 }
  }
  return best?.shift ?? null
}

function samplesOf({ points, positions, positionOf }: Placed): Sample[] {
  const samples = points.flatMap((run, index): Sample[] => {
    if (!isMeasured(run)) return []
    const reference = positionOf(run.referenceCommit)
    const fresh = { position: positions[index]!, value: run.new, run }
    const hasOld = reference !== undefined && Number.isFinite(run.old) && run.old > 0
    return hasOld ? [{ position: reference, value: run.old, run }, fresh] : [fresh]
  })
  return samples.toSorted((a, b) => a.position - b.position)
}

/** The median of the last ones on machines of one type. */
function levelOf(samples: readonly Sample[], type: string): { readonly runs: number; readonly level: number } | null {
  const last = samples.filter(({ run }) => (run.instanceType ?? '') === type).slice(-2 * (LEVEL_ROWS + 1))
  const runs = new Set(last.map(({ run }) => run)).size
  return runs < LEAST_LEVEL_RUNS ? null : { runs, level: median(last.map(({ value }) => value)) }
}
