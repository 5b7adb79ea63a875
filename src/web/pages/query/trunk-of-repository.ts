import { LRUCache } from 'lru-cache'
import { TooLate, withDeadline } from '../../../bot/triage/with-deadline.ts'
import type { RepositoryConfig } from '../../../config/repository-config.ts'
import { queryKey } from '../../../intake/measurement/run.ts'
import { HistoryUnavailable, type TrunkHistory } from '../../../judge/history/trunk-history.ts'
import type {
  HistoryProblem,
  QueryOnArchitecture,
  TimeRange,
  TrunkSeries,
} from '../../../judge/history/trunk-series.ts'
import { ExternalDatabaseUnavailable } from '../../../store/external-database.ts'
import type { HistoryCopies } from '../../../store/history/history-copies.ts'
import { askedByAll } from '../../../store/page-asking.ts'
import { StoreUnavailable } from '../../../store/store-unavailable.ts'
import { type CopiedHistory, copiedHistory } from '../../../store/sync/copied-history.ts'
import type { HistorySources } from '../../../store/sync/history-sources.ts'
import type { Log } from '../../kit/log.ts'

/** Somebody waits for the page: what the CI database has not said by then is left out. */
const DATABASE_MS = 3_000

/** Rows of the CI database that name a branch count where it is one of these; the pages do not ask GitHub for its name. */
const TRUNK_NAMES = ['master', 'main']

export interface NamedRepository {
  readonly id: number
  readonly owner: string
  readonly repo: string
}

/** The trunk's history as the pages of one repository show it. */
export interface TrunkOfRepository {
  /** The metric that the repository judges by. */
  readonly metric: string
  /** Tables of the CI database whose copied rows count, by their addresses. */
  readonly copiedFrom: readonly string[]
  /**
   * What is stored; of a metric that is not copied out of the CI database, what that has of queries that are not stored, asked live.
   * Never fails for the CI database alone.
   * @throws StoreUnavailable
   */
  series(metric: string, wanted: readonly QueryOnArchitecture[], range: TimeRange): Promise<FoundSeries>
}

export type TrunkHistoryOf = (repository: NamedRepository) => Promise<TrunkOfRepository>

export interface TrunkHistorySources {
  readonly store: {
    readonly trunkHistory: TrunkHistory
    readonly historyCopies: Pick<HistoryCopies, 'states'>
  }
  /** The last good configuration of a repository. */
  readonly configOf: (repositoryId: number) => Promise<RepositoryConfig>
  /** null: there is no CI database. */
  readonly sources: Pick<HistorySources, 'of'> | null
  readonly log: Log
  /** Milliseconds since 1970; absent: the time of the machine. */
  readonly now?: () => number
  /** Milliseconds that the CI database is given; a test waits less. */
  readonly databaseMs?: number
}

export function trunkHistoryOf(context: TrunkHistorySources): TrunkHistoryOf {
  const { store, configOf, sources, log, now = Date.now, databaseMs = DATABASE_MS } = context
  const remember = rememberedSeries(now)
  return async ({ id, owner, repo }) => {
    const config = await configOf(id)
    const name = `${owner}/${repo}`
    const copied = copiedHistory(sources, store.historyCopies, { id, name }, config, now())
    const copiedFrom = copied?.copiedFrom ?? []
    const ask: TrunkOfRepository['series'] = async (metric, wanted, range) => {
      const of = { repositoryId: id, metric, now: range.to, copiedFrom }
      const stored = await store.trunkHistory.series(of, wanted, range).catch((error: unknown) => {
        throw error instanceof HistoryUnavailable ? new StoreUnavailable(error.message) : error
      })
      if (copied === null) return { series: stored, isLive: false, problem: null }
      if (copied.isCopied(metric) || copied.tables.length === 0) {
        return { series: stored, isLive: false, problem: (await copied.missingIn(metric, range))?.problem ?? null }
      }
      const known = new Set(stored.map(keyOf))
      const left = wanted.filter((query) => !known.has(keyOf(query)))
      try {
        const live = await withDeadline(() => liveSeries(copied.tables, metric, left, range), databaseMs)
        const all = new Map([...stored, ...live].map((one) => [keyOf(one), one]))
        const series = wanted.flatMap((query) => all.get(keyOf(query)) ?? [])
        return { series, isLive: live.length > 0, problem: null }
      } catch (error) {
        log.warn({ err: error }, 'the CI database did not answer a page')
        return { series: stored, isLive: false, problem: problemOf(error) }
      }
    }
    return {
      metric: config.metric,
      copiedFrom,

      async series(metric, wanted, range) {
        const length = range.to - range.from
        const key = JSON.stringify([id, name.toLowerCase(), config.history, metric, wanted.map(keyOf), length])
        return await remember(key, () => ask(metric, wanted, range))
      },
    }
  }
}

/** The history of each query out of the first table that has it. A table that does not exist has none, where another one does. */
async function liveSeries(
  tables: CopiedHistory['tables'],
  metric: string,
  wanted: readonly QueryOnArchitecture[],
  range: TimeRange,
): Promise<TrunkSeries[]> {
  const missing: unknown[] = []
  const found: TrunkSeries[] = []
  for (const table of tables) {
    const left = wanted.filter((query) => !found.some((one) => keyOf(one) === keyOf(query)))
    if (left.length === 0) break
    try {
      found.push(...(await table.seriesOf({ metric, trunk: TRUNK_NAMES }, left, range)))
    } catch (error) {
      if (!(error instanceof ExternalDatabaseUnavailable) || error.problem !== 'missing-table') throw error
      missing.push(error)
    }
  }
  if (missing.length === tables.length) throw missing[0]
  return found
}

function keyOf(query: QueryOnArchitecture): string {
  return JSON.stringify([queryKey(query), query.architecture])
}

function problemOf(error: unknown): FoundSeries['problem'] {
  if (error instanceof ExternalDatabaseUnavailable) return error.problem
  return error instanceof TooLate ? 'too-slow' : 'unexpected-answer'
}

/** A page and its chart ask for the same one right after the other; a run of the trunk that has just ended may wait so long. */
const REMEMBERED_MS = 30_000

/** All together: some 30 MB. */
const MOST_POINTS = 100_000

export interface FoundSeries {
  /** Those that have any run in the time, in the order of what was wanted. */
  readonly series: readonly TrunkSeries[]
  /** The CI database was asked for some of them. */
  readonly isLive: boolean
  /** Why not all of it is there; null where it is. */
  readonly problem: HistoryProblem | null
}

type RememberSeries = (key: string, ask: () => Promise<FoundSeries>) => Promise<FoundSeries>

/**
 * Answers a question that was answered a moment ago with the same answer; one that is being asked is waited for. What the
 * CI database did not answer is asked again. `now`: milliseconds.
 */
export function rememberedSeries(now: () => number): RememberSeries {
  const kept = new LRUCache<string, FoundSeries, () => Promise<FoundSeries>>({
    maxSize: MOST_POINTS,
    sizeCalculation: ({ series, problem }) =>
      // What is larger than all there is room for is not kept.
      problem === null ? series.reduce((sum, { points }) => sum + points.length + 1, 1) : MOST_POINTS + 1,
    ttl: REMEMBERED_MS,
    ttlResolution: 0,
    perf: { now },
    ignoreFetchAbort: true,
    fetchMethod: (_, __, { context: ask }) => askedByAll(ask),
  })
  return async (key, ask) => await kept.forceFetch(key, { context: ask })
}
