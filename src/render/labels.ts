import type { RepositoryConfig } from '../config/repository-config.ts'
import type { TriageReport } from '../triage/report.ts'
import { hasResults } from './view.ts'

/**
 * Which of the bot's two labels should stand: `slower` follows the verdict `regression`, `faster` follows `improvement`.
 * null: leave them as they are, since nothing of this head is known yet or labels are off.
 */
export function labelsOf(report: TriageReport, settings: RepositoryConfig['labels']): readonly string[] | null {
  if (!settings.enabled || !hasResults(report)) return null
  const has = (verdict: 'regression' | 'improvement') => report.rows.some((row) => row.verdict === verdict)
  return [...(has('regression') ? [settings.slower] : []), ...(has('improvement') ? [settings.faster] : [])]
}
