import type { ClassifiedQuery } from '../../src/judge/verdict/classified-query.ts'
import type { ReportRow, TriageReport } from '../../src/report/report.ts'
import { classifiedQuery } from '../judge/verdict/classified-query-builder.ts'

/** Values for the pages to show: their look is what is tested here, not how they came about. */

export const HEAD = '9c41d0e5b7f2aa43ae659e02d9c1100999a1b2c3'
export const OLD = '5b7f2aa43ae659e02d9c1100999a1b2c39c41d0e'

export function sampleResult(change: Partial<ClassifiedQuery> = {}): ClassifiedQuery {
  return classifiedQuery({
    test: 'join_hash',
    queryIndex: 3,
    queryName: 'SELECT count() FROM numbers(10000000) AS a INNER JOIN numbers(1000) AS b USING (number)',
    architecture: 'arm',
    old: { median: 0.639123, repetitions: 7 },
    new: { median: 0.758904, repetitions: 7 },
    difference: 0.1874146,
    threshold: 0.041234,
    pValue: 0.011655012,
    rankPValue: 0.00058275,
    qValue: 0.0017,
    smallestPValue: 0.011655012,
    separated: true,
    ...change,
  })
}

export function sampleRow(results: readonly ClassifiedQuery[], change: Partial<ReportRow> = {}): ReportRow {
  const first = results[0]!
  return {
    test: first.test,
    queryIndex: first.queryIndex,
    queryName: first.queryName,
    metric: first.metric,
    unit: first.unit,
    results,
    decidedBy: 0,
    outcome: first.outcome,
    direction: first.direction,
    verdict: null,
    guarded: false,
    evidence: [],
    sinceLastPush: null,
    ...change,
  }
}

export const AMD = {
  architecture: 'amd',
  old: { median: 0.502, repetitions: 7 },
  new: { median: 0.509, repetitions: 7 },
}
const STILL = { outcome: 'not-significant', separated: false, difference: 0.0139442, threshold: 0.031 } as const

const ROWS: readonly ReportRow[] = [
  sampleRow([sampleResult(), sampleResult({ ...AMD, ...STILL, pValue: 0.38, rankPValue: 0.41, qValue: 0.9 })], {
    verdict: 'regression',
    evidence: [
      { kind: 'one-architecture', architecture: 'arm', others: ['amd'] },
      { kind: 'floor-threshold', threshold: 0.05 },
      { kind: 'stale-reference', commit: OLD, commitsBeforeMergeBase: 2 },
    ],
    sinceLastPush: 'new',
  }),
  sampleRow(
    [
      sampleResult({
        test: 'order_by_read',
        queryIndex: 1,
        queryName: 'SELECT * FROM hits ORDER BY CounterID LIMIT 10',
        old: { median: 0.0175, repetitions: 4 },
        new: { median: 0.0218, repetitions: 7 },
        difference: 0.2457,
        notes: ['too-few-repetitions', 'uneven-repetitions'],
        separated: false,
      }),
    ],
    {
      verdict: 'needs-rerun',
      sinceLastPush: 'unchanged',
      evidence: [
        { kind: 'too-few-repetitions', architecture: 'arm', old: 4, new: 7, needed: 5 },
        {
          kind: 'bimodal',
          architecture: 'arm',
          side: 'new',
          modes: [
            { median: 0.013, samples: 3 },
            { median: 0.018, samples: 4 },
          ],
        },
      ],
    },
  ),
  sampleRow([sampleResult({ test: 'uniq', queryIndex: 0, outcome: 'unstable', threshold: 0.4, separated: false })]),
  sampleRow(
    [
      sampleResult({
        test: 'codecs',
        queryIndex: 12,
        difference: -0.31,
        direction: 'faster',
        old: { median: 0.9, repetitions: 7 },
        new: { median: 0.621, repetitions: 7 },
      }),
    ],
    { verdict: 'improvement' },
  ),
  sampleRow([
    sampleResult({
      test: 'json',
      queryIndex: 2,
      status: 'only-new',
      statusReason: 'run-error',
      old: { median: null, repetitions: 0 },
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
      notes: ['run-errors'],
    }),
  ]),
]

export function sampleReport(change: Partial<TriageReport> = {}): TriageReport {
  const shard = { shards: 2, problem: null, conclusion: 'success' } as const
  return {
    schemaVersion: 1,
    repository: { id: 42, owner: 'acme', name: 'fast.db', isPrivate: false, url: 'https://github.com/acme/fast.db' },
    pullRequest: { number: 7, baseRef: 'main' },
    head: HEAD,
    mergeBase: OLD,
    references: [{ commit: OLD, architectures: ['arm', 'amd'], commitsBeforeMergeBase: 2 }],
    primaryMetric: 'client_time',
    architectures: ['arm', 'amd'],
    shards: [
      {
        ...shard,
        check: 'Performance (arm, 1/2)',
        architecture: 'arm',
        shard: 1,
        state: 'measured',
        url: 'https://github.com/acme/fast.db/actions/runs/1/job/2',
      },
      {
        ...shard,
        check: 'Performance (arm, 2/2)',
        architecture: 'arm',
        shard: 2,
        state: 'failed',
        problem: 'no-results',
        conclusion: 'failure',
        url: null,
      },
    ],
    complete: true,
    rows: ROWS,
    counts: { slower: 2, faster: 1, unstable: 1, tooSmall: 0, notSignificant: 0, notCompared: 1 },
    thresholdSources: { floor: 4, configured: 0, test: 0, learned: 0, given: 0 },
    discoveries: [
      { architecture: 'arm', metric: 'client_time', tested: 4, level: 0.01, expectedByChance: 0.0233, passed: 3 },
    ],
    smallestPValue: 0.011655012,
    shifts: [{ architecture: 'arm', shard: 1, queries: 4, shift: 0.004, notable: false }],
    sinceLastPush: { head: OLD, new: 1, resolved: ['sum #8'], unchanged: 1 },
    failingTests: null,
    windows: [],
    mode: 'advisory',
    degradations: ['history-not-available'],
    warnings: [{ code: 'truncated-line', where: 'sum-raw.tsv:1201', message: 'the line ends in the middle' }],
    judgedAt: '2026-11-21T10:00:00Z',
    ...change,
  }
}

/** A report of the size of a large project's: `queries` queries on two architectures. */
export function largeReport(queries: number): TriageReport {
  const jitter = (index: number, salt: number) => ((index * 2654435761 + salt * 40503) % 100_003) / 100_003
  const rows = Array.from({ length: queries }, (_, index) =>
    sampleRow(
      ['arm', 'amd'].map((architecture, salt) =>
        sampleResult({
          architecture,
          test: `test_${Math.floor(index / 12)}`,
          queryIndex: index % 12,
          queryName: `SELECT sum(c${index % 7}), uniq(k${index % 11}) FROM t_${index} WHERE d = ${index * 17} GROUP BY k ORDER BY 1`,
          old: { median: 0.01 + jitter(index, salt), repetitions: 7 },
          new: { median: 0.01 + jitter(index, salt + 2), repetitions: 7 },
          difference: jitter(index, salt + 4) - 0.5,
          threshold: jitter(index, salt + 5),
          pValue: jitter(index, salt + 6),
          rankPValue: jitter(index, salt + 7),
          qValue: jitter(index, salt + 8),
          outcome: index < 20 ? 'changed' : 'not-significant',
        }),
      ),
    ),
  )
  return sampleReport({
    rows,
    counts: { slower: 20, faster: 0, unstable: 0, tooSmall: 0, notSignificant: queries - 20, notCompared: 0 },
  })
}
