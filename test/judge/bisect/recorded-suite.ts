import { recordedRuns } from '../../../demo/trunk.ts'
import type { TrunkSeries } from '../../../src/judge/history/trunk-series.ts'
import { randomizationTest } from '../../../src/judge/statistics/randomization-test.ts'
import { point, seriesOf } from './series-builder.ts'

/** The queries of a test in the demo's recorded trunk of 40 runs. */
export function recordedSuite(name: string): TrunkSeries[] {
  const runs = recordedRuns().filter((run) => run.test === name)
  return [...Map.groupBy(runs, ({ query }) => query)].map(([queryIndex, ofQuery]) => ({
    ...seriesOf([], { test: name, queryIndex }),
    points: ofQuery
      .toSorted((a, b) => a.point - b.point)
      .map(({ point: run, sides }) => {
        const { oldMedian, newMedian, threshold } = randomizationTest(...sides)
        return point(run, oldMedian, newMedian, { threshold })
      }),
  }))
}
