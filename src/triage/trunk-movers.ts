import type { TrunkMover } from '../history/history-facts.ts'
import type { TrunkMoves } from '../history/trunk-series.ts'
import { type QueryId, queryKey } from '../measurement/run.ts'
import type { TriageReport } from '../report/report.ts'
import { movesByItself } from '../verdict/evidence/trunk-moves.ts'
import type { LearnedLookup } from '../verdict/thresholds.ts'

/** Queries of one report that the history is asked of: those that have learned the largest thresholds. */
export const MOST_MOVERS = 200

/**
 * How much above the floor a learned threshold is of a query that moves by the floor in one trunk run of a hundred: it is
 * 1.5 times the 0.99 quantile.
 *
 * Asked at a floor of 5 %: a learned threshold of 12 %. Not: of 6 %, which a query with moves of 4 % has.
 */
export const WELL_ABOVE = 1.5

export interface MoverWanted extends QueryId {
  readonly architecture: string | null
  /** Differences of at least this size are counted; a fraction. */
  readonly atLeast: number
}

/**
 * The queries of a report that may move by themselves by the floor, whatever they did in it: what history has taught of
 * them is well above it. Such a row is seldom flagged, for the same history has raised its threshold. The largest learned
 * thresholds first, `MOST_MOVERS` of them. `floor` is a fraction.
 */
export function moversWanted(report: TriageReport, learned: LearnedLookup, floor: number): readonly MoverWanted[] {
  return report.rows
    .flatMap(({ results }) => results)
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
