import type { TrunkSeries } from '../history/trunk-series.ts'
import { queryKey } from '../measurement/run.ts'
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
 * Two histories as one: what `first` has of a query and architecture stands alone, `second` is asked for the others.
 *
 * Where `second` can't be asked, thresholds that were learned from `first` stand, and `unavailable` says so; the other
 * methods throw, as far as they need it.
 */
export function chainedTrunkHistory(first: TrunkHistory, second: TrunkHistory): TrunkHistory {
  return {
    source: first.source,

    async learnedThresholds(of: HistoryOf): Promise<Learned> {
      const [here, there] = await Promise.all([
        first.learnedThresholds(of),
        second.learnedThresholds(of).catch((error: unknown) => {
          if (error instanceof HistoryUnavailable) return error
          throw error
        }),
      ])
      if (there instanceof HistoryUnavailable) return { ...here, unavailable: there }
      const others = [...there.keys].filter((key) => !here.keys.has(key))
      const newest = Math.max(here.newest ?? 0, there.newest ?? 0)
      return {
        lookup: (key, architecture) => here.lookup(key, architecture) ?? there.lookup(key, architecture),
        keys: new Set([...here.keys, ...others]),
        queries: here.queries + others.length,
        source: others.length > here.queries ? there.source : here.source,
        newest: newest === 0 ? null : newest,
        unavailable: here.unavailable ?? there.unavailable,
      }
    },

    async moves(of: HistoryOf, lookbackDays: number, wanted: readonly MovesWanted[]) {
      const found = await first.moves(of, lookbackDays, wanted)
      const left = wanted.filter((_, i) => found[i] === null)
      if (left.length === 0) return found
      const others = (await second.moves(of, lookbackDays, left)).values()
      return found.map((moves) => moves ?? others.next().value ?? null)
    },

    async series(of: HistoryOf, wanted: readonly QueryOnArchitecture[], range: TimeRange): Promise<TrunkSeries[]> {
      const found = byKey(await first.series(of, wanted, range))
      const left = wanted.filter((query) => !found.has(keyOf(query)))
      const others = left.length === 0 ? new Map<string, TrunkSeries>() : byKey(await second.series(of, left, range))
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

function byKey(series: readonly TrunkSeries[]): Map<string, TrunkSeries> {
  return new Map(series.map((one) => [keyOf(one), one]))
}

function keyOf(query: QueryOnArchitecture): string {
  return keyOnArchitecture(queryKey(query), query.architecture)
}
