import type { HistorySource } from '../../intake/imports/history/trunk-row.ts'
import { NO_INDEX } from '../../intake/measurement/query-hash.ts'

/** The sources by their place in `series.sql`. */
const SOURCES: readonly HistorySource[] = ['own', 'imported', 'ci-database']

/** The rows of all queries of one text on one architecture, in the order of time; each list has one element for each row. */
export interface RowsOfText {
  readonly test: string
  readonly queryName: string
  readonly architecture: string
  readonly runs: readonly number[]
  /** Places in `SOURCES`. */
  readonly sources: readonly number[]
  /** One more than the index; 0: unknown. */
  readonly indexes: readonly number[]
  readonly old: readonly number[]
  readonly new: readonly number[]
  readonly thresholds: readonly number[]
}

export interface HistoryOfQuery {
  readonly source: HistorySource
  readonly sources: HistorySource[]
  readonly test: string
  readonly queryName: string
  readonly queryIndex: number
  readonly ordinal: number
  readonly architecture: string
  readonly runs: number[]
  readonly old: number[]
  readonly new: number[]
  readonly thresholds: number[]
}

type RunOf = (run: number) => { readonly time: number; readonly commit: string }

/**
 * The histories of the queries of one text: of equal texts in a run the lower index is the first. In SQL this takes longer to plan
 * for the few rows of one query than everything else does.
 */
export function historiesOfTexts(rows: RowsOfText, runOf: RunOf): HistoryOfQuery[] {
  const positions = [...rows.runs.keys()]
  const ordinals = ordinalsOf(rows, runOf)
  const histories = Array.from({ length: Math.max(0, ...new Set(ordinals)) + 1 }, (_, ordinal) =>
    ordinals === null ? positions : positions.filter((position) => ordinals[position] === ordinal),
  )
  return histories.map((history, ordinal) => {
    const counts = SOURCES.map((_, place) => history.filter((position) => rows.sources[position] === place).length)
    const source = SOURCES[counts.indexOf(Math.max(...counts))]!
    const of = (values: readonly number[]) => history.map((position) => values[position]!)
    return {
      source,
      sources: SOURCES.filter((_, place) => counts[place]! > 0),
      test: rows.test,
      queryName: rows.queryName,
      queryIndex: (rows.indexes[history.at(-1)!]! + NO_INDEX) % (NO_INDEX + 1),
      ordinal,
      architecture: rows.architecture,
      runs: of(rows.runs),
      old: of(rows.old),
      new: of(rows.new),
      thresholds: of(rows.thresholds),
    }
  })
}

/** The ordinal of each row; null: all are the first of their text. */
function ordinalsOf({ runs, indexes }: RowsOfText, runOf: RunOf): number[] | null {
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
