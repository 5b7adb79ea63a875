import type { RepositoryConfig } from '../config/repository-config.ts'
import type { TriageReport } from '../triage/report.ts'
import { isOpen } from '../verdict/verdict.ts'
import { hasResults } from './view.ts'

export type CommentAction = 'post' | 'edit' | 'nothing'

/**
 * Whether the comment is written. `on-change`: posted at the first finding, or when all shards are in and something got
 * faster; what is likely noise or was not measured alone is no reason to write to anybody, the check run says it.
 * `always`: posted with the first results. A comment that exists is kept up to date. `never` writes nothing.
 */
export function shouldComment(
  setting: RepositoryConfig['comment'],
  exists: boolean,
  report: TriageReport,
): CommentAction {
  if (setting === 'never') return 'nothing'
  if (exists) return 'edit'
  return isWorthAComment(setting, report) ? 'post' : 'nothing'
}

function isWorthAComment(setting: 'on-change' | 'always', report: TriageReport): boolean {
  if (setting === 'always') return hasResults(report)
  if (report.rows.some((row) => isOpen(row.verdict))) return true
  return report.complete && report.rows.some((row) => row.verdict === 'improvement')
}
