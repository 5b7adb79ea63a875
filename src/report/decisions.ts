import type { RepositoryConfig } from '../config/repository-config.ts'
import type { Said } from '../judge/verdict/acceptance.ts'
import { findingsOf } from '../judge/verdict/findings.ts'
import { conclusionOf, unknownsOf } from './check-conclusion.ts'
import { hasResults } from './parts.ts'
import type { Decisions, TriageReport } from './report.ts'
import { shouldComment } from './should-comment.ts'

/** A report with what the bot does about it: the one that is stored and published. */
export interface DecidedReport extends TriageReport {
  readonly decisions: Decisions
}

/**
 * Decides once what is published, by the repository's settings; what publishes or shows it reads that. A pull request that is
 * muted has no comment and a check that says nothing of it; where people rely on a red check, `mute` silences the comment only.
 * `rerunIsDue`: rows that need a rerun are measured again without anybody's doing.
 */
export function decided(
  report: TriageReport,
  settings: Pick<RepositoryConfig, 'comment' | 'labels'> & Partial<Pick<RepositoryConfig, 'undecided'>>,
  mute: Said | null = null,
  rerunIsDue = false,
): DecidedReport {
  const blocks = report.mode === 'gating' && settings.undecided === 'block'
  return withDecisions(blocks ? { ...report, undecided: { rerunIsDue } } : report, settings, mute)
}

function withDecisions(
  report: TriageReport,
  settings: Pick<RepositoryConfig, 'comment' | 'labels'>,
  mute: Said | null,
): DecidedReport {
  const isSilent = mute !== null && report.mode !== 'gating'
  const decisions: Decisions = {
    comment: mute !== null && settings.comment !== 'never' ? 'muted' : shouldComment(settings.comment, report),
    conclusion: !report.complete ? null : isSilent ? 'neutral' : conclusionOf(report),
    unknowns: report.complete ? unknownsOf(report) : [],
    labels: labelsOf(report, settings.labels),
    mute,
  }
  return { ...report, decisions }
}

/**
 * Which of the bot's two labels should stand: `slower` follows the verdict `regression`, of a row or of a whole suite, and
 * `faster` follows `improvement`.
 * null: leave them as they are, since nothing of this head is known yet or labels are off.
 */
export function labelsOf(
  report: TriageReport,
  settings: Pick<RepositoryConfig['labels'], 'enabled' | 'slower' | 'faster'>,
): readonly string[] | null {
  if (!settings.enabled || !hasResults(report)) return null
  const { hasRegression, hasImprovement } = findingsOf(report)
  return [...(hasRegression ? [settings.slower] : []), ...(hasImprovement ? [settings.faster] : [])]
}
