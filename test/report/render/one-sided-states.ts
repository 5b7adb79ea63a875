import type { AgainstHistory } from '../../../src/judge/verdict/classified-query.ts'
import { quiet, report, result, row, shards, unstable } from './report-builder.ts'
import type { State } from './states.ts'

/** The head alone was measured, and held against 20 runs of the trunk. */

const HISTORY: AgainstHistory = {
  jobs: 2,
  trunkRuns: 40,
  asLarge: 0,
  reach: 0.109,
  asksAgain: false,
  reason: null,
  moreJobs: 0,
  isExact: false,
  isGuarded: false,
}

function against(old: number, fresh: number, history: Partial<AgainstHistory> = {}) {
  const known = { ...HISTORY, ...history }
  const of = {
    old: { median: old, repetitions: 20 },
    new: { median: fresh, repetitions: known.jobs },
    threshold: known.reach,
    pValue: null,
    rankPValue: null,
    smallestPValue: null,
    separated: null,
    changedThreshold: 0.109,
    changedThresholdSource: 'history',
    unstableThresholdSource: 'history',
    history: known,
  } as const
  return of
}

const noisy = Array.from({ length: 9 }, (_, index) =>
  row('example.com/codec', null, [unstable(0.01, 0.0101, against(0.01, 0.0101, { reach: 0.31, moreJobs: null }))], {
    queryName: `BenchmarkDecode/${index}`,
  }),
)

export const ONE_SIDED_STATES: Readonly<Record<string, State>> = {
  'one-sided-two-jobs': {
    report: report(
      [
        row(
          'example.com/codec',
          null,
          [result(0.00192, 0.00219, { ...against(0.00192, 0.00219), outcome: 'changed', direction: 'slower' })],
          { queryName: 'BenchmarkEncode/large', verdict: 'regression', evidence: [] },
        ),
        ...noisy,
        ...quiet(90),
      ],
      { shards: shards(1) },
    ),
  },
  'one-sided-one-job': {
    report: report(
      [
        row(
          'example.com/codec',
          null,
          [
            unstable(0.00192, 0.00219, {
              ...against(0.00192, 0.00219, { jobs: 1, asksAgain: true, reason: 'one-job', moreJobs: 1 }),
              direction: 'slower',
            }),
          ],
          { queryName: 'BenchmarkEncode/large', verdict: 'needs-rerun', evidence: [] },
        ),
        ...noisy,
        ...quiet(90),
      ],
      { shards: shards(1) },
    ),
  },
}
