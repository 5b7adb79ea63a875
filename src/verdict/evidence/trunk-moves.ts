import type { TrunkMover } from '../../history/history-facts.ts'
import type { TrunkMoves } from '../../history/trunk-series.ts'
import { type QueryId, queryKey } from '../../measurement/run.ts'
import { wilsonInterval } from '../../statistics/wilson.ts'
import type { ClassifiedQuery } from '../classified-query.ts'
import type { LearnedLookup } from '../thresholds.ts'
import type { MovesOnTrunk, StillOnTrunk } from './evidence.ts'

/**
 * The share of trunk runs in which a query moves at least as far as here, above which that is what the query does by
 * itself: the 1 % that the threshold T lets pass by chance. The lower end of Wilson's 95 % interval must be above it, so
 * that two unlucky runs of twenty are not enough.
 *
 * Triggers: 14 of 214 runs (3.9 % and more). Does not: 3 of 400 (0.3 % and more).
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
 * Runs without any move as far that make one here remarkable: a query that does it in 3 % of its runs would leave none
 * in a hundred with a chance of 5 %. As many rows as a threshold is learned from.
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

/** Queries of one head that the history is asked of: those that have learned the largest thresholds. */
export const MOST_MOVERS = 200

/**
 * How much above the floor a learned threshold is of a query that moves by the floor in one trunk run of a hundred: it is
 * 1.5 times the 0.99 quantile.
 *
 * Asked at a floor of 5 %: a learned threshold of 12 %. Not: of 6 %, which a query with moves of 4 % has.
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
