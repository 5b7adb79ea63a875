import { ofOtherMachines } from '../intake/measurement/environment.ts'
import { unreadParts } from '../intake/measurement/run.ts'
import type { ClassifiedQuery } from '../judge/verdict/classified-query.ts'
import { isFailure } from '../judge/verdict/failed-in.ts'
import { findingsOf } from '../judge/verdict/findings.ts'
import { decisive, hasResults, shardTally } from './parts.ts'
import {
  type CheckConclusion,
  type HowMeasured,
  type LessThanUsual,
  type ReportRow,
  type Shard,
  type TriageReport,
  UNKNOWNS,
  type Unknown,
} from './report.ts'

/** Why a gate is not passed by a head of which all is known: the results are of another measurement than the trunk's. */
export type NotPassed =
  | ({ readonly kind: 'measurement-changed' } & Pick<HowMeasured, 'files' | 'more' | 'isCut'>)
  | { readonly kind: 'other-workflow'; readonly shards: readonly Shard[] }
  | { readonly kind: 'no-trunk-run'; readonly shards: readonly Shard[] }
  | ({ readonly kind: 'skipped-job' } & ShardsLess)
  | ({ readonly kind: 'fewer-shards' } & ShardsLess)
  | ({ readonly kind: 'fewer-queries' } & NonNullable<LessThanUsual['queries']>)
  | ({ readonly kind: 'fewer-repetitions' } & NonNullable<LessThanUsual['repetitions']>)
  | { readonly kind: 'undecided'; readonly rows: readonly ReportRow[] }

type ShardsLess = NonNullable<LessThanUsual['shards']>

/** A failure waits for a person. Neutral is what the next run of the trunk mends. */
const NOT_PASSED_AS: Readonly<Record<NotPassed['kind'], Exclude<CheckConclusion, 'success'>>> = {
  'measurement-changed': 'failure',
  'other-workflow': 'failure',
  'no-trunk-run': 'neutral',
  'skipped-job': 'failure',
  'fewer-shards': 'failure',
  'fewer-queries': 'failure',
  'fewer-repetitions': 'failure',
  undecided: 'failure',
}

/** The reasons why a finished head does not pass the gate, in the order in which they are said; none where nothing gates. */
export function notPassedOf(report: TriageReport): readonly NotPassed[] {
  if (report.mode !== 'gating') return []
  return [...measuredOtherwise(report), ...measuredLess(report), ...undecidedIn(report)]
}

function measuredOtherwise({ howMeasured, acceptedMeasurement, shards }: TriageReport): readonly NotPassed[] {
  if (acceptedMeasurement !== undefined) return []
  const of = (kind: NonNullable<Shard['origin']>['kind']) =>
    shards.filter(({ state, origin }) => state === 'measured' && origin?.kind === kind)
  const [others, unknown] = [of('other-workflow'), of('unknown')]
  return [
    ...(howMeasured === undefined ? [] : [{ kind: 'measurement-changed', ...howMeasured } as const]),
    ...(others.length === 0 ? [] : [{ kind: 'other-workflow', shards: others } as const]),
    ...(unknown.length === 0 ? [] : [{ kind: 'no-trunk-run', shards: unknown } as const]),
  ]
}

function measuredLess({ lessThanUsual, acceptedMeasurement }: TriageReport): readonly NotPassed[] {
  if (lessThanUsual === undefined || acceptedMeasurement !== undefined) return []
  const { shards, queries, repetitions } = lessThanUsual
  return [
    ...(shards === undefined ? [] : [shardsLess(shards)]),
    ...(queries === undefined ? [] : [{ kind: 'fewer-queries', ...queries } as const]),
    ...(repetitions === undefined ? [] : [{ kind: 'fewer-repetitions', ...repetitions } as const]),
  ]
}

/** Rows that every run of the head left open, where none is to come by itself. */
function undecidedIn(report: TriageReport): readonly NotPassed[] {
  if (report.undecided === undefined || report.undecided.rerunIsDue) return []
  const rows = findingsOf(report).open.filter(({ undecided }) => undecided === true)
  return rows.length === 0 ? [] : [{ kind: 'undecided', rows }]
}

/** Where a job was skipped, that is why. */
export function shardsLess({ skipped, ...shards }: ShardsLess): NotPassed {
  return {
    kind: skipped.length > 0 ? 'skipped-job' : 'fewer-shards',
    ...shards,
    skipped: skipped.toSorted((a, b) => (a < b ? -1 : 1)),
  }
}

/**
 * The reasons why a finished head is not known to be fine. A missing history is no such reason: floors stand in for its
 * thresholds, and the report says so. What a person accepted for this head is none either.
 */
export function unknownsOf(report: TriageReport): Unknown[] {
  const { open, tooNoisy, ignored, failedUnknown } = findingsOf(report)
  const compared = report.rows.filter(({ outcome }) => outcome !== null).length
  const { failingTests } = report
  const holds: Readonly<Record<Unknown, boolean>> = {
    'shard-without-results': shardTally(report).lost.length > 0,
    'results-not-read': unreadParts(report.warnings).length > 0,
    'nothing-compared': hasResults(report) && report.rows.every((row) => row.outcome === null),
    'wrong-builds': (report.wrongBuilds ?? []).length > 0,
    'other-machines': compared > 0 && ofOtherMachines(report.environments).length > 0,
    'nothing-judged': compared > 0 && tooNoisy.length === compared,
    'only-ignored': ignored.length > 0 && tooNoisy.length + ignored.length === compared,
    'guarded-rerun': open.some(({ guarded, verdict }) => guarded && verdict === 'needs-rerun'),
    'failed-in-unknown-build': failedUnknown.length > 0,
    'query-without-value': report.rows.some(({ results }) => results.some(hasNoValue)),
    'ci-results-unavailable': (failingTests?.problem ?? null) !== null,
    'failing-tests-not-read': (failingTests?.notJudged ?? 0) > 0 || failingTests?.isCut === true,
    'configuration-never-valid': report.degradations.includes('config-never-valid'),
  }
  const accepted = (report.acceptedUnknowns ?? []).map(({ unknown }) => unknown)
  return UNKNOWNS.filter((unknown) => holds[unknown] && !accepted.includes(unknown))
}

/** The gate stays closed until a maintainer has looked at how it was measured. */
export function waitsForPerson(report: TriageReport): boolean {
  return notPassedOf(report).some(({ kind }) => kind === 'measurement-changed' || kind === 'other-workflow')
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
 * to be rerun is neutral in both, unless it is guarded. What `notPassedOf` has keeps a gate closed where nothing was found.
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
  const kept = notPassedOf(report).map(({ kind }) => NOT_PASSED_AS[kind])
  if (kept.includes('failure')) return 'failure'
  return hasOpen || kept.length > 0 || isUnsettled(report) ? 'neutral' : 'success'
}

/**
 * A change that nobody may call slower: of a metric without a known direction, or by fewer repetitions than show anything. Where a gate is
 * relied on it is no success.
 *
 * Unsettled: a score that is ten times lower; +49% by 2 + 2 repetitions. Not: −49% by 2 + 2, where less is better.
 */
function isUnsettled(report: TriageReport): boolean {
  if (report.mode !== 'gating') return false
  const { tooFew, undirected } = findingsOf(report)
  const slowerByFew = tooFew.filter((row) => {
    const { direction, difference, changedThreshold } = decisive(row)
    return direction === 'slower' && Math.abs(difference ?? 0) >= (changedThreshold ?? Number.POSITIVE_INFINITY)
  })
  return slowerByFew.length > 0 || undirected.some((row) => row.verdict !== 'ignored')
}
