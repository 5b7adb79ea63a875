import { inQualityOrder, type Quality, type QualityRow, qualityOf } from '../../report/quality/quality.ts'
import type { Store } from '../../store/store.ts'
import { DAY } from '../../text/time.ts'
import type { QueueRepository } from './queue.ts'

/** Rows of a list. */
const MOST_ROWS = 2000

/** A repository, with the metric that it judges by and the copied rows that count. */
export interface QualityRepository extends QueueRepository {
  readonly metric: string
  /** Tables of the CI database whose copied rows count, by their addresses. */
  readonly copiedFrom: readonly string[]
}

/** The queries that measure nothing, or little, by the runs of these days. */
export async function qualityOfRepositories(
  repositories: readonly QualityRepository[],
  days: number,
  {
    store,
    now,
  }: { readonly store: { readonly queries: Pick<Store['queries'], 'measuredOften'> }; readonly now: number },
): Promise<Quality> {
  const rows: QualityRow[] = []
  let measured = 0
  let runs = 0
  for (const { id, owner, repo, metric, copiedFrom } of repositories) {
    const queries = await store.queries.measuredOften({ repositoryId: id, metric, since: now - days * DAY, copiedFrom })
    measured += queries.length
    runs = Math.max(runs, queries[0]?.runs ?? 0)
    rows.push(...qualityOf({ owner, repo }, metric, queries))
  }
  return {
    rows: inQualityOrder(rows).slice(0, MOST_ROWS),
    notShown: Math.max(0, rows.length - MOST_ROWS),
    measured,
    runs,
  }
}
