import { queryKey, queryLabel } from '../intake/measurement/run.ts'
import { isOpen } from '../judge/verdict/verdict.ts'
import type { ReportRow, SincePreviousHead, TriageReport } from './report.ts'

/**
 * The open rows that the last push brought, and those that it took away. Only what was measured again can be resolved, and
 * nothing that an earlier run of this head showed and that stands.
 */
export function sinceLastPush(
  rows: readonly ReportRow[],
  previous: TriageReport | null,
  standing: readonly ReportRow[] = [],
): { readonly rows: ReportRow[]; readonly summary: SincePreviousHead | null } {
  if (previous === null) return { rows: [...rows], summary: null }
  const openBefore = new Map(previous.rows.filter(({ verdict }) => isOpen(verdict)).map((row) => [queryKey(row), row]))
  const marked = rows.map((row): ReportRow => {
    if (!isOpen(row.verdict)) return row
    return { ...row, sinceLastPush: openBefore.has(queryKey(row)) ? 'unchanged' : 'new' }
  })
  const stands = new Set(standing.map(queryKey))
  const resolved = rows.filter((row) => {
    const before = openBefore.get(queryKey(row))
    const isClosed = !isOpen(row.verdict) && row.verdict !== 'ignored'
    return before !== undefined && isClosed && !stands.has(queryKey(row)) && isMeasuredAgain(before, row)
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

/** The architecture that stood open has been compared again: another one that is in says nothing of it. */
function isMeasuredAgain(before: ReportRow, now: ReportRow): boolean {
  const { architecture } = before.results[before.decidedBy]!
  return now.results.some((result) => result.architecture === architecture && result.outcome !== null)
}
