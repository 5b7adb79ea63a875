import { expect, test } from 'vitest'
import type { Measurement } from '../../../../src/intake/measurement/run.ts'
import { differentWork, isWorkMetric, WORK_METRICS } from '../../../../src/judge/verdict/evidence/different-work.ts'
import { classifiedQuery } from '../classified-query-builder.ts'

const row = classifiedQuery({ architecture: 'arm' })
const measured = (metric: string, old: readonly number[], fresh: readonly number[]): Measurement => ({
  test: 'sum',
  queryIndex: 8,
  queryName: null,
  metric,
  unit: null,
  architecture: null,
  old,
  new: fresh,
  reportThreshold: null,
  rounded: false,
  problems: [],
})
const of = (metric: string, old: readonly number[], fresh: readonly number[]) =>
  differentWork(row, [measured(metric, old, fresh)])

test('twice the rows, the largest difference first', () => {
  const work = [
    measured('client_time', [1, 1], [2, 2]),
    measured('memory_usage', [100, 101, 99], [120, 125, 121]),
    measured('read_rows', [1e6, 1e6], [2e6, 2e6]),
    measured('SelectedParts', [0, 0], [3, 3]),
    measured('result_rows', [10, 10], [10, 10]),
  ]
  expect(differentWork(row, work)).toEqual({
    kind: 'different-work',
    architecture: 'arm',
    metrics: [
      { metric: 'SelectedParts', old: 0, new: 3, difference: null },
      { metric: 'read_rows', old: 1e6, new: 2e6, difference: 1 },
      { metric: 'memory_usage', old: 100, new: 121, difference: 0.21 },
    ],
  })
})

test.each([
  ['a few blocks more', 'read_rows', [1_000_000, 1_000_000], [1_004_000, 1_004_000]],
  ['some memory more', 'memory_usage', [100, 100], [107, 107]],
  ['repetitions that overlap', 'read_rows', [100, 100, 200], [100, 200, 200]],
  ['one side', 'read_rows', [100], []],
  ['what is no number', 'read_rows', [100, Number.NaN], [200, 200]],
  ['time', 'client_time', [1, 1], [2, 2]],
])('%s: nothing', (_name, metric, old, fresh) => {
  expect(of(metric, old, fresh)).toBeNull()
})

test('medians alone, as a source rounds them, differ where they do by its own threshold', () => {
  const given = (difference: number) => ({
    ...measured('SelectedRows', [1000], [1000 * (1 + difference)]),
    rounded: true,
    comparison: { difference, threshold: 0.085 },
  })
  expect(differentWork(row, [given(-0.016)])).toBeNull()
  expect(differentWork(row, [given(0.085)])?.metrics[0]?.difference).toBeCloseTo(0.085)
})

test('less work is different too', () => {
  expect(of('SelectedMarks', [100, 100], [40, 40])?.metrics[0]?.difference).toBe(-0.6)
})

test('the counters that ClickHouse has for the rows of a query, also where it reads as many before and after', () => {
  const moved = of('RowsReadByMainReader', [1_000_000, 1_000_000], [20_000, 20_000])
  expect(moved?.metrics[0]).toMatchObject({ metric: 'RowsReadByMainReader', difference: -0.98 })
  expect(of('JoinBuildTableRowCount', [100, 100], [90_000, 90_000])).not.toBeNull()
  // as many before the index is asked: how large the table is, not what the query does
  expect(isWorkMetric('SelectedMarksTotal')).toBe(false)
  expect(WORK_METRICS.every(isWorkMetric)).toBe(true)
})
