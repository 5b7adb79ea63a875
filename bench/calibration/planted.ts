import { median } from '../../src/intake/measurement/median.ts'
import type { Measurement } from '../../src/intake/measurement/run.ts'
import type { Verdict } from '../../src/judge/verdict/verdict.ts'
import { labelsGiven } from './counts.ts'
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

export interface Shifted {
  /** All new samples of a run times this. */
  readonly factor: number
  readonly runs: number
  /** Runs of which the report says that the whole of it moved. */
  readonly said: number
  readonly queries: number
  /** Queries by what they are called. */
  readonly changed: number
  readonly regression: number
  readonly needsRerun: number
  readonly improvement: number
  /** Runs that get the label. */
  readonly labelled: { readonly slower: number; readonly faster: number }
}

/** What a machine does that is slower or faster for the new side alone: each run of the same build, judged without history. */
export function shiftedRates(runs: readonly RecordedRun[], factor: number): Shifted {
  const reports = runs
    .filter(({ isSameBuild }) => isSameBuild)
    .map((run) => {
      const shift = (one: Measurement) => ({ ...one, new: one.new.map((value) => value * factor) })
      return judgeRun(runOf({ ...run, measurements: run.measurements.map(shift) }, 1, 1))
    })
  const rows = reports.flatMap((report) => report.rows)
  const called = (verdict: Verdict) => rows.filter((row) => row.verdict === verdict).length
  return {
    factor,
    runs: reports.length,
    said: reports.filter(({ shifts }) => shifts.some(({ notable }) => notable)).length,
    queries: rows.length,
    changed: rows.filter(({ outcome }) => outcome === 'changed').length,
    regression: called('regression'),
    needsRerun: called('needs-rerun'),
    improvement: called('improvement'),
    labelled: labelsGiven(reports),
  }
}

/** The same measurement with its new samples multiplied so that its medians have this ratio. */
export function slowDown(measurement: Measurement, ratio: number): Measurement {
  const { old, new: fresh } = measurement
  const factor = (ratio * median(old)) / median(fresh)
  return { ...measurement, new: fresh.map((value) => value * factor) }
}
