import type { HistorySource } from '../../history/trunk-series.ts'
import { NO_INDEX } from '../../measurement/query-hash.ts'

/** What `own-series.sql` says in `ranks`: what was imported for any repository, or for this one. */
const OWN = 0
const IMPORTED = 1

/** By its rank: the third was imported for any repository. */
const SOURCE_OF_RANK: readonly HistorySource[] = ['own', 'imported', 'imported', 'ci-database']
const SOURCES: readonly HistorySource[] = ['own', 'imported', 'ci-database']

/** The rows of all queries of one text on one architecture, in the order of time; each list has one element for each row. */
export interface RowsOfBothSources {
  readonly test: string
  readonly queryName: string
  readonly architecture: string
  readonly runs: readonly number[]
  readonly ranks: readonly number[]
  /** One more than the index; 0: unknown. */
  readonly indexes: readonly number[]
  readonly old: readonly number[]
  readonly new: readonly number[]
  readonly thresholds: readonly number[]
}

export interface HistoryOfRuns {
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
 * The histories of the queries, as `each-run-once.sql` and `keyed.sql` make them of the same rows: an imported row of a commit
 * that there are own rows of is left out, and one for any repository whose run was imported for this one as well; of
 * equal texts in a run the lower index is the first.
 */
export function eachRunOnce(rows: RowsOfBothSources, runOf: RunOf): HistoryOfRuns[] {
  const positions = onceEach(rows, runOf)
  const ordinals = ordinalsOf(rows, positions, runOf)
  const histories = Array.from({ length: Math.max(0, ...new Set(ordinals)) + 1 }, (_, ordinal) =>
    ordinals === null ? positions : positions.filter((__, i) => ordinals[i] === ordinal),
  )
  return histories.map((history, ordinal) => {
    const counts = SOURCES.map((one) => history.filter((i) => SOURCE_OF_RANK[rows.ranks[i]!] === one).length)
    const source = SOURCES[counts.indexOf(Math.max(...counts))]!
    const of = (values: readonly number[]) => history.map((position) => values[position]!)
    return {
      source,
      sources: SOURCES.filter((_, i) => counts[i]! > 0),
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

/** Where the rows are that count, in ascending order. */
function onceEach({ runs, ranks }: RowsOfBothSources, runOf: RunOf): number[] {
  const all = [...runs.keys()]
  if (ranks.every((rank) => rank === OWN)) return all
  const commits = new Set(all.flatMap((i) => (ranks[i] === OWN ? [runOf(runs[i]!).commit] : [])))
  const imported = new Set(all.flatMap((i) => (ranks[i] === IMPORTED ? [keyOf(runOf(runs[i]!))] : [])))
  return all.filter((i) => {
    if (ranks[i] === OWN) return true
    const run = runOf(runs[i]!)
    return !commits.has(run.commit) && (ranks[i] === IMPORTED || !imported.has(keyOf(run)))
  })
}

/** Of each position; null: all are the first of their text. */
function ordinalsOf({ runs, indexes }: RowsOfBothSources, positions: readonly number[], runOf: RunOf): number[] | null {
  if (indexes.every((index) => index === indexes[0])) return null
  const ordinals = positions.map(() => 0)
  const seen = new Map<string, number>()
  const byIndex = [...positions.entries()].toSorted(([, a], [, b]) => indexes[a]! - indexes[b]!)
  for (const [i, position] of byIndex) {
    const key = keyOf(runOf(runs[position]!))
    ordinals[i] = seen.get(key) ?? 0
    seen.set(key, ordinals[i] + 1)
  }
  return ordinals
}

function keyOf({ time, commit }: ReturnType<RunOf>): string {
  return `${time} ${commit}`
}
