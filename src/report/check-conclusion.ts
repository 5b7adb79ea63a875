import { unreadParts } from '../measurement/run.ts'
import type { ClassifiedQuery } from '../verdict/classified-query.ts'
import { isFailure } from '../verdict/failed-in.ts'
import { findingsOf } from '../verdict/findings.ts'
import { hasResults, shardTally } from './parts.ts'
import { type CheckConclusion, type TriageReport, UNKNOWNS, type Unknown } from './report.ts'

/**
 * The reasons why a finished head is not known to be fine. A missing history is no such reason: floors stand in for its
 * thresholds, and the report says so. What a person accepted for this head is none either.
 */
export function unknownsOf(report: TriageReport): Unknown[] {
  const { open, tooNoisy, ignored, failedUnknown } = findingsOf(report)
  const compared = report.rows.filter(({ outcome }) => outcome !== null).length
  const holds: Readonly<Record<Unknown, boolean>> = {
    'shard-without-results': shardTally(report).lost.length > 0,
    'results-not-read': unreadParts(report.warnings).length > 0,
    'nothing-compared': hasResults(report) && report.rows.every((row) => row.outcome === null),
    'wrong-builds': (report.wrongBuilds ?? []).length > 0,
    'nothing-judged': compared > 0 && tooNoisy.length === compared,
    'only-ignored': ignored.length > 0 && tooNoisy.length + ignored.length === compared,
    'guarded-rerun': open.some(({ guarded, verdict }) => guarded && verdict === 'needs-rerun'),
    'failed-in-unknown-build': failedUnknown.length > 0,
    'query-without-value': report.rows.some(({ results }) => results.some(hasNoValue)),
    'ci-results-unavailable': (report.failingTests?.problem ?? null) !== null,
    'configuration-never-valid': report.degradations.includes('config-never-valid'),
  }
  const accepted = (report.acceptedUnknowns ?? []).map(({ unknown }) => unknown)
  return UNKNOWNS.filter((unknown) => holds[unknown] && !accepted.includes(unknown))
}

/** Neither build has a sample, and the source does not say why: it was not skipped, and nothing failed. */
function hasNoValue({ status, statusReason }: ClassifiedQuery): boolean {
  return status === 'not-measured' && statusReason === 'no-samples'
}

/**
 * The conclusion of a finished head. Where a repository gates, people rely on a red check: it fails for a regression, also one that
 * flags in other pull requests make a rerun, a query
 * that the new build alone did not run, one that stood open and was not measured again, a regression of an earlier run that
 * one later run does not show, a slower shift of a whole run, a failing test that may be the pull request's, and for each of `UNKNOWNS`. Elsewhere all of these are neutral. A row that is
 * to be rerun is neutral in both, unless it is guarded.
 */
export function conclusionOf(report: TriageReport): CheckConclusion {
  const { hasOpen, hasRegression, heldByFlags, failedInNew, notMeasuredAgain, notSeenAgain, slowRuns } =
    findingsOf(report)
  const hasSuspect =
    report.failingTests?.failures.some(({ classification }) => classification === 'pr-suspect') === true
  const failedBefore = notSeenAgain.filter(({ results }) => results.some(isFailure))
  const found = [heldByFlags, failedInNew, notMeasuredAgain, failedBefore, slowRuns, unknownsOf(report)]
  const stops = hasRegression || hasSuspect || found.some(({ length }) => length > 0)
  if (stops) return report.mode === 'gating' ? 'failure' : 'neutral'
  return hasOpen ? 'neutral' : 'success'
}
