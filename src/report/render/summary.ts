import { z } from 'zod'
import { queryLabel } from '../../intake/measurement/run.ts'
import { findingsOf, isSlower } from '../../judge/verdict/findings.ts'
import { withVerdict } from '../parts.ts'
import type { TriageReport } from '../report.ts'
import { isKnown } from './failing-line.ts'
import { failingView } from './failing-view.ts'
import { verdictLine } from './sections/headline.ts'
import { NO_LINKS, viewOf } from './view.ts'

const number = z.number().int().nonnegative()

/**
 * What a report says of a head in one line and a few numbers. Stored beside the report, so that pages that list many of them
 * print this and count nothing. Fields with a default are absent in what was stored before there were such.
 */
export const summarySchema = z.object({
  slower: number,
  faster: number,
  /** Not slower beyond doubt, but to be measured again. */
  doubtful: number,
  /** Without a result in the new build, or failed in an unknown one. */
  failed: number,
  /** Open before, and not measured again or not seen again. */
  standing: number,
  tooNoisy: number,
  /** Runs that moved as a whole. */
  wholeSlower: number,
  wholeFaster: number,
  /** The line over the comment; null: not stored. */
  headline: z.string().nullable().default(null),
  /** Somebody has to look at something that was measured. */
  hasOpen: z.boolean().nullable().default(null),
  /** The row to begin with; null: none is open. */
  first: z.string().nullable().default(null),
  /** The pull request's title and its author's login as the report has them; null: not known, or not stored. */
  title: z.string().nullable().default(null),
  author: z.string().nullable().default(null),
  /** Failing tests by what the reader has to do about them; null: they were not looked for. */
  failingTests: z.object({ yours: number, unknown: number, known: number }).nullable().default(null),
})

export type Summary = z.output<typeof summarySchema>

export function summaryOf(report: TriageReport): Summary {
  const findings = findingsOf(report)
  const wholeSlower = findings.wholeRun.filter(isSlower).length
  const [first] = findings.open
  return {
    slower: findings.slower.length,
    faster: findings.faster.length,
    doubtful: withVerdict(findings.open, 'needs-rerun').filter(({ outcome }) => outcome !== 'changed').length,
    failed: findings.failedInNew.length + findings.failedUnknown.length,
    standing: findings.notMeasuredAgain.length + findings.notSeenAgain.length,
    tooNoisy: findings.tooNoisy.length,
    wholeSlower,
    wholeFaster: findings.wholeRun.length - wholeSlower,
    headline: verdictLine(viewOf(report, NO_LINKS)),
    hasOpen: findings.hasOpen,
    first: first === undefined ? null : queryLabel(first),
    title: report.pullRequest.title ?? null,
    author: report.pullRequest.author ?? null,
    failingTests: failingTestsOf(report),
  }
}

function failingTestsOf(report: TriageReport): Summary['failingTests'] {
  const view = failingView(report.failingTests)
  if (view === null) return null
  const known = view.rows.filter(isKnown).length
  const yours = view.rows.filter(({ judged }) => judged.classification === 'pr-suspect').length
  return { yours, unknown: view.rows.length - known - yours, known }
}
