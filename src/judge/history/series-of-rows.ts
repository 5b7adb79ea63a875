import type { TrunkRow } from '../../intake/imports/history/trunk-row.ts'
import { type QueryId, queryKey } from '../../intake/measurement/run.ts'
import type { TrunkPoint, TrunkSeries } from './trunk-series.ts'

/**
 * The history of one query on one architecture out of rows of one source; null where none is of it. Of equal texts in a run the
 * lower index is the first, as in the stored history.
 */
export function seriesOfRows(
  rows: readonly TrunkRow[],
  query: QueryId & { readonly architecture: string | null },
): TrunkSeries | null {
  const key = queryKey({ ...query, ordinal: 0 })
  const alike = rows.filter(
    (row) => queryKey({ ...row, ordinal: 0 }) === key && row.architecture === (query.architecture ?? ''),
  )
  const runs = Map.groupBy(alike, ({ time, newCommit }) => `${time} ${newCommit}`)
  const own = [...runs.values()].flatMap((run) => {
    const byIndex = run.toSorted((a, b) => (a.queryIndex ?? -1) - (b.queryIndex ?? -1))
    return byIndex[query.ordinal ?? 0] ?? []
  })
  const [first] = own
  if (first === undefined) return null
  return {
    ...query,
    metric: first.metric,
    source: first.source,
    points: own.map(pointOf).toSorted((a, b) => a.time - b.time),
  }
}

function pointOf({ time, newCommit, oldCommit, old, new: fresh, threshold, instanceType }: TrunkRow): TrunkPoint {
  return {
    time,
    commit: newCommit,
    referenceCommit: oldCommit,
    old,
    new: fresh,
    difference: old === fresh ? 0 : (fresh - old) / old,
    threshold,
    ...(instanceType !== '' && { instanceType }),
  }
}
