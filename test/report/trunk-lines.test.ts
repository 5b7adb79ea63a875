import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { resultKey } from '../../src/intake/measurement/run.ts'
import type { TrunkSeries } from '../../src/judge/history/trunk-series.ts'
import { decisive } from '../../src/report/parts.ts'
import type { ReportRow } from '../../src/report/report.ts'
import { withTrunkLines } from '../../src/report/trunk-lines.ts'
import { seriesOf } from '../judge/bisect/series-builder.ts'
import { changed, quiet, report, row } from './render/report-builder.ts'

const MEASURED_AT = Date.UTC(2026, 5, 30)

/** A run a minute, the last one at `end`. */
function trunkOf(values: readonly number[], end = MEASURED_AT): TrunkSeries {
  const trunk = seriesOf(values)
  const points = trunk.points.map((one, index) => ({ ...one, time: end - (values.length - 1 - index) * 60_000 }))
  return { ...trunk, points }
}

function linesOf(rows: readonly ReportRow[], trunk: TrunkSeries) {
  const series = new Map(rows.map((one) => [resultKey(decisive(one)), trunk]))
  return withTrunkLines(report(rows), series, MEASURED_AT).map(({ trunkLine }) => trunkLine)
}

const slower = (index: number) => row('join', index, [changed(0.1, 0.2 - index / 100)], { verdict: 'regression' })

test('the five worst rows that are slower have one, those that stand open before those that are explained', () => {
  const explained = { ...slower(0), verdict: 'already-on-trunk' as const }
  const rows = [explained, ...Array.from({ length: 6 }, (_, index) => slower(index + 1)), ...quiet(3)]
  const has = (all: readonly ReportRow[]) => linesOf(all, trunkOf([1, 2, 3, 4, 5])).map((line) => line !== undefined)
  expect(has(rows)).toEqual([false, true, true, true, true, true, false, false, false, false])
  expect(has([explained, slower(1)])).toEqual([true, true])
})

test('the line is of the runs before the measurement, and of five at least', () => {
  expect(linesOf([slower(0)], trunkOf([1, 2, 3, 4]))).toEqual([undefined])
  expect(linesOf([slower(0)], trunkOf([1, 2, 0.5, 4, 2.34567]))).toEqual([
    { runs: 5, lowest: 0.5, highest: 4, values: [1, 2, 0.5, 4, 2.346] },
  ])
  const later = trunkOf([1, 2, 3, 4, 5, 9, 9], MEASURED_AT + 2 * 60_000)
  expect(linesOf([slower(0)], later)[0]).toMatchObject({ runs: 5, highest: 5 })
})

test('of many runs as many together are one value, between the lowest and the highest of all', () => {
  const runs = fc.array(fc.double({ min: 0.001, max: 1000, noNaN: true }), { minLength: 5, maxLength: 2000 })
  fc.assert(
    fc.property(runs, (values) => {
      const [line] = linesOf([slower(0)], trunkOf(values))
      expect(line!.runs).toBe(values.length)
      expect(line!.values.length).toBeLessThanOrEqual(60)
      expect(line!.values.length).toBeGreaterThanOrEqual(Math.min(values.length, 30))
      for (const value of line!.values) {
        expect(value).toBeGreaterThanOrEqual(line!.lowest)
        expect(value).toBeLessThanOrEqual(line!.highest)
      }
    }),
  )
})
