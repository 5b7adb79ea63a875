import type { RepositoryConfig } from '../../config/repository-config.ts'
import type { HistoryProblem, TimeRange } from '../../judge/history/trunk-series.ts'
import type { CopyState, HistoryCopies, Hours } from '../history/history-copies.ts'
import type { AllowedSources, HistorySources } from './history-sources.ts'
import { hourOf, missingOf } from './hours.ts'

/** The history of one repository that is copied out of the CI database, as far as it may be used now. */
export interface CopiedHistory {
  /** Tables of the CI database whose copied rows count, by their addresses. */
  readonly copiedFrom: readonly string[]
  /** The tables themselves, medians first. */
  readonly tables: AllowedSources['tables']
  /** Whether a metric is copied; another one can only be asked live. */
  isCopied(metric: string): boolean
  /** What is not there of a metric in a time; null: all of it is. Throws `StoreUnavailable`. */
  missingIn(metric: string, range: TimeRange): Promise<MissingHistory | null>
}

export interface MissingHistory {
  /** `copying` where one of the tables is being copied, whatever another one's problem. */
  readonly problem: HistoryProblem
  /**
   * Whether a first copy has not come to its end: the newest hours may be there, the oldest are not. A table that can't be read
   * and of which nothing is stored is none, and no more is one that was copied and is down since.
   */
  readonly isHalfCopied: boolean
}

/** The metrics whose history is copied, the one that decides first. */
export function copiedMetrics({ metric, history }: Pick<RepositoryConfig, 'metric' | 'history'>): readonly string[] {
  return [...new Set([metric, ...history.metrics])]
}

/**
 * The copied history of a repository, by the operator's word and its configuration as they are now: a table that was taken back is
 * out of use at once. Null: the CI database holds nothing of it.
 */
export function copiedHistory(
  sources: Pick<HistorySources, 'of'> | null,
  copies: Pick<HistoryCopies, 'states'>,
  repository: { readonly id: number; readonly name: string },
  config: Pick<RepositoryConfig, 'metric' | 'history'>,
  now: number,
): CopiedHistory | null {
  const allowed = sources?.of(repository.name, config.history) ?? null
  if (allowed === null) return null
  const { tables, forbidden } = allowed
  const copiedFrom = tables.map((table) => table.copiedFrom)
  const metrics = copiedMetrics(config)
  const oldest = hourOf(now) + 1 - config.history.days * 24
  let asked: Promise<CopyState[]> | null = null
  return {
    copiedFrom,
    tables,
    isCopied: (metric) => metrics.includes(metric),
    async missingIn(metric, { from, to }) {
      if (forbidden !== null) return { problem: 'access-denied', isHalfCopied: false }
      asked ??= copies.states()
      const states = (await asked).filter((one) => one.repositoryId === repository.id && one.metric === metric)
      const found = copiedFrom.map((table) => states.find((one) => one.copiedFrom === table))
      const there = found.filter((state) => state?.problem?.kind !== 'missing-table')
      // The hour that goes on is copied with the next round.
      const hours = [Math.max(hourOf(from), oldest), hourOf(to)] as const
      const missing = (there.length > 0 ? there : found).filter(
        (state) => missingOf(hours, state?.covered ?? []).length > 0,
      )
      if (missing.length === 0) return null
      const isCopying = missing.some((state) => (state?.problem ?? null) === null)
      const problem = isCopying ? 'copying' : missing[0]!.problem!.kind
      return { problem, isHalfCopied: isCopying || missing.some((state) => hasOnlyNewest(hours, state!.covered)) }
    },
  }
}

/** The copy goes from the newest hours to the oldest. */
function hasOnlyNewest([first, end]: Hours, covered: readonly Hours[]): boolean {
  const isIn = ([from, until]: Hours) => from < end && until > first
  return covered.some(isIn) && !covered.some(([from, until]) => from <= first && until > first)
}
