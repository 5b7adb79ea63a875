import { metricGroup } from '../intake/measurement/metric-group.ts'
import { geometricMean } from '../judge/statistics/geometric-mean.ts'
import { type ClassifiedQuery, type SideSummary, shownValue } from '../judge/verdict/classified-query.ts'
import type { ReportRow } from './report.ts'

/** How fast the queries of a test are together, on one architecture by one metric. */
export interface TestSpeed {
  readonly test: string
  readonly architecture: string | null
  readonly metric: string
  readonly unit: string | null
  /** Queries with a value on one side at least. */
  readonly queries: number
  /** New by old, the geometric mean over the queries that have both; null: none has. */
  readonly ratio: number | null
  /** What all repetitions of both sides took together, by their medians; null: of a query nobody says how many there were. */
  readonly total: number | null
  /** The query with the largest median on either side. */
  readonly slowest: { readonly row: ReportRow; readonly value: number }
}

interface Measured {
  readonly row: ReportRow
  readonly result: ClassifiedQuery
  /** The larger median. */
  readonly value: number
}

/** Of a report that is remembered they are not computed again. */
const SPEEDS = new WeakMap<readonly ReportRow[], readonly TestSpeed[]>()

/** A line for each test, architecture and metric that is a time: what takes longest first. */
export function testSpeeds(rows: readonly ReportRow[]): readonly TestSpeed[] {
  const speeds = SPEEDS.get(rows) ?? speedsIn(rows)
  SPEEDS.set(rows, speeds)
  return speeds
}

function speedsIn(rows: readonly ReportRow[]): readonly TestSpeed[] {
  const measured = rows.flatMap((row) =>
    row.results.flatMap((result): Measured[] => {
      if (metricGroup(result.metric, result.unit) !== 'time') return []
      const values = [result.old, result.new].flatMap((side) => shownValue(side) ?? [])
      return values.length === 0 ? [] : [{ row, result, value: Math.max(...values) }]
    }),
  )
  const keyOf = ({ result: { test, architecture, metric, unit } }: Measured) =>
    JSON.stringify([test, architecture, metric, unit])
  return [...Map.groupBy(measured, keyOf).values()]
    .map(speedOf)
    .toSorted((a, b) => (b.total ?? 0) - (a.total ?? 0) || (a.test < b.test ? -1 : a.test > b.test ? 1 : 0))
}

function speedOf(measured: readonly Measured[]): TestSpeed {
  const { test, architecture, metric, unit } = measured[0]!.result
  const ratios = measured.flatMap(({ result }) => {
    const [old, fresh] = [shownValue(result.old), shownValue(result.new)]
    return old !== null && fresh !== null && old > 0 && fresh > 0 ? [fresh / old] : []
  })
  const slowest = measured.reduce((most, one) => (one.value > most.value ? one : most))
  return {
    test,
    architecture,
    metric,
    unit,
    queries: measured.length,
    ratio: geometricMean(ratios),
    total: totalOf(measured),
    slowest: { row: slowest.row, value: slowest.value },
  }
}

function totalOf(measured: readonly Measured[]): number | null {
  let total = 0
  for (const { result } of measured) {
    for (const side of [result.old, result.new]) {
      const took = tookOf(side)
      if (took === null) return null
      total += took
    }
  }
  return total
}

function tookOf(side: SideSummary): number | null {
  const value = shownValue(side)
  if (value === null) return 0
  return side.repetitions === null ? null : value * side.repetitions
}
