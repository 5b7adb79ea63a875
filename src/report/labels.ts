import type { RepositoryConfig } from '../config/repository-config.ts'
import { findingsOf } from '../verdict/findings.ts'
import { hasResults } from './parts.ts'
import type { TriageReport } from './report.ts'

/**
 * Which of the bot's two labels should stand: `slower` follows the verdict `regression`, of a row or of a whole suite, and
 * `faster` follows `improvement`.
 * null: leave them as they are, since nothing of this head is known yet or labels are off.
 */
export function labelsOf(report: TriageReport, settings: RepositoryConfig['labels']): readonly string[] | null {
  if (!settings.enabled || !hasResults(report)) return null
  const { hasRegression, hasImprovement } = findingsOf(report)
  return [...(hasRegression ? [settings.slower] : []), ...(hasImprovement ? [settings.faster] : [])]
}
