import { HISTORY_SOURCES, precedenceOf, type TrunkRow } from '../../intake/imports/history/trunk-row.ts'
import { median } from '../../intake/measurement/median.ts'
import { NO_INDEX } from '../../intake/measurement/query-hash.ts'
import { DAY, timestamp } from '../../text/time.ts'
import { countsOf, queriesOfText, queryOfRows, type RowsOfText, seriesOfText, type TrunkRun } from './equal-texts.ts'
import {
  LEARNED_QUANTILE,
  LEAST_RUNS,
  type Learned,
  learnedOf,
  learningRange,
  type QueryLearnedFrom,
} from './learned-thresholds.ts'
import type { HistoryOf, MedianOfCommit, MovesWanted, TrunkHistory } from './trunk-history.ts'
import {
  firstOfCommits,
  type QueryOnArchitecture,
  type TimeRange,
  type TrunkMoves,
  type TrunkSeries,
} from './trunk-series.ts'

/**
 * The trunk's history of one repository out of rows in memory: what the App reads from its database (`stored-trunk-history.ts`), of
 * the same rows the same to the last digit. A test with the real database holds both equal.
 */

/**
 * The history that these rows are. A row that another one replaces (the same source, query, index, architecture, time and commit) is
 * the last of them; of a run that several sources have the first one counts. Texts are well-formed. Takes some 100 bytes a row.
 */
export function trunkHistoryOfRows(rows: Iterable<TrunkRow>): HistoryOfRows {
  return new RowsInMemory(rows)
}

type OfMetric = Pick<HistoryOf, 'metric' | 'copiedFrom'>

/** Rows in memory are of one repository, which needs no name. */
export interface HistoryOfRows extends TrunkHistory {
  series(of: OfMetric, wanted: readonly QueryOnArchitecture[], range: TimeRange): Promise<TrunkSeries[]>
}

/** A text with what the rules here need besides. */
interface HeldText extends RowsOfText {
  readonly runs: number[]
  readonly sources: number[]
  readonly indexes: number[]
  readonly old: number[]
  readonly new: number[]
  readonly thresholds: number[]
  readonly differences: number[]
  readonly precedences: number[]
  /** Places in the list of tables. */
  readonly tables: number[]
}

class RowsInMemory implements HistoryOfRows {
  readonly #runs: TrunkRun[] = []
  readonly #tables: string[] = []
  /** By metric, then by text. */
  readonly #texts = new Map<string, Map<string, HeldText>>()

  constructor(rows: Iterable<TrunkRow>) {
    const runs = new Map<string, number>()
    for (const row of rows) this.#add(row, this.#numberOfRun(runs, row))
    for (const texts of this.#texts.values()) {
      for (const [key, text] of texts) texts.set(key, picked(text, this.#standing(text)))
    }
  }

  async learnedThresholds(of: HistoryOf): Promise<Learned> {
    const range = learningRange(of.now)
    const texts = this.#within(of, range)
    const commits = ({ runs }: HeldText) => new Set(runs.map((run) => this.#runs[run]!.commit)).size
    return learnedOf(
      texts.flatMap((text) => this.#learnedFrom(text)),
      this.#newest(of),
      Math.max(0, ...texts.map(commits)),
    )
  }

  async moves(of: HistoryOf, lookbackDays: number, wanted: readonly MovesWanted[]): Promise<(TrunkMoves | null)[]> {
    const range = { from: of.now - lookbackDays * DAY, to: of.now }
    return wanted.map((query) => {
      const text = this.#textOf(of.metric, query)
      if (text === undefined) return null
      const within = this.#rowsWithin(of, range, text)
      const positions = queriesOfText(within, this.#runOf)[query.ordinal ?? 0] ?? []
      return this.#movesOf(within, this.#counted(within, positions), query.atLeast)
    })
  }

  async mediansOfCommits(of: Omit<HistoryOf, 'now'>, old: string, fresh: string): Promise<MedianOfCommit[]> {
    const isNamed = (run: number) => [old, fresh].some((beginning) => this.#runs[run]!.commit.startsWith(beginning))
    const found = [...(this.#texts.get(of.metric)?.values() ?? [])].flatMap((text) => {
      const rows = picked(
        text,
        positionsOf(text, (at) => isNamed(text.runs[at]!) && this.#mayUse(of, text, at)),
      )
      return queriesOfText(rows, this.#runOf).flatMap((positions, ordinal) => {
        const measured = positions.filter((at) => Number.isFinite(rows.new[at]))
        const newest = new Map(measured.map((at) => [this.#runs[rows.runs[at]!]!.commit, at]))
        return [...newest].map(([commit, at]) => ({
          time: this.#runs[rows.runs[at]!]!.time,
          median: { ...queryOfRows(rows, [at], ordinal), commit, median: rows.new[at]! },
        }))
      })
    })
    return found.toSorted((a, b) => b.time - a.time).map(({ median: one }) => one)
  }

  async series(of: OfMetric, wanted: readonly QueryOnArchitecture[], range: TimeRange): Promise<TrunkSeries[]> {
    return wanted.flatMap((query) => {
      const text = this.#textOf(of.metric, query)
      const all = text === undefined ? [] : this.#seriesOf(of, range, text)
      const one = all.find(({ ordinal = 0 }) => ordinal === (query.ordinal ?? 0))
      return one === undefined ? [] : [{ ...one, queryIndex: query.queryIndex }]
    })
  }

  async *allSeries(of: HistoryOf, range: TimeRange): AsyncGenerator<readonly TrunkSeries[]> {
    const byTest = Map.groupBy(this.#texts.get(of.metric)?.values() ?? [], ({ test }) => test)
    for (const [, texts] of [...byTest].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      yield texts.flatMap((text) => this.#seriesOf(of, range, text))
    }
  }

  #add(row: TrunkRow, run: number): void {
    const texts = this.#texts.get(row.metric) ?? new Map<string, HeldText>()
    this.#texts.set(row.metric, texts)
    const key = keyOfText(row)
    const text = texts.get(key) ?? emptyText(row)
    texts.set(key, text)
    text.runs.push(run)
    text.sources.push(HISTORY_SOURCES.indexOf(row.source))
    text.indexes.push(((row.queryIndex ?? NO_INDEX) + 1) % (NO_INDEX + 1))
    text.old.push(row.old + 0)
    text.new.push(row.new + 0)
    text.thresholds.push(row.threshold ?? Number.NaN)
    text.differences.push(row.difference + 0)
    text.precedences.push(precedenceOf(row))
    text.tables.push(placeIn(this.#tables, row.copiedFrom?.table ?? ''))
  }

  #numberOfRun(known: Map<string, number>, row: TrunkRow): number {
    const time = timestamp(row.time / 1000) * 1000
    const { newCommit: commit, oldCommit: referenceCommit, instanceType } = row
    const last = this.#runs.at(-1)
    const isLast =
      last?.time === time &&
      last.commit === commit &&
      last.referenceCommit === referenceCommit &&
      last.instanceType === instanceType
    if (isLast) return this.#runs.length - 1
    const key = JSON.stringify([time, commit, referenceCommit, instanceType])
    const number = known.get(key) ?? this.#runs.push({ time, commit, referenceCommit, instanceType }) - 1
    known.set(key, number)
    return number
  }

  /** The rows that no other one replaces or stands before. */
  #standing(text: HeldText): number[] {
    const { runs, sources, indexes, precedences } = text
    const commits = new Set(runs.map((run) => this.#runs[run]!.commit))
    // mostly each commit was measured once
    if (commits.size === runs.length) return [...runs.keys()]
    const last = new Map<string, number>()
    const first = new Map<string, number>()
    for (const [at, run] of runs.entries()) {
      const { time, commit } = this.#runs[run]!
      last.set(`${time} ${sources[at]!} ${indexes[at]!} ${commit}`, at)
    }
    for (const at of last.values()) {
      const { commit } = this.#runs[runs[at]!]!
      first.set(commit, Math.min(first.get(commit) ?? Infinity, precedences[at]!))
    }
    return [...last.values()].filter((at) => precedences[at] === first.get(this.#runs[runs[at]!]!.commit))
  }

  #textOf(metric: string, query: QueryOnArchitecture): HeldText | undefined {
    return this.#texts.get(metric)?.get(keyOfText({ ...query, architecture: query.architecture ?? '' }))
  }

  #mayUse({ copiedFrom = [] }: Pick<OfMetric, 'copiedFrom'>, { tables }: HeldText, at: number): boolean {
    const table = this.#tables[tables[at]!]!
    return table === '' || copiedFrom.includes(table)
  }

  #rowsWithin(of: OfMetric, range: TimeRange, text: HeldText): HeldText {
    const isWithin = within(range)
    return picked(
      text,
      positionsOf(text, (at) => isWithin(this.#runs[text.runs[at]!]!.time) && this.#mayUse(of, text, at)),
    )
  }

  #within(of: OfMetric, range: TimeRange): readonly HeldText[] {
    return [...(this.#texts.get(of.metric)?.values() ?? [])].map((text) => this.#rowsWithin(of, range, text))
  }

  #newest(of: HistoryOf): number | null {
    const isWithin = within({ from: 0, to: of.now })
    let newest: number | null = null
    for (const text of this.#texts.get(of.metric)?.values() ?? []) {
      for (const [at, run] of text.runs.entries()) {
        const { time } = this.#runs[run]!
        if (time > (newest ?? 0) && isWithin(time) && this.#mayUse(of, text, at)) newest = time
      }
    }
    return newest
  }

  #learnedFrom(rows: HeldText): QueryLearnedFrom[] {
    return queriesOfText(rows, this.#runOf).flatMap((all, ordinal) => {
      const positions = this.#counted(rows, all)
      if (positions.length <= LEAST_RUNS) return []
      const size = (at: number) => Math.abs(rows.differences[at]!)
      const threshold = quantile(
        positions.filter((at) => size(at) < rows.thresholds[at]!).map((at) => rows.thresholds[at]!),
      )
      return {
        query: queryOfRows(rows, positions, ordinal),
        counts: countsOf(rows, positions),
        difference: quantile(positions.map(size)),
        threshold: Number.isFinite(threshold) ? threshold : 0,
      }
    })
  }

  /** Of each commit the first of its rows that were compared. `positions` are in the order of time. */
  #counted({ runs, differences }: HeldText, positions: readonly number[]): number[] {
    const compared = positions.filter((at) => Number.isFinite(differences[at]))
    return firstOfCommits(compared, (at) => this.#runs[runs[at]!]!.commit)
  }

  #movesOf({ runs, differences }: HeldText, positions: readonly number[], atLeast: number): TrunkMoves | null {
    if (positions.length === 0) return null
    const all = Float64Array.from(positions, (at) => differences[at]!).sort()
    const sizes = all.map(Math.abs).sort()
    const far = positions.filter((at) => Math.abs(differences[at]!) >= atLeast)
    return {
      runs: all.length,
      times: far.length,
      lowest: all[0]!,
      highest: all.at(-1)!,
      median: median([...sizes]),
      third: sizes.at(-3) ?? 0,
      lastTime: far.length === 0 ? null : this.#runs[runs[far.at(-1)!]!]!.time,
    }
  }

  #seriesOf(of: OfMetric, range: TimeRange, text: HeldText): TrunkSeries[] {
    const rows = this.#rowsWithin(of, range, text)
    return rows.runs.length === 0 ? [] : seriesOfText(rows, of.metric, this.#runOf)
  }

  readonly #runOf = (run: number): TrunkRun => this.#runs[run]!
}

/** Whole seconds count, as in the database. */
function within(range: TimeRange): (time: number) => boolean {
  const [from, to] = [timestamp(range.from / 1000) * 1000, timestamp(range.to / 1000) * 1000]
  return (time) => time > from && time <= to
}

/** As ClickHouse's `quantileExact` takes it: always one of the values; NaN of none. */
function quantile(values: readonly number[]): number {
  return Float64Array.from(values).sort()[Math.floor(LEARNED_QUANTILE * values.length)] ?? Number.NaN
}

type TextOfRow = Pick<TrunkRow, 'test' | 'queryName' | 'queryIndex' | 'architecture'>

/** A query is known by its text, by its index where there is none. */
function keyOfText({ test, queryName, queryIndex, architecture }: TextOfRow): string {
  const index = queryName === null || queryName === '' ? (queryIndex ?? NO_INDEX) : ''
  return `${index} ${test.length} ${architecture.length} ${test}${architecture}${queryName ?? ''}`
}

function emptyText({ test, queryName, architecture }: TextOfRow): HeldText {
  return {
    test,
    queryName: queryName ?? '',
    architecture,
    runs: [],
    sources: [],
    indexes: [],
    old: [],
    new: [],
    thresholds: [],
    differences: [],
    precedences: [],
    tables: [],
  }
}

function positionsOf({ runs }: HeldText, isWanted: (position: number) => boolean): number[] {
  return [...runs.keys()].filter(isWanted)
}

/** Each position once. */
function picked(text: HeldText, positions: readonly number[]): HeldText {
  if (positions.length === text.runs.length) return text
  const of = (values: readonly number[]) => positions.map((at) => values[at]!)
  return {
    ...text,
    runs: of(text.runs),
    sources: of(text.sources),
    indexes: of(text.indexes),
    old: of(text.old),
    new: of(text.new),
    thresholds: of(text.thresholds),
    differences: of(text.differences),
    precedences: of(text.precedences),
    tables: of(text.tables),
  }
}

function placeIn(list: string[], value: string): number {
  const place = list.indexOf(value)
  return place === -1 ? list.push(value) - 1 : place
}
