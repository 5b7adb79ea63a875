import type { RepositoryConfig } from '../config/repository-config.ts'
import { conclusionOf, unknownsOf } from './check-conclusion.ts'
import { labelsOf } from './labels.ts'
import type { Decisions, TriageReport } from './report.ts'
import { shouldComment } from './should-comment.ts'

/** A report with what the bot does about it: the one that is stored and published. */
export interface DecidedReport extends TriageReport {
  readonly decisions: Decisions
}

/** Decides once what is published, by the repository's settings; what publishes or shows it reads that. */
export function decided(report: TriageReport, settings: Pick<RepositoryConfig, 'comment' | 'labels'>): DecidedReport {
  const decisions = {
    comment: shouldComment(settings.comment, report),
    conclusion: report.complete ? conclusionOf(report) : null,
    unknowns: report.complete ? unknownsOf(report) : [],
    labels: labelsOf(report, settings.labels),
  }
  return { ...report, decisions }
}
