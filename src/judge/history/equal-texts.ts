import { HISTORY_SOURCES } from '../../intake/imports/history/trunk-row.ts'
import { NO_INDEX } from '../../intake/measurement/query-hash.ts'
import { alsoFrom, mostOf } from './named-sources.ts'
import type { QueryOnArchitecture, TrunkPoint, TrunkSeries } from './trunk-series.ts'

/** Cuts the rows of one text into the histories of its queries. In SQL this takes longer to plan for the few rows of one query than everything else does. */

/** The rows of all queries of one text on one architecture, in any order; each list has one element for each row. */
export interface RowsOfText {
  readonly test: string
  /** Empty: unknown, as the architecture. */
  readonly queryName: string
  readonly architecture: string
  readonly runs: readonly number[]
  /** Places in `HISTORY_SOURCES`. */
  readonly sources: readonly number[]
  /** One more than the index; 0: unknown. */
  readonly indexes: readonly number[]
  readonly old: readonly number[]
  readonly new: readonly number[]
  /** Below 0 or not finite: none is known. */
  readonly thresholds: readonly number[]
}

/** What rows of one run have in common. */
export type TrunkRun = Pick<TrunkPoint, 'time' | 'commit' | 'referenceCommit'> & {
  /** Empty: nobody has said it. */
  readonly instanceType: string
}

type RunOf = (run: number) => TrunkRun
type PlacedRows = Pick<RowsOfText, 'runs' | 'sources' | 'indexes'>

/** The histories of the queries of one text. */
export function seriesOfText(rows: RowsOfText, metric: string, runOf: RunOf): TrunkSeries[] {
  return queriesOfText(rows, runOf).map((positions, ordinal) => {
    const counts = countsOf(rows, positions)
    const source = mostOf(counts)
    return {
      ...queryOfRows(rows, positions, ordinal),
      metric,
      source,
      ...alsoFrom(source, counts),
      points: positions.map((position) => pointOf(rows, position, runOf)),
    }
  })
}

/**
 * The positions of the rows of each query, by its ordinal, in the order of time: of equal texts in a run the lower index is the first.
 * What is of one second is in the order of the commits.
 */
export function queriesOfText(rows: PlacedRows, runOf: RunOf): number[][] {
  const positions = inOrder(rows, runOf)
  const ordinals = ordinalsOf(rows, runOf)
  if (ordinals === null) return [positions]
  return Array.from({ length: Math.max(...new Set(ordinals)) + 1 }, (_, ordinal) =>
    positions.filter((position) => ordinals[position] === ordinal),
  )
}

/** How many rows are of each source. */
export function countsOf({ sources }: PlacedRows, positions: readonly number[]): number[] {
  return HISTORY_SOURCES.map((_, place) => positions.filter((position) => sources[position] === place).length)
}

/** A query as rows of the history name it. */
export interface QueryColumns {
  readonly test: string
  /** Empty: unknown, as the architecture. */
  readonly queryName: string
  /** `NO_INDEX`: unknown. */
  readonly queryIndex: number
  readonly ordinal: number
  readonly architecture: string
}

export function queryOfColumns({
  test,
  queryName,
  queryIndex,
  ordinal,
  architecture,
}: QueryColumns): QueryOnArchitecture {
  return {
    test,
    queryIndex: queryIndex === NO_INDEX ? null : queryIndex,
    queryName: queryName === '' ? null : queryName,
    ...(ordinal > 0 && { ordinal }),
    architecture: architecture === '' ? null : architecture,
  }
}

/** The query of some rows of a text: the newest index stands. */
export function queryOfRows(
  { test, queryName, architecture, indexes }: Pick<RowsOfText, 'test' | 'queryName' | 'architecture' | 'indexes'>,
  positions: readonly number[],
  ordinal: number,
): QueryOnArchitecture {
  const queryIndex = (indexes[positions.at(-1)!]! + NO_INDEX) % (NO_INDEX + 1)
  return queryOfColumns({ test, queryName, architecture, ordinal, queryIndex })
}

function inOrder({ runs, sources, indexes }: PlacedRows, runOf: RunOf): number[] {
  return [...runs.keys()].toSorted((a, b) => {
    const [one, other] = [runOf(runs[a]!), runOf(runs[b]!)]
    if (one.time !== other.time) return one.time - other.time
    return (
      compare(one.commit, other.commit) ||
      compare(one.referenceCommit, other.referenceCommit) ||
      compare(one.instanceType, other.instanceType) ||
      sources[a]! - sources[b]! ||
      indexes[a]! - indexes[b]!
    )
  })
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

/** The ordinal of each row; null: all are the first of their text. */
function ordinalsOf({ runs, indexes }: PlacedRows, runOf: RunOf): number[] | null {
  if (indexes.every((index) => index === indexes[0])) return null
  const ordinals = runs.map(() => 0)
  const seen = new Map<string, number>()
  const byIndex = [...runs.keys()].toSorted((a, b) => indexes[a]! - indexes[b]!)
  for (const position of byIndex) {
    const { time, commit } = runOf(runs[position]!)
    const key = `${time} ${commit}`
    ordinals[position] = seen.get(key) ?? 0
    seen.set(key, ordinals[position] + 1)
  }
  return ordinals
}

/** What is not finite is lost in JSON on its way from the database. */
function orBelowZero(value: number): number {
  return Number.isFinite(value) ? value : -1
}

function pointOf(rows: RowsOfText, position: number, runOf: RunOf): TrunkPoint {
  const { time, commit, referenceCommit, instanceType } = runOf(rows.runs[position]!)
  const [before, after] = [rows.old[position]!, rows.new[position]!].map(orBelowZero) as [number, number]
  const threshold = rows.thresholds[position]!
  return {
    time,
    commit,
    referenceCommit,
    old: before,
    new: after,
    difference: before === after ? 0 : (after - before) / before,
    threshold: Number.isFinite(threshold) && threshold >= 0 ? threshold : null,
    ...(instanceType !== '' && { instanceType }),
  }
}
