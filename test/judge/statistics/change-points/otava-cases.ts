import { readFileSync } from 'node:fs'

export interface OtavaCase {
  readonly test: string
  readonly series: readonly number[]
  readonly windowLength: number
  readonly maxP: number
  readonly minStep: number
  readonly expected: readonly number[]
}

interface Recorded {
  readonly test: string
  readonly series?: readonly number[] | Readonly<Record<string, readonly number[]>>
  readonly options?: string | { window_len?: number; max_pvalue?: number; min_magnitude?: number }
  readonly expected_indexes?: readonly number[] | Readonly<Record<string, readonly number[]>>
}

/**
 * The series and change points that Otava's own tests assert. Where a test sets no window or step, Otava's defaults; the
 * one over the whole interval fits into one window.
 */
export function otavaCases(): OtavaCase[] {
  const path = new URL('../../../data/history-otava/expected_from_tests.json', import.meta.url)
  const { tigerbeetle_series, cases } = JSON.parse(readFileSync(path, 'utf8')) as {
    tigerbeetle_series: readonly number[]
    cases: readonly Recorded[]
  }
  return cases.flatMap(({ test, series = tigerbeetle_series, options, expected_indexes: expected }) => {
    if (expected === undefined) return [] // of sample.csv: see test/cli/commands/change-points.test.ts
    const given = typeof options === 'object' ? options : {}
    const settings = {
      windowLength: given.window_len ?? 50,
      maxP: given.max_pvalue ?? 0.001,
      minStep: given.min_magnitude ?? 0,
    }
    if (Array.isArray(series)) return [{ test, series, expected: expected as readonly number[], ...settings }]
    return Object.entries(series).map(([name, values]) => ({
      test: `${test} ${name}`,
      series: values,
      expected: (expected as Readonly<Record<string, readonly number[]>>)[name]!,
      ...settings,
    }))
  })
}
