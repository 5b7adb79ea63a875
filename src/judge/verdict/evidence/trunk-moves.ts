import { median } from '../../../intake/measurement/median.ts'
import { type QueryId, queryKey } from '../../../intake/measurement/run.ts'
import { inTrunkOrder, positionsInSeries } from '../../bisect/trunk-order.ts'
import type { TrunkMover } from '../../history/history-facts.ts'
import type { LearnedLookup } from '../../history/learned-thresholds.ts'
import { firstOfCommits, type TrunkMoves, type TrunkPoint, type TrunkStep } from '../../history/trunk-series.ts'
import { wilsonInterval } from '../../statistics/wilson.ts'
import type { ClassifiedQuery } from '../classified-query.ts'

/** The query moves as much on the trunk, where a commit is compared with its predecessor. Speaks for noise. */
export interface MovesOnTrunk {
  readonly kind: 'moves-on-trunk'
  readonly architecture: string | null
  readonly times: number
  readonly runs: number
  readonly lowest: number
  readonly highest: number
}

/** The query never moved as much on the trunk in many runs. Speaks for the pull request. */
export interface StillOnTrunk {
  readonly kind: 'still-on-trunk'
  readonly architecture: string | null
  readonly runs: number
  readonly lowest: number
  readonly highest: number
}

/**
 * The share of trunk runs in which a query moves at least as far as here, above which that is what the query does by
 * itself: the 1% that the threshold T lets pass by chance. The lower end of Wilson's 95% interval must be above it, so
 * that two unlucky runs of twenty are not enough.
 *
 * Triggers: 14 of 214 runs (3.9% and more). Does not: 3 of 400 (0.3% and more).
 */
export const MOVES_SHARE = 0.01

/**
 * Moves needed before they count at all. One real change on the trunk is seen in one run, or in two where a reference
 * lags behind: that is a change and no habit.
 *
 * Triggers: 3 of 30 runs. Does not: 2 of 30.
 */
export const MOVES_MINIMUM = 3

/**
 * Runs without any move as far that make one here remarkable: a query that does it in 3% of its runs would leave none
 * in a hundred with a chance of 5%. As many rows as a threshold is learned from.
 *
 * Triggers: 0 of 214 runs. Does not: 0 of 40, 1 of 400.
 */
export const STILL_MINIMUM_RUNS = 100

/** Does a query that moved this often do so by itself: more often than by chance, and not for one change. */
function movesByItself({ times, runs }: Pick<TrunkMoves, 'times' | 'runs'>): boolean {
  return times >= MOVES_MINIMUM && wilsonInterval(times, runs).low > MOVES_SHARE
}

/**
 * Does the query move as far on the trunk, where a commit is measured against its predecessor and next to nothing
 * changed? `moves` is counted for the |difference| of the row. In between (one move, two moves, few runs) the trunk says
 * nothing.
 */
export function movesOrStillOnTrunk(
  result: ClassifiedQuery,
  moves: TrunkMoves | null,
): MovesOnTrunk | StillOnTrunk | null {
  if (moves === null || moves.runs === 0) return null
  const { architecture } = result
  const { runs, times, lowest, highest } = moves
  if (times === 0) {
    return runs >= STILL_MINIMUM_RUNS ? { kind: 'still-on-trunk', architecture, runs, lowest, highest } : null
  }
  if (!movesByItself(moves)) return null
  return { kind: 'moves-on-trunk', architecture, times, runs, lowest, highest }
}

export interface MovesAsked {
  /** Differences of at least this size are counted; a fraction. */
  readonly atLeast: number
  /** Runs after it do not count; milliseconds. */
  readonly until: number
  /** What the new build has of the trunk, a full id; null: not known. */
  readonly mergeBase: string | null
  /** Positions of commits on the trunk; null: nobody could say. */
  readonly order: ReadonlyMap<string, number> | null
}

/**
 * The moves of a query whose trunk stepped: among the runs on that side of its steps on which the merge base is, or all of them
 * where none moved as far on any side, and where nobody knows the side. A run that may have measured across a step shows the
 * step and never counts: the step's own, and those against an older build. Null: none is left.
 *
 * Of 40 runs with a step at run 25 and a merge base after it these count: the 15 after it. Not run 25 itself; not run 27, which
 * was measured against run 24; not run 10, which moved by 40% before the step.
 *
 * `points` are in the order of time, `steps` are theirs.
 */
export function movesBesideSteps(
  points: readonly TrunkPoint[],
  steps: readonly TrunkStep[],
  { atLeast, until, mergeBase, order }: MovesAsked,
): TrunkMoves | null {
  const sorted = inTrunkOrder(points, order)
  const positionOf = positionsInSeries(sorted)
  const places = steps.map(({ lastGood, firstBad, earliest, latest, before, after }) => ({
    first: Math.min(positionOf(lastGood.commit)!, positionOf(earliest.commit)! - 1),
    last: Math.max(positionOf(firstBad.commit)!, positionOf(latest.commit)!),
    before,
    after,
  }))
  const counted = sorted.flatMap((point, position) => {
    const reference = positionOf(point.referenceCommit)
    const from = reference === undefined || reference > position ? position - 1 : reference
    const isAcross = places.some(
      ({ first, last, before, after }) =>
        (position > first && from < last) ||
        (reference === undefined && position >= last && isNearer(point.old, before, after)),
    )
    return Number.isFinite(point.difference) && point.time <= until && !isAcross ? [{ point, position }] : []
  })
  const all = movesAmong(
    counted.map(({ point }) => point),
    atLeast,
  )
  const build = positionOfBuild(sorted, mergeBase, order)
  const isBetween = places.some(({ first, last }) => build !== null && build > first && build < last)
  if (build === null || isBetween || all?.times === 0) return all
  const sideOf = (position: number) => places.filter(({ last }) => position >= last).length
  const beside = counted.filter(({ position }) => sideOf(position) === sideOf(build))
  return movesAmong(
    beside.map(({ point }) => point),
    atLeast,
  )
}

function movesAmong(all: readonly TrunkPoint[], atLeast: number): TrunkMoves | null {
  const points = firstOfCommits(all, ({ commit }) => commit)
  if (points.length === 0) return null
  const differences = points.map(({ difference }) => difference)
  const moved = points.filter(({ difference }) => Math.abs(difference) >= atLeast)
  return {
    runs: points.length,
    times: moved.length,
    lowest: Math.min(...differences),
    highest: Math.max(...differences),
    median: median(differences.map(Math.abs)),
    third: differences.map(Math.abs).sort((a, b) => b - a)[2] ?? 0,
    lastTime: moved.length === 0 ? null : Math.max(...moved.map(({ time }) => time)),
  }
}

/** The last point whose build the merge base has; null: nobody knows. */
function positionOfBuild(
  sorted: readonly TrunkPoint[],
  mergeBase: string | null,
  order: ReadonlyMap<string, number> | null,
): number | null {
  const place = order?.get(mergeBase ?? '')
  if (place !== undefined) {
    const last = sorted.findLastIndex(({ commit }) => (order?.get(commit) ?? Number.POSITIVE_INFINITY) <= place)
    if (last >= 0) return last
  }
  const own = sorted.findLastIndex(({ commit }) => commit === mergeBase)
  const against = sorted.findIndex(({ referenceCommit }) => referenceCommit === mergeBase)
  return own >= 0 ? own : against > 0 ? against - 1 : null
}

/** Whether the old side of a run against nobody knows which build has the level before a step rather than that after it. */
function isNearer(value: number, before: number, after: number): boolean {
  return Math.abs(Math.log(value / before)) < Math.abs(Math.log(value / after))
}

/** Queries of one head that the history is asked of: those that have learned the largest thresholds. */
export const MOST_MOVERS = 200

/**
 * How much above the floor a learned threshold is of a query that moves by the floor in one trunk run of a hundred: it is
 * 1.5 times the 0.99 quantile.
 *
 * Asked at a floor of 5%: a learned threshold of 12%. Not: of 6%, which a query with moves of 4% has.
 */
const WELL_ABOVE = 1.5

export interface MoverWanted extends QueryId {
  readonly architecture: string | null
  /** Differences of at least this size are counted; a fraction. */
  readonly atLeast: number
}

/**
 * The queries of a head that may move by themselves by the floor, whatever they did in it: what history has taught of
 * them is well above it. Such a row is seldom flagged, for the same history has raised its threshold. The largest learned
 * thresholds first, `MOST_MOVERS` of them. `floor` is a fraction.
 */
export function moversWanted(
  results: readonly ClassifiedQuery[],
  learned: LearnedLookup,
  floor: number,
): readonly MoverWanted[] {
  return results
    .map((result) => ({ result, changed: learned(queryKey(result), result.architecture)?.changed ?? 0 }))
    .filter(({ changed }) => changed >= WELL_ABOVE * floor)
    .toSorted((a, b) => b.changed - a.changed)
    .slice(0, MOST_MOVERS)
    .map(({ result }) => ({
      test: result.test,
      queryIndex: result.queryIndex,
      queryName: result.queryName,
      ...(result.ordinal !== undefined && { ordinal: result.ordinal }),
      architecture: result.architecture,
      atLeast: floor,
    }))
}

/** Those among the wanted that move by themselves on the trunk, by the rule of `moves-on-trunk`. */
export function trunkMovers(wanted: readonly MoverWanted[], moves: readonly (TrunkMoves | null)[]): TrunkMover[] {
  return wanted.flatMap((query, i) => {
    const known = moves[i] ?? null
    return known !== null && movesByItself(known) ? [{ ...query, moves: known, flaggedElsewhere: [] }] : []
  })
}

/**
 * The movers without the runs of their own steps: a query that stepped once and moved twice beside does not move by itself. One
 * whose history was not read stays.
 */
export function moversBesideSteps(
  movers: readonly TrunkMover[],
  historyOf: (
    mover: TrunkMover,
  ) => { readonly points: readonly TrunkPoint[]; readonly steps: readonly TrunkStep[] } | null,
  until: number,
): TrunkMover[] {
  return movers.flatMap((mover) => {
    const history = historyOf(mover)
    if (history === null || history.steps.length === 0) return mover
    const { points, steps } = history
    const moves = movesBesideSteps(points, steps, { atLeast: mover.atLeast, until, mergeBase: null, order: null })
    return moves !== null && movesByItself(moves) ? { ...mover, moves } : []
  })
}
