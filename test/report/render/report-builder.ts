import { DEFAULT_CONFIG } from '../../../src/config/repository-config.ts'
import type { ClassifiedQuery } from '../../../src/judge/verdict/classified-query.ts'
import { type DecidedReport, decided } from '../../../src/report/decisions.ts'
import {
  type OwnVerdictOfRun,
  REPORT_SCHEMA_VERSION,
  type ReportRow,
  type Shard,
  type TriageReport,
} from '../../../src/report/report.ts'
import { classifiedQuery } from '../../judge/verdict/classified-query-builder.ts'

/** Hand-built reports for the rendering tests: plain values with consistent numbers, no statistics of their own. */

export const HEAD = '9c41d0e5b1f7a3c2d4e6f8091a2b3c4d5e6f7081'
export const PREVIOUS_HEAD = '43ae6590c1d2e3f405162738495a6b7c8d9e0f11'
export const REFERENCE = '5b7f2aa3c4d5e6f708192a3b4c5d6e7f80910213'

/** A compared query: 7 + 7, not significant unless told otherwise; the difference follows from the medians. */
export function result(old: number, fresh: number, more: Partial<ClassifiedQuery> = {}): ClassifiedQuery {
  const difference = (fresh - old) / old
  return classifiedQuery({
    test: 'join_hash',
    queryIndex: 3,
    queryName: 'SELECT count() FROM hits INNER JOIN visits USING UserID',
    old: { median: old, repetitions: 7 },
    new: { median: fresh, repetitions: 7 },
    difference,
    threshold: 0.041,
    pValue: 0.23,
    rankPValue: 0.2,
    qValue: 0.8,
    smallestPValue: 0.011655,
    outcome: 'not-significant',
    direction: difference === 0 ? null : difference > 0 ? 'slower' : 'faster',
    ...more,
  })
}

/** A changed query whose old and new repetitions do not overlap. */
export function changed(old: number, fresh: number, more: Partial<ClassifiedQuery> = {}): ClassifiedQuery {
  return result(old, fresh, {
    outcome: 'changed',
    threshold: Math.abs((fresh - old) / old),
    pValue: 0.011655,
    rankPValue: 0.00058,
    separated: true,
    ...more,
  })
}

export function unstable(old: number, fresh: number, more: Partial<ClassifiedQuery> = {}): ClassifiedQuery {
  return result(old, fresh, { outcome: 'unstable', threshold: 0.23, ...more })
}

export function notCompared(
  status: 'only-new' | 'only-old' | 'failed' | 'not-measured',
  more: Partial<ClassifiedQuery> = {},
): ClassifiedQuery {
  return {
    ...result(1, 1),
    status,
    ...(status === 'only-old' && { failedIn: 'new' as const }),
    old: { median: status === 'only-old' ? 0.02 : null, repetitions: status === 'only-old' ? 7 : 0 },
    new: { median: status === 'only-new' ? 0.02 : null, repetitions: status === 'only-new' ? 7 : 0 },
    difference: null,
    threshold: null,
    pValue: null,
    rankPValue: null,
    qValue: null,
    smallestPValue: null,
    separated: null,
    outcome: null,
    direction: null,
    changedThreshold: null,
    changedThresholdSource: null,
    unstableThreshold: null,
    unstableThresholdSource: null,
    ...more,
  }
}

/** One query; its name is written into all of its results. The first result decides. */
export function row(
  test: string,
  queryIndex: number | null,
  results: readonly ClassifiedQuery[],
  more: Partial<ReportRow> = {},
): ReportRow {
  const decidedBy = more.decidedBy ?? 0
  const deciding = results[decidedBy]!
  const queryName = more.queryName === undefined ? deciding.queryName : more.queryName
  return {
    test,
    queryIndex,
    queryName,
    metric: deciding.metric,
    unit: deciding.unit,
    results: results.map((one) => ({ ...one, test, queryIndex, queryName })),
    decidedBy,
    outcome: deciding.outcome,
    direction: deciding.direction,
    verdict: deciding.outcome !== 'changed' ? null : deciding.direction === 'slower' ? 'regression' : 'improvement',
    guarded: false,
    evidence: [],
    sinceLastPush: null,
    ...more,
  }
}

export function shard(number: number, total: number, more: Partial<Shard> = {}): Shard {
  const architecture = more.architecture === undefined ? null : more.architecture
  const name = `Performance Comparison (${architecture ?? 'release'}, ${number}/${total})`
  return {
    check: name,
    architecture,
    shard: number,
    shards: total,
    state: 'measured',
    problem: null,
    url: `https://github.com/acme/database/runs/${1000 + number}`,
    conclusion: 'success',
    ...more,
  }
}

/** What the report of a run concludes by its own rule, with the queries that it flags. */
export function ownVerdict(
  status: OwnVerdictOfRun['status'],
  rows: NonNullable<OwnVerdictOfRun['flagged']>['rows'],
): OwnVerdictOfRun {
  const slower = rows.filter(({ flag }) => flag === 'slower').length
  return {
    check: 'Performance Comparison',
    architecture: null,
    status,
    message: null,
    flagged: { slower, faster: rows.length - slower, unstable: 4, rows },
    thresholds: 'learned',
    dashboard: [],
  }
}

export function shards(total: number, measured = total, more: Partial<Shard> = {}): Shard[] {
  return Array.from({ length: total }, (_, index) =>
    shard(index + 1, total, index < measured ? more : { ...more, state: 'pending', conclusion: null }),
  )
}

export function report(rows: readonly ReportRow[], more: Partial<TriageReport> = {}): TriageReport {
  const numberOf = (isCounted: (row: ReportRow) => boolean) =>
    rows.filter((one) => one.verdict !== 'ignored' && isCounted(one)).length
  const compared = rows.filter((one) => one.outcome !== null)
  const architectures = more.architectures ?? [null]
  const all = more.shards ?? shards(2)
  return {
    schemaVersion: REPORT_SCHEMA_VERSION,
    repository: {
      id: 4711,
      owner: 'acme',
      name: 'database',
      isPrivate: false,
      url: 'https://github.com/acme/database',
    },
    pullRequest: { number: 108, baseRef: 'master' },
    head: HEAD,
    mergeBase: REFERENCE,
    references: [{ commit: REFERENCE, architectures, commitsBeforeMergeBase: 0 }],
    primaryMetric: 'client_time',
    architectures,
    shards: all,
    complete: all.every(({ state }) => state === 'measured' || state === 'failed'),
    rows,
    counts: {
      slower: numberOf((one) => one.outcome === 'changed' && one.direction === 'slower'),
      faster: numberOf((one) => one.outcome === 'changed' && one.direction === 'faster'),
      unstable: numberOf((one) => one.outcome === 'unstable'),
      tooSmall: numberOf((one) => one.outcome === 'too-small'),
      notSignificant: numberOf((one) => one.outcome === 'not-significant'),
      notCompared: numberOf((one) => one.outcome === null),
    },
    thresholdSources: { floor: compared.length, configured: 0, test: 0, learned: 0, given: 0 },
    discoveries: architectures.map((architecture) => ({
      architecture,
      metric: 'client_time',
      tested: numberOf(({ outcome }) => outcome !== null),
      level: 0.01,
      expectedByChance: compared.length * 0.009,
      passed: numberOf((one) => one.outcome === 'changed'),
    })),
    smallestPValue: compared.length === 0 ? null : 0.011655,
    shifts: [],
    sinceLastPush: null,
    failingTests: null,
    windows: [],
    mode: 'advisory',
    degradations: ['history-not-available'],
    warnings: [],
    judgedAt: '2026-11-21T12:00:00Z',
    ...more,
  }
}

/** A report as the triage publishes it, by the settings of a repository that says nothing. */
export function decidedReport(value: TriageReport): DecidedReport {
  return decided(value, DEFAULT_CONFIG)
}

/** Queries in which nothing moved, so that a report has the usual bulk. */
export function quiet(count: number, architectures: readonly (string | null)[] = [null]): ReportRow[] {
  return Array.from({ length: count }, (_, index) =>
    row(
      'sort_limit',
      index,
      architectures.map((architecture) => result(0.1 + index / 1000, 0.1005 + index / 1000, { architecture })),
      { queryName: `SELECT number FROM numbers(${index}000000) ORDER BY number DESC LIMIT 10` },
    ),
  )
}
