import type { Measurement } from '../../src/measurement/run.ts'
import { median } from '../../src/statistics/median.ts'
import { judgeRun, runOf } from './head.ts'
import type { RecordedRun } from './recorded-runs.ts'

/** One query in eight is slowed at a time: a change of most queries would look like the machine's. */
const SLOWED_SHARE = 8

export interface Planted {
  /** Median of the new side in that of the old side. */
  readonly ratio: number
  readonly queries: number
  /** Shares of the slowed queries. */
  readonly changed: number
  readonly regression: number
  readonly open: number
  /** Every row that stands before it in the report is guarded as well. */
  readonly top: number
}

/**
 * What becomes of slow-downs in real noise: each query of each run of the same build once, its new samples multiplied so
 * that the ratio of the medians is `ratio`. Judged without history.
 */
export function plantedRates(runs: readonly RecordedRun[], ratio: number): Planted {
  let [queries, changed, regression, open, top] = [0, 0, 0, 0, 0]
  for (const run of runs.filter(({ isSameBuild }) => isSameBuild)) {
    for (let first = 0; first < SLOWED_SHARE; first += 1) {
      const slowed = new Set(run.measurements.filter((_, index) => index % SLOWED_SHARE === first))
      const measurements = run.measurements.map((one) => (slowed.has(one) ? slowDown(one, ratio) : one))
      const { rows } = judgeRun(runOf({ ...run, measurements }, 1, 1))
      const names = new Set([...slowed].map(({ queryName }) => queryName))
      const unguarded = rows.findIndex(({ guarded }) => !guarded)
      for (const [place, row] of rows.entries()) {
        if (!names.has(row.queryName)) continue
        queries += 1
        changed += Number(row.outcome === 'changed' && row.direction === 'slower')
        regression += Number(row.verdict === 'regression')
        open += Number(row.verdict === 'regression' || row.verdict === 'needs-rerun')
        top += Number(unguarded === -1 || place < unguarded)
      }
    }
  }
  return {
    ratio,
    queries,
    changed: changed / queries,
    regression: regression / queries,
    open: open / queries,
    top: top / queries,
  }
}

/** The same measurement with its new samples multiplied so that its medians have this ratio. */
export function slowDown(measurement: Measurement, ratio: number): Measurement {
  const { old, new: fresh } = measurement
  const factor = (ratio * median(old)) / median(fresh)
  return { ...measurement, new: fresh.map((value) => value * factor) }
}
