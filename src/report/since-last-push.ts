import { queryKey, queryLabel } from '../measurement/run.ts'
import { isFailure } from '../verdict/failed-in.ts'
import { findingsOf } from '../verdict/findings.ts'
import { NO_ENTRIES } from '../verdict/test-entries.ts'
import { isOpen } from '../verdict/verdict.ts'
import type { HeadInput } from './classify-head.ts'
import { decisive } from './parts.ts'
import type { ReportRow, SincePreviousHead, TriageReport } from './report.ts'

/** The open rows that the last push brought, and those that it took away. Only what was measured again can be resolved. */
export function sinceLastPush(
  rows: readonly ReportRow[],
  previous: TriageReport | null,
): { readonly rows: ReportRow[]; readonly summary: SincePreviousHead | null } {
  if (previous === null) return { rows: [...rows], summary: null }
  const openBefore = new Map(previous.rows.filter(({ verdict }) => isOpen(verdict)).map((row) => [queryKey(row), row]))
  const marked = rows.map((row): ReportRow => {
    if (!isOpen(row.verdict)) return row
    return { ...row, sinceLastPush: openBefore.has(queryKey(row)) ? 'unchanged' : 'new' }
  })
  const resolved = rows.filter((row) => {
    const before = openBefore.get(queryKey(row))
    const isClosed = !isOpen(row.verdict) && row.verdict !== 'ignored'
    return before !== undefined && isClosed && isMeasuredAgain(before, row)
  })
  return {
    rows: marked,
    summary: {
      head: previous.head,
      new: marked.filter(({ sinceLastPush }) => sinceLastPush === 'new').length,
      unchanged: marked.filter(({ sinceLastPush }) => sinceLastPush === 'unchanged').length,
      resolved: resolved.map(queryLabel),
    },
  }
}

/**
 * Rows that stood open on this head and that the newest attempts did not measure again. Attempts are never pooled: a row is
 * kept as it was said, until a measurement takes it back.
 */
export function notMeasuredAgainOf(
  rows: readonly ReportRow[],
  { earlier, primaryMetric, entries = NO_ENTRIES }: HeadInput,
): readonly ReportRow[] {
  if (!earlier || earlier.primaryMetric !== primaryMetric) return []
  const { open, failedInNew, notMeasuredAgain } = findingsOf(earlier)
  const stood = [...new Map([...notMeasuredAgain, ...failedInNew, ...open].map((row) => [queryKey(row), row])).values()]
  const now = new Map(rows.map((row) => [queryKey(row), row]))
  return stood.filter((row) => {
    // What is ignored by now is not missed, unless it failed: nobody can ignore that.
    if (entries.ignoring(decisive(row)) !== null && !row.results.some(isFailure)) return false
    const again = now.get(queryKey(row))
    return again === undefined || !(isMeasuredAgain(row, again) || again.results.some(isFailure))
  })
}

/** The architecture that stood open has been compared again: another one that is in says nothing of it. */
function isMeasuredAgain(before: ReportRow, now: ReportRow): boolean {
  const { architecture } = before.results[before.decidedBy]!
  return now.results.some((result) => result.architecture === architecture && result.outcome !== null)
}
