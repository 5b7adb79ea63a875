import type { TrunkSeries } from '../../history/trunk-series.ts'
import { queryKey } from '../../measurement/run.ts'
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
} from './trunk-history.ts'

/**
 * Two histories of the same trunk as one, run by run: a run that both have (the same commit on the same architecture) counts
 * once, as `first` has it. Where single runs are not known the history that has more of them stands: in `moves` and
 * `pairedStepsOfAll`, of each query. Thresholds are those of `first` where it has learned any.
 *
 * Where `second` can't be asked, thresholds that were learned from `first` stand, and `unavailable` says so; the other
 * methods throw.
 */
export function chainedTrunkHistory(first: TrunkHistory, second: TrunkHistory): TrunkHistory {
  return {
    source: first.source,

    async learnedThresholds(of: HistoryOf): Promise<Learned> {
      return learnedFromBoth(...(await Promise.all([first.learnedThresholds(of), learnedIfThere(second, of)])))
    },

    async moves(of: HistoryOf, lookbackDays: number, wanted: readonly MovesWanted[]) {
      const [here, there] = await Promise.all([
        first.moves(of, lookbackDays, wanted),
        second.moves(of, lookbackDays, wanted),
      ])
      return here.map((moves, i) => {
        const other = there[i] ?? null
        return (other?.runs ?? 0) > (moves?.runs ?? 0) ? other : moves
      })
    },

    async series(of: HistoryOf, wanted: readonly QueryOnArchitecture[], range: TimeRange): Promise<TrunkSeries[]> {
      const both = await Promise.all([first.series(of, wanted, range), second.series(of, wanted, range)])
      const [here, there] = both.map(byKey)
      return wanted.flatMap((query) => ofBoth(here!.get(keyOf(query)), there!.get(keyOf(query))) ?? [])
    },

    async *allSeries(of: HistoryOf, range: TimeRange): AsyncGenerator<readonly TrunkSeries[]> {
      const seen = new Set<string>()
      for await (const some of second.allSeries(of, range)) {
        const here = byKey(await first.series(of, some, range))
        for (const one of some) seen.add(keyOf(one))
        yield some.map((one) => ofBoth(here.get(keyOf(one)), one) ?? one)
      }
      for await (const some of first.allSeries(of, range)) yield some.filter((one) => !seen.has(keyOf(one)))
    },

    async pairedStepsOfAll(of: HistoryOf, range: TimeRange): Promise<SeriesSteps[]> {
      const [here, there] = await Promise.all([first.pairedStepsOfAll(of, range), second.pairedStepsOfAll(of, range)])
      const most = new Map(here.map((one) => [keyOf(one), one]))
      for (const one of there) if (one.points > (most.get(keyOf(one))?.points ?? 0)) most.set(keyOf(one), one)
      return [...most.values()]
    },
  }
}

/** The points of both in the order of time. */
function ofBoth(here: TrunkSeries | undefined, there: TrunkSeries | undefined): TrunkSeries | undefined {
  if (here === undefined || there === undefined) return here ?? there
  const known = new Set(here.points.map(({ commit }) => commit))
  const more = there.points.filter(({ commit }) => !known.has(commit))
  if (more.length === 0) return here
  const [main, other] = here.points.length >= more.length ? [here, there] : [there, here]
  const sources = new Set([main, other, here, there].flatMap(({ source, alsoFrom = [] }) => [source, ...alsoFrom]))
  sources.delete(main.source)
  return {
    ...here,
    source: main.source,
    ...(sources.size > 0 && { alsoFrom: [...sources] }),
    points: [...here.points, ...more].toSorted((a, b) => a.time - b.time),
  }
}

/**
 * The same for two tables of one database, which one job writes: what `first` has of a query and architecture stands alone.
 * The second one costs much to ask, so it is asked only for what the first has not, and where it can't be asked in time
 * the first stands alone: what only the second has is then as unknown as what neither has. Not where all are read
 * (`allSeries`, `pairedStepsOfAll`), nor where the first is empty.
 */
export function chainedWithCostly(first: TrunkHistory, second: TrunkHistory): TrunkHistory {
  return {
    source: first.source,

    async learnedThresholds(of: HistoryOf): Promise<Learned> {
      const here = await first.learnedThresholds(of)
      const there = await learnedIfThere(second, of, here.keys)
      return there instanceof HistoryUnavailable && here.newest !== null ? here : learnedFromBoth(here, there)
    },

    async moves(of: HistoryOf, lookbackDays: number, wanted: readonly MovesWanted[]) {
      const found = await first.moves(of, lookbackDays, wanted)
      const left = wanted.filter((_, i) => found[i] === null)
      if (left.length === 0) return found
      const others = await ifThere(second.moves(of, lookbackDays, left), left.length < wanted.length)
      const next = others?.values()
      return found.map((moves) => moves ?? next?.next().value ?? null)
    },

    async series(of: HistoryOf, wanted: readonly QueryOnArchitecture[], range: TimeRange): Promise<TrunkSeries[]> {
      const found = byKey(await first.series(of, wanted, range))
      const left = wanted.filter((query) => !found.has(keyOf(query)))
      const asked =
        left.length === 0 ? null : await ifThere(second.series(of, left, range), left.length < wanted.length)
      const others = byKey(asked ?? [])
      return wanted.flatMap((query) => found.get(keyOf(query)) ?? others.get(keyOf(query)) ?? [])
    },

    async *allSeries(of: HistoryOf, range: TimeRange): AsyncGenerator<readonly TrunkSeries[]> {
      const seen = new Set<string>()
      for await (const some of first.allSeries(of, range)) {
        for (const one of some) seen.add(keyOf(one))
        yield some
      }
      for await (const some of second.allSeries(of, range)) yield some.filter((one) => !seen.has(keyOf(one)))
    },

    async pairedStepsOfAll(of: HistoryOf, range: TimeRange): Promise<SeriesSteps[]> {
      const [here, there] = [await first.pairedStepsOfAll(of, range), await second.pairedStepsOfAll(of, range)]
      const seen = new Set(here.map(keyOf))
      return [...here, ...there.filter((one) => !seen.has(keyOf(one)))]
    },
  }
}

/** Null in the place of an answer that could not be had, where it may be missing. */
async function ifThere<T>(answer: Promise<T>, mayBeMissing: boolean): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof HistoryUnavailable && mayBeMissing) return null
    throw error
  }
}

async function learnedIfThere(
  history: TrunkHistory,
  of: HistoryOf,
  known?: ReadonlySet<string>,
): Promise<Learned | HistoryUnavailable> {
  try {
    return await history.learnedThresholds(of, known)
  } catch (error) {
    if (error instanceof HistoryUnavailable) return error
    throw error
  }
}

function learnedFromBoth(here: Learned, there: Learned | HistoryUnavailable): Learned {
  if (there instanceof HistoryUnavailable) return { ...here, unavailable: there }
  const others = [...there.keys].filter((key) => !here.keys.has(key))
  const newest = Math.max(here.newest ?? 0, there.newest ?? 0)
  const main = others.length > here.queries ? there : here
  const used = [here, there].filter(({ queries }, i) => queries > 0 && (i === 0 || others.length > 0))
  const sources = new Set(used.flatMap(({ source, alsoFrom = [] }) => [source, ...alsoFrom]))
  sources.delete(main.source)
  return {
    lookup: (key, architecture) => here.lookup(key, architecture) ?? there.lookup(key, architecture),
    keys: new Set([...here.keys, ...others]),
    queries: here.queries + others.length,
    source: main.source,
    ...(sources.size > 0 && { alsoFrom: [...sources] }),
    newest: newest === 0 ? null : newest,
    ...(here.queries + others.length === 0 && longer(here.tooShort, there.tooShort)),
    unavailable: here.unavailable ?? there.unavailable,
  }
}

/** Of two histories that are too short the longer one. */
function longer(here: Learned['tooShort'], there: Learned['tooShort']): Pick<Learned, 'tooShort'> {
  const both = [here, there].filter((one) => one !== undefined).toSorted((a, b) => b.runs - a.runs)
  return both[0] === undefined ? {} : { tooShort: both[0] }
}

function byKey(series: readonly TrunkSeries[]): Map<string, TrunkSeries> {
  return new Map(series.map((one) => [keyOf(one), one]))
}

function keyOf(query: QueryOnArchitecture): string {
  return keyOnArchitecture(queryKey(query), query.architecture)
}
