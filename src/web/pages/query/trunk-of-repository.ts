import type { RepositoryConfig } from '../../../config/repository-config.ts'
import type { HistoryProblem } from '../../../history/trunk-series.ts'
import { queryKey } from '../../../measurement/run.ts'
import type { HistoryDatabases } from '../../../store/history/history-databases.ts'
import { HistoryUnavailable, type QueryOnArchitecture, type TimeRange } from '../../../store/history/trunk-history.ts'
import type { Store } from '../../../store/store.ts'
import { StoreUnavailable } from '../../../store/store-unavailable.ts'
import { TooLate, withDeadline } from '../../../triage/with-deadline.ts'
import type { Log } from '../../kit/log.ts'
import { type FoundSeries, rememberedSeries } from './remembered-series.ts'

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
  /**
   * The bot's own rows, and of the CI database those that it has not. Never fails for the CI database alone.
   * @throws StoreUnavailable
   */
  series(metric: string, wanted: readonly QueryOnArchitecture[], range: TimeRange): Promise<FoundSeries>
}

export type TrunkHistoryOf = (repository: NamedRepository) => TrunkOfRepository

export interface TrunkHistorySources {
  readonly store: Pick<Store, 'trunkHistory'>
  /** The last good configuration of a repository. */
  readonly configOf: (repositoryId: number) => RepositoryConfig
  /** null: there is no CI database. */
  readonly databases: Pick<HistoryDatabases, 'of'> | null
  readonly log: Log
  /** Milliseconds since 1970; absent: the time of the machine. */
  readonly now?: () => number
  /** Milliseconds that the CI database is given; a test waits less. */
  readonly databaseMs?: number
}

export function trunkHistoryOf(sources: TrunkHistorySources): TrunkHistoryOf {
  const { store, configOf, databases, log, databaseMs = DATABASE_MS } = sources
  const remember = rememberedSeries(sources.now ?? Date.now)
  return ({ id, owner, repo }) => {
    const { metric: primary, history } = configOf(id)
    const ask: TrunkOfRepository['series'] = async (metric, wanted, range) => {
      const of = { repositoryId: id, metric, now: range.to, trunk: TRUNK_NAMES }
      const own = await store.trunkHistory.series(of, wanted, range).catch((error: unknown) => {
        throw error instanceof HistoryUnavailable ? new StoreUnavailable(error.message) : error
      })
      const known = new Set(own.map(keyOf))
      const left = wanted.filter((query) => !known.has(keyOf(query)))
      const database = left.length === 0 ? null : (databases?.of(`${owner}/${repo}`, history) ?? null)
      if (database === null) return { series: own, problem: null }
      try {
        const others = await withDeadline(() => database.series(of, left, range), databaseMs)
        const all = new Map([...own, ...others].map((one) => [keyOf(one), one]))
        return { series: wanted.flatMap((query) => all.get(keyOf(query)) ?? []), problem: null }
      } catch (error) {
        log.warn({ err: error }, 'the history database did not answer a page')
        return { series: own, problem: problemOf(error) }
      }
    }
    return {
      metric: primary,

      async series(metric, wanted, range) {
        const length = range.to - range.from
        const key = JSON.stringify([id, `${owner}/${repo}`.toLowerCase(), history, metric, wanted.map(keyOf), length])
        return await remember(key, () => ask(metric, wanted, range))
      },
    }
  }
}

function keyOf(query: QueryOnArchitecture): string {
  return JSON.stringify([queryKey(query), query.architecture])
}

function problemOf(error: unknown): HistoryProblem {
  if (error instanceof HistoryUnavailable) return error.problem
  return error instanceof TooLate ? 'too-slow' : 'unexpected-answer'
}
