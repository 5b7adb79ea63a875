import { z } from 'zod'
import { queryHash } from '../../intake/measurement/query-hash.ts'
import { type QueryId, queryKey } from '../../intake/measurement/run.ts'
import { queryOfColumns, seriesOfText, type TrunkRun } from '../../judge/history/equal-texts.ts'
import {
  LEARNED_QUANTILE,
  LEARNING_DAYS,
  LEAST_RUNS,
  type Learned,
  learnedOf,
  learningRange,
} from '../../judge/history/learned-thresholds.ts'
import {
  type HistoryOf,
  HistoryUnavailable,
  type MedianOfCommit,
  type MovesWanted,
  type TrunkHistory,
} from '../../judge/history/trunk-history.ts'
import {
  keyOnArchitecture,
  type QueryOnArchitecture,
  type TimeRange,
  type TrunkMoves,
  type TrunkSeries,
} from '../../judge/history/trunk-series.ts'
import { DAY, timestamp } from '../../text/time.ts'
import type { ClickHouse, QueryParameters } from '../client.ts'
import { count } from '../column-values.ts'
import { readSql } from '../sql-file.ts'
import { StoreUnavailable } from '../store-unavailable.ts'

/** Reads the trunk’s history as rules need it: series, learned thresholds, moves and medians. */

const STATEMENTS = {
  learned: readSql(new URL('./trunk/learned.sql', import.meta.url)),
  'most-runs': readSql(new URL('./trunk/most-runs.sql', import.meta.url)),
  newest: readSql(new URL('./trunk/newest.sql', import.meta.url)),
  'medians-of-commits': readSql(new URL('./trunk/medians-of-commits.sql', import.meta.url)),
  moves: readSql(new URL('./trunk/moves.sql', import.meta.url)),
  'points-of-tests': readSql(new URL('./trunk/points-of-tests.sql', import.meta.url)),
  series: readSql(new URL('./trunk/series.sql', import.meta.url)),
  runs: readSql(new URL('./trunk/runs.sql', import.meta.url)),
}

/** Characters: our engine takes addresses of a megabyte, a server by default as well. */
const PARAMETER_LENGTH = 100_000

/** The same row is always in the part of the same month, so that FINAL looks at each month by itself. */
const SETTINGS = { do_not_merge_across_partitions_select_final: 1 } as const

/** Medians of two commits: of more queries nobody looks at a page. */
const MOST_MEDIANS = 200_000

/** Points that are read at a time where all histories are: some 15 MB as text. */
const POINTS_AT_A_TIME = 200_000

const storedQuery = {
  test: z.string(),
  queryName: z.string(),
  queryIndex: count,
  ordinal: count,
  architecture: z.string(),
}
const learnedRow = z.object({
  ...storedQuery,
  counts: z.array(count),
  difference: z.number(),
  threshold: z.number(),
})
const medianRow = z.object({ commit: z.string(), ...storedQuery, median: z.number() })
const mostRunsRow = z.object({ runs: count, rows: count })
const newestRow = z.object({ newest: count, runs: count })
const movesRow = z.object({
  wanted: z.number(),
  runs: count,
  times: count,
  lastTime: count,
  lowest: z.number(),
  highest: z.number(),
  median: z.number(),
  third: z.number(),
})
const numbers = z.array(z.number())
const seriesRow = z.object({
  test: z.string(),
  queryName: z.string(),
  architecture: z.string(),
  runs: numbers,
  sources: numbers,
  indexes: numbers,
  old: numbers,
  new: numbers,
  thresholds: numbers,
})
const texts = z.array(z.string())
const runsRow = z.object({
  runs: numbers,
  times: numbers,
  commits: texts,
  referenceCommits: texts,
  instanceTypes: texts,
})
const testRow = z.object({ test: z.string(), points: count })

/**
 * The trunk's history in one table, whatever it came from: who is believed of a run was settled when its rows were written. The
 * connection stays the caller's.
 * @param ready awaited before each statement; brings the tables about
 */
export function storedTrunkHistory(
  clickhouse: Pick<ClickHouse, 'read'>,
  ready: () => Promise<void> = async () => {},
): TrunkHistory {
  return new StoredTrunkHistory(clickhouse, ready)
}

class StoredTrunkHistory implements TrunkHistory {
  readonly #clickhouse: Pick<ClickHouse, 'read'>
  readonly #ready: () => Promise<void>

  constructor(clickhouse: Pick<ClickHouse, 'read'>, ready: () => Promise<void>) {
    this.#clickhouse = clickhouse
    this.#ready = ready
  }

  async learnedThresholds(of: HistoryOf): Promise<Learned> {
    const range = parametersOf(of, learningRange(of.now))
    const newest = await this.#newest(of)
    // Most repositories are young: the cheaper question says that there is nothing to learn from.
    const [most] = newest === null ? [] : await this.#read('most-runs', range, mostRunsRow)
    const isLongEnough = most !== undefined && most.rows > LEAST_RUNS
    const rows = isLongEnough
      ? await this.#read('learned', { ...range, moreThan: LEAST_RUNS, quantile: LEARNED_QUANTILE }, learnedRow)
      : []
    const queries = rows.map((row) => ({ ...row, query: queryOfColumns(row) }))
    return learnedOf(queries, newest, most?.runs ?? 0)
  }

  /** Most histories have a run within the time of the first question, which is the cheaper one. */
  async #newest(of: HistoryOf): Promise<number | null> {
    for (const days of [LEARNING_DAYS, null]) {
      const from = days === null ? 0 : of.now - days * DAY
      const [row] = await this.#read('newest', parametersOf(of, { from, to: of.now }), newestRow)
      if (row !== undefined && row.runs > 0) return row.newest * 1000
    }
    return null
  }

  async moves(of: HistoryOf, lookbackDays: number, wanted: readonly MovesWanted[]): Promise<(TrunkMoves | null)[]> {
    const range = parametersOf(of, { from: of.now - lookbackDays * DAY, to: of.now })
    const found = new Map<MovesWanted, z.infer<typeof movesRow>>()
    for (const group of inRequests(wanted)) {
      const parameters = {
        ...range,
        ...wantedParameters(group),
        numbers: group.map((_, number) => number),
        ordinals: group.map(({ ordinal }) => ordinal ?? 0),
        architectures: group.map(({ architecture }) => architecture ?? ''),
        sizes: group.map(({ atLeast }) => atLeast),
      }
      for (const row of await this.#read('moves', parameters, movesRow)) found.set(group[row.wanted]!, row)
    }
    return wanted.map((query) => {
      const row = found.get(query)
      if (row === undefined) return null
      const { runs, times, lowest, highest, median, third, lastTime } = row
      return { runs, times, lowest, highest, median, third, lastTime: times === 0 ? null : lastTime * 1000 }
    })
  }

  async mediansOfCommits(of: Omit<HistoryOf, 'now'>, old: string, fresh: string): Promise<MedianOfCommit[]> {
    const { repositoryId, metric, copiedFrom = [] } = of
    const parameters = { repositoryId, metric, copiedFrom: ['', ...copiedFrom], old, new: fresh, limit: MOST_MEDIANS }
    const rows = await this.#read('medians-of-commits', parameters, medianRow)
    return rows.map(({ commit, median, ...query }) => ({ ...queryOfColumns(query), commit, median }))
  }

  async series(of: HistoryOf, wanted: readonly QueryOnArchitecture[], range: TimeRange): Promise<TrunkSeries[]> {
    const parameters = parametersOf(of, range)
    const found = new Map<string, TrunkSeries>()
    for (const group of inRequests(wanted)) {
      const architectures = [...new Set(group.map(({ architecture }) => architecture ?? ''))]
      const some = { ...parameters, ...wantedParameters(group), architectures }
      for (const one of await this.#seriesOf(of.metric, some)) found.set(keyOf(one), one)
    }
    return wanted.flatMap((query) => {
      const one = found.get(keyOf(query))
      return one === undefined ? [] : [{ ...one, queryIndex: query.queryIndex }]
    })
  }

  async *allSeries(of: HistoryOf, range: TimeRange): AsyncGenerator<readonly TrunkSeries[]> {
    const parameters = parametersOf(of, range)
    const tests = await this.#read('points-of-tests', parameters, testRow)
    const groups = groupsOf(tests, [
      { most: POINTS_AT_A_TIME, of: ({ points }) => points },
      { most: PARAMETER_LENGTH, of: ({ test }) => lengthOf(test) },
    ])
    const read = async (group: readonly z.infer<typeof testRow>[]) => {
      const names = group.map(({ test }) => test)
      return await this.#seriesOf(of.metric, { ...parameters, tests: names, hashes: [], architectures: [] })
    }

    let next = groups[0] === undefined ? null : read(groups[0])
    for (let i = 1; next !== null; i += 1) {
      const series = await next
      const group = groups[i]
      next = group === undefined ? null : read(group)
      // The caller may stop before it comes.
      next?.catch(() => {})
      yield series
    }
  }

  async #seriesOf(metric: string, parameters: QueryParameters): Promise<TrunkSeries[]> {
    const [rows, read] = await Promise.all([this.#read('series', parameters, seriesRow), this.#runsOf(parameters)])
    // A run may have been stored after the runs were read.
    const complete = rows.every((row) => row.runs.every((run) => read.has(run)))
    const runs = complete ? read : await this.#runsOf(parameters)
    return rows.flatMap((row) => seriesOfText(row, metric, (run) => runOf(runs, run)))
  }

  async #runsOf(parameters: QueryParameters): Promise<ReadonlyMap<number, TrunkRun>> {
    const [row] = await this.#read('runs', parameters, runsRow)
    const found = new Map<number, TrunkRun>()
    for (const [i, run] of row?.runs.entries() ?? []) {
      found.set(run, {
        time: row!.times[i]! * 1000,
        commit: row!.commits[i]!,
        referenceCommit: row!.referenceCommits[i]!,
        instanceType: row!.instanceTypes[i]!,
      })
    }
    return found
  }

  async #read<T>(name: keyof typeof STATEMENTS, parameters: QueryParameters, row: z.ZodType<T>): Promise<T[]> {
    try {
      await this.#ready()
      return await this.#clickhouse.read(name, STATEMENTS[name], parameters, row, SETTINGS)
    } catch (error) {
      if (error instanceof StoreUnavailable) throw new HistoryUnavailable('unreachable', error.message)
      throw error
    }
  }
}

/** The queries in groups, each as many as one request takes. */
function inRequests<T extends QueryOnArchitecture>(wanted: readonly T[]): readonly (readonly T[])[] {
  const most = PARAMETER_LENGTH
  return groupsOf(wanted, [
    { most, of: ({ test, architecture }) => 60 + lengthOf(test) + lengthOf(architecture ?? '') },
  ])
}

function parametersOf({ repositoryId, metric, copiedFrom = [] }: HistoryOf, { from, to }: TimeRange): QueryParameters {
  const times = { from: timestamp(from / 1000), to: timestamp(to / 1000) }
  return { repositoryId, metric, copiedFrom: ['', ...copiedFrom], ...times }
}

function wantedParameters(wanted: readonly QueryId[]) {
  return { tests: [...new Set(wanted.map(({ test }) => test))], hashes: wanted.map(queryHash) }
}

/** In an address, where each character of a text may take three, and each byte beyond ASCII. */
function lengthOf(text: string): number {
  return 10 + encodeURIComponent(text.toWellFormed()).length
}

/** In their order, each within every limit; of one item at least. */
function groupsOf<T>(
  all: readonly T[],
  limits: readonly { readonly most: number; readonly of: (one: T) => number }[],
): readonly (readonly T[])[] {
  const groups: T[][] = []
  let sums = limits.map(() => 0)
  for (const one of all) {
    const more = limits.map((limit, i) => sums[i]! + limit.of(one))
    const last = groups.at(-1)
    if (last !== undefined && limits.every((limit, i) => more[i]! <= limit.most)) {
      last.push(one)
      sums = more
    } else {
      groups.push([one])
      sums = limits.map((limit) => limit.of(one))
    }
  }
  return groups
}

function keyOf(query: QueryOnArchitecture): string {
  return keyOnArchitecture(queryKey(query), query.architecture)
}

function runOf(runs: ReadonlyMap<number, TrunkRun>, number: number): TrunkRun {
  const run = runs.get(number)
  if (run === undefined)
    throw new HistoryUnavailable('unexpected-answer', 'A run of the history was removed while it was read.')
  return run
}
