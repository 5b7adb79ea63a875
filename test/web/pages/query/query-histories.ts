import { type MeasuredHistory, measured, withoutReleases } from '../../../../bench/change-points/histories.ts'
import type { TrunkRow } from '../../../../src/intake/imports/history/trunk-row.ts'
import { median } from '../../../../src/intake/measurement/median.ts'
import type { QueryId } from '../../../../src/intake/measurement/run.ts'
import { randomizationTest } from '../../../../src/judge/statistics/randomization-test.ts'
import { measuredRows, trunkRow } from '../../../store/history/trunk-rows.ts'

const HOUR = 3_600_000

/** The day after the measured history ended. */
export const NOW = Math.max(...measuredRows().map(({ time }) => time)) + 24 * HOUR

/** One of the 68 measured queries that steps at both releases. */
export const MEASURED: QueryId = queryOf(measuredRows()[0]!)

/** 5,000 runs: the noise of the calmest measured query over and over, with a rise, its way back and a rise that lasts. */
export const LONG: QueryId = { test: 'long', queryIndex: 3, queryName: 'SELECT count() FROM hits WHERE URL LIKE 1' }

export function queryOf({ test, queryIndex, queryName }: TrunkRow): QueryId {
  return { test, queryIndex, queryName }
}

/** A full commit id of a number. */
export function commitOf(number: number): string {
  return number.toString(16).padStart(8, '0').repeat(5)
}

const CALMEST = withoutReleases(measured().toSorted((a, b) => spreadOf(a) - spreadOf(b))[0]!).points

/** How far its samples reach around their median, in the middle of its points. */
function spreadOf({ points }: MeasuredHistory): number {
  const spreads = points.map((point) => (Math.max(...point.new) - Math.min(...point.new)) / median(point.new))
  return median(spreads)
}

export function longRows(runs = 5000, changes: Partial<TrunkRow> = {}): TrunkRow[] {
  const noise = CALMEST
  const first = NOW - 360 * 24 * HOUR
  const gap = (359 * 24 * HOUR) / runs
  const levelOf = (run: number) =>
    run < runs * 0.3 ? 0.02 : run < runs * 0.5 ? 0.0246 : run < runs * 0.8 ? 0.02 : 0.0262
  return Array.from({ length: runs }, (_, run) => {
    const { old, new: fresh } = noise[run % noise.length]!
    const [before, after] = [levelOf(run - 1), levelOf(run)]
    const result = randomizationTest(
      old.map((value) => value * before),
      fresh.map((value) => value * after),
    )
    return trunkRow({
      ...LONG,
      time: Math.floor((first + run * gap) / 1000) * 1000,
      oldCommit: commitOf(run),
      newCommit: commitOf(run + 1),
      old: result.oldMedian,
      new: result.newMedian,
      difference: result.difference,
      threshold: result.threshold,
      ...changes,
    })
  })
}
