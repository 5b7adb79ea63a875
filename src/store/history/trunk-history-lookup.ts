import { z } from 'zod'
import type { HistorySource, HistoryTooShort, TrunkMoves, TrunkPoint, TrunkSeries } from '../../history/trunk-series.ts'
import { NO_INDEX, queryHash } from '../../measurement/query-hash.ts'
import { type QueryId, queryKey } from '../../measurement/run.ts'
import { HISTORICAL_ROWS, LEVEL_ROWS, STEP_MINIMUM, STEP_SHARE } from '../../statistics/change-points/step-rule.ts'
import { DAY } from '../../text/time.ts'
import type { LearnedThresholds } from '../../verdict/thresholds.ts'
import { timestamp } from '../ci-parameters.ts'
import type { QueryParameters } from '../client.ts'
import { count } from '../column-values.ts'
import { eachRunOnce } from './each-run-once.ts'
import type { HistoryQueries } from './history-queries.ts'
import { LEARNED_FACTOR, LEARNING_DAYS, LEARNING_GAP_DAYS, LEAST_RUNS } from './learning.ts'
import {
  type HistoryOf,
  HistoryUnavailable,
  keyOnArchitecture,
  type Learned,
  type MovesWanted,
  type QueryOnArchitecture,
  type SeriesSteps,
  type TimeRange,
  type TrunkHistory,
  type TrunkPairedStep,
} from './trunk-history.ts'

/** In the order in which they are believed where both have a run. */
const SOURCES: readonly HistorySource[] = ['own', 'imported', 'ci-database']

/** Points that are read at a time where all histories are: some 15 MB as text. */
const POINTS_AT_A_TIME = 200_000

const source = z.enum(['own', 'imported', 'ci-database'])
const queryColumns = {
  source,
  sources: z.array(source),
  test: z.string(),
  queryName: z.string(),
  queryIndex: count,
  ordinal: count,
  architecture: z.string(),
}
const learnedRow = z.object({ ...queryColumns, runs: count, changed: z.number(), unstable: z.number() })
const learnableRow = z.object({
  test: z.string(),
  queryName: z.string(),
  queryIndex: count,
  architecture: z.string(),
  runs: count,
})
const mostRunsRow = z.object({ runs: count })
const newestRow = z.object({ newest: count, runs: count })
const movesRow = z.object({
  wanted: z.number(),
  runs: count,
  times: count,
  lastTime: count,
  lowest: z.number(),
  highest: z.number(),
})
const numbers = z.array(z.number())
const seriesRow = z.object({ ...queryColumns, runs: numbers, old: numbers, new: numbers, thresholds: numbers })
const rowsOfBothSources = z.object({
  test: z.string(),
  queryName: z.string(),
  architecture: z.string(),
  runs: numbers,
  ranks: numbers,
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
const stepsRow = z.object({
  ...queryColumns,
  points: count,
  positions: numbers,
  runs: numbers,
  differences: numbers,
  befores: numbers,
  afters: numbers,
  historicals: numbers,
})

type SeriesRow = z.infer<typeof seriesRow>
type Which = 'of-wanted' | 'of-tests'
type QueryColumns = Pick<z.infer<typeof learnedRow>, keyof typeof queryColumns>

interface Run {
  /** Milliseconds since 1970. */
  readonly time: number
  readonly commit: string
  readonly referenceCommit: string
  readonly instanceType: string
}

interface SeriesRows {
  readonly rows: readonly SeriesRow[]
  readonly runs: ReadonlyMap<number, Run>
}

/** The lookups of `TrunkHistory`, the same for all sources of rows. */
export class TrunkHistoryLookup implements TrunkHistory {
  readonly source: HistorySource
  readonly #queries: HistoryQueries

  constructor(queries: HistoryQueries) {
    this.source = queries.source
    this.#queries = queries
  }

  async learnedThresholds(of: HistoryOf, known: ReadonlySet<string> = new Set()): Promise<Learned> {
    const until = of.now - LEARNING_GAP_DAYS * DAY
    const range = parametersOf(of, { from: until - LEARNING_DAYS * DAY, to: until })
    const [rows, newest] = await Promise.all([
      this.#learned({ ...range, moreThan: LEAST_RUNS }, known),
      this.#newest(of),
    ])
    const learned = new Map<string, LearnedThresholds>()
    const from = new Map<HistorySource, number>()
    for (const row of rows) {
      learned.set(keyOf(queryOf(row)), {
        changed: LEARNED_FACTOR * row.changed,
        unstable: LEARNED_FACTOR * row.unstable,
      })
      from.set(row.source, (from.get(row.source) ?? 0) + 1)
    }
    const [most] = [...from].toSorted((a, b) => b[1] - a[1] || SOURCES.indexOf(a[0]) - SOURCES.indexOf(b[0]))
    const main = most?.[0] ?? this.source
    return {
      lookup: (key, architecture) => learned.get(keyOnArchitecture(key, architecture)) ?? null,
      queries: learned.size,
      keys: new Set(learned.keys()),
      source: main,
      ...alsoFrom(
        main,
        rows.flatMap(({ sources }) => sources),
      ),
      newest,
      // Where something is known from elsewhere, what is left may be nothing.
      ...(rows.length === 0 && known.size === 0 && newest !== null && { tooShort: await this.#tooShort(range) }),
      unavailable: null,
    }
  }

  async #tooShort(range: QueryParameters): Promise<HistoryTooShort> {
    const [row] = await this.#queries.read('most-runs', range, mostRunsRow)
    return { runs: row?.runs ?? 0, moreThan: LEAST_RUNS, days: LEARNING_DAYS, endedDaysAgo: LEARNING_GAP_DAYS }
  }

  async #learned(parameters: QueryParameters, known: ReadonlySet<string>): Promise<z.infer<typeof learnedRow>[]> {
    const { learnedAtATime, parameterLength } = this.#queries
    if (learnedAtATime === undefined) return await this.#queries.read('learned', parameters, learnedRow)
    const points = new Map<string, number>()
    for (const row of await this.#queries.read('learnable', parameters, learnableRow)) {
      if (known.has(keyOf(queryOf({ ...row, source: this.source, sources: [], ordinal: 0 })))) continue
      points.set(row.test, (points.get(row.test) ?? 0) + row.runs)
    }
    const groups = groupsOf(
      [...points],
      [
        { most: learnedAtATime, of: ([, runs]) => runs },
        { most: parameterLength, of: ([test]) => lengthOf(test) },
      ],
    )
    const rows: z.infer<typeof learnedRow>[] = []
    for (const group of groups) {
      const tests = group.map(([test]) => test)
      rows.push(...(await this.#queries.read('learned-of-tests', { ...parameters, tests }, learnedRow)))
    }
    return rows
  }

  /** Most histories have a run within the time of the first question, which is the cheaper one. */
  async #newest(of: HistoryOf): Promise<number | null> {
    for (const days of [LEARNING_DAYS, null]) {
      const from = days === null ? 0 : of.now - days * DAY
      const [row] = await this.#queries.read('newest', parametersOf(of, { from, to: of.now }), newestRow)
      if (row !== undefined && row.runs > 0) return row.newest * 1000
    }
    return null
  }

  async moves(of: HistoryOf, lookbackDays: number, wanted: readonly MovesWanted[]): Promise<(TrunkMoves | null)[]> {
    const range = parametersOf(of, { from: of.now - lookbackDays * DAY, to: of.now })
    const found = new Map<MovesWanted, z.infer<typeof movesRow>>()
    for (const group of this.#groupsOf(wanted)) {
      const parameters = {
        ...range,
        ...wantedParameters(group),
        numbers: group.map((_, number) => number),
        ordinals: group.map(({ ordinal }) => ordinal ?? 0),
        architectures: group.map(({ architecture }) => architecture ?? ''),
        sizes: group.map(({ atLeast }) => atLeast),
      }
      for (const row of await this.#queries.read('moves', parameters, movesRow)) found.set(group[row.wanted]!, row)
    }
    return wanted.map((query) => {
      const row = found.get(query)
      if (row === undefined) return null
      const { runs, times, lowest, highest, lastTime } = row
      return { runs, times, lowest, highest, lastTime: times === 0 ? null : lastTime * 1000 }
    })
  }

  async series(of: HistoryOf, wanted: readonly QueryOnArchitecture[], range: TimeRange): Promise<TrunkSeries[]> {
    const parameters = parametersOf(of, range)
    const found = new Map<string, TrunkSeries>()
    for (const group of this.#groupsOf(wanted)) {
      const architectures = [...new Set(group.map(({ architecture }) => architecture ?? ''))]
      const some = { ...parameters, ...wantedParameters(group), architectures }
      for (const one of await this.#seriesOf('of-wanted', of.metric, some)) found.set(keyOf(one), one)
    }
    return wanted.flatMap((query) => {
      const one = found.get(keyOf(query))
      return one === undefined ? [] : [{ ...one, queryIndex: query.queryIndex }]
    })
  }

  async *allSeries(of: HistoryOf, range: TimeRange): AsyncGenerator<readonly TrunkSeries[]> {
    const parameters = parametersOf(of, range)
    const tests = await this.#queries.read('points-of-tests', parameters, testRow)
    const groups = groupsOf(tests, [
      { most: POINTS_AT_A_TIME, of: ({ points }) => points },
      { most: this.#queries.parameterLength, of: ({ test }) => lengthOf(test) },
    ])
    const read = async (group: readonly z.infer<typeof testRow>[]) => {
      const names = group.map(({ test }) => test)
      return await this.#seriesOf('of-tests', of.metric, { ...parameters, tests: names })
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

  async pairedStepsOfAll(of: HistoryOf, range: TimeRange): Promise<SeriesSteps[]> {
    const parameters = parametersOf(of, range)
    const rows = await this.#queries.read(
      'paired-steps',
      {
        ...parameters,
        minimum: STEP_MINIMUM,
        share: STEP_SHARE,
        levelRows: LEVEL_ROWS,
        historicalRows: HISTORICAL_ROWS,
      },
      stepsRow,
    )
    const runs = await this.#runsOf('runs-of-all', parameters)
    return rows.map((row) => ({
      ...queryOf(row),
      source: row.source,
      points: row.points,
      steps: stepsOf(row, runs),
    }))
  }

  async #seriesOf(which: Which, metric: string, parameters: QueryParameters): Promise<TrunkSeries[]> {
    const { rows, runs } = await (this.#queries.seriesOfBothSources === true
      ? this.#readOfBothSources(which, parameters)
      : this.#readSeries(which, parameters))
    return rows.map((row) => ({
      ...queryOf(row),
      metric,
      source: row.source,
      ...alsoFrom(row.source, row.sources),
      points: pointsOf(row, runs),
    }))
  }

  async #readSeries(which: Which, parameters: QueryParameters): Promise<SeriesRows> {
    const rows = await this.#queries.read(`series-${which}`, parameters, seriesRow)
    // Read afterwards, so that a run that was stored in between is there.
    return { rows, runs: rows.length === 0 ? new Map() : await this.#runsOf(`runs-${which}`, parameters) }
  }

  async #readOfBothSources(which: Which, parameters: QueryParameters): Promise<SeriesRows> {
    const [series, read] = await Promise.all([
      this.#queries.read(`series-${which}`, parameters, rowsOfBothSources),
      this.#runsOf(`runs-${which}`, parameters),
    ])
    // A run may have been stored after the runs were read.
    const complete = series.every((row) => row.runs.every((run) => read.has(run)))
    const runs = complete ? read : await this.#runsOf(`runs-${which}`, parameters)
    return { rows: series.flatMap((row) => eachRunOnce(row, (run) => runOf(runs, run))), runs }
  }

  async #runsOf(name: string, parameters: QueryParameters): Promise<ReadonlyMap<number, Run>> {
    const [row] = await this.#queries.read(name, parameters, runsRow)
    const found = new Map<number, Run>()
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

  #groupsOf<T extends QueryOnArchitecture>(wanted: readonly T[]): readonly (readonly T[])[] {
    const most = this.#queries.parameterLength
    return groupsOf(wanted, [
      { most, of: ({ test, architecture }) => 60 + lengthOf(test) + lengthOf(architecture ?? '') },
    ])
  }
}

function parametersOf(
  { repositoryId, metric, trunk, copiedFrom = [] }: HistoryOf,
  { from, to }: TimeRange,
): QueryParameters {
  const times = { from: timestamp(from / 1000), to: timestamp(to / 1000) }
  return { repositoryId, metric, trunk: [...trunk], copiedFrom: [...copiedFrom], ...times }
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

/** The other sources, where there are any. */
function alsoFrom(
  main: HistorySource,
  all: readonly HistorySource[],
): { readonly alsoFrom?: readonly HistorySource[] } {
  const others = SOURCES.filter((one) => one !== main && all.includes(one))
  return others.length === 0 ? {} : { alsoFrom: others }
}

function queryOf({ test, queryName, queryIndex, ordinal, architecture }: QueryColumns): QueryOnArchitecture {
  return {
    test,
    queryIndex: queryIndex === NO_INDEX ? null : queryIndex,
    queryName: queryName === '' ? null : queryName,
    ...(ordinal > 0 && { ordinal }),
    architecture: architecture === '' ? null : architecture,
  }
}

function keyOf(query: QueryOnArchitecture): string {
  return keyOnArchitecture(queryKey(query), query.architecture)
}

function pointsOf(row: SeriesRow, runs: ReadonlyMap<number, Run>): TrunkPoint[] {
  return row.runs.map((number, i) => {
    const run = runOf(runs, number)
    const before = row.old[i]!
    const after = row.new[i]!
    const threshold = row.thresholds[i]!
    return {
      time: run.time,
      commit: run.commit,
      referenceCommit: run.referenceCommit,
      old: before,
      new: after,
      difference: before === after ? 0 : (after - before) / before,
      threshold: threshold < 0 ? null : threshold,
      ...(run.instanceType !== '' && { instanceType: run.instanceType }),
    }
  })
}

function stepsOf(row: z.infer<typeof stepsRow>, runs: ReadonlyMap<number, Run>): TrunkPairedStep[] {
  return row.positions.map((index, i) => {
    const [before, after] = [row.befores[i]!, row.afters[i]!]
    const { time, commit } = runOf(runs, row.runs[i]!)
    return {
      index,
      before,
      after,
      height: Math.abs(after - before) / Math.max(after, before),
      difference: row.differences[i]!,
      historical: row.historicals[i]!,
      time,
      commit,
    }
  })
}

function runOf(runs: ReadonlyMap<number, Run>, number: number): Run {
  const run = runs.get(number)
  if (run === undefined)
    throw new HistoryUnavailable('unexpected-answer', 'A run of the history was removed while it was read.')
  return run
}
