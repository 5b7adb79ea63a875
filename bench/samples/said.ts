import type { Measurement } from '../../src/intake/measurement/run.ts'
import type { ReportRow } from '../../src/report/report.ts'
import { judgeRun, runOf } from '../calibration/head.ts'
import type { RecordedRun } from '../calibration/recorded-runs.ts'

export interface Said {
  readonly runs: number
  readonly rows: number
  readonly changed: number
  readonly regression: number
  readonly needsRerun: number
  readonly improvement: number
  /** Runs with a regression. */
  readonly accusing: number
}

export interface Setting {
  readonly name: string
  readonly before: Said
  readonly now: Said
}

export const START = Date.UTC(2026, 10, 1)
export const HOURS = 4 * 3_600_000

export function recorded(name: string, measurements: readonly Measurement[], point = 0): RecordedRun {
  const commit = (at: number) => at.toString(16).padStart(40, '0')
  const [oldCommit, newCommit] = [commit(point), commit(point + 1)]
  return { name, isSameBuild: true, oldCommit, newCommit, time: START + point * HOURS, measurements, warnings: [] }
}

export function said(runs: readonly (readonly ReportRow[])[]): Said {
  const rows = runs.flat()
  const count = (verdict: ReportRow['verdict']) => rows.filter((row) => row.verdict === verdict).length
  return {
    runs: runs.length,
    rows: rows.length,
    changed: rows.filter(({ outcome }) => outcome === 'changed').length,
    regression: count('regression'),
    needsRerun: count('needs-rerun'),
    improvement: count('improvement'),
    accusing: runs.filter((ofRun) => ofRun.some(({ verdict }) => verdict === 'regression')).length,
  }
}

/** As before readers said where a sample comes from. */
export function withoutOrigins(measurements: readonly Measurement[]): Measurement[] {
  return measurements.map(({ taken: _taken, clock: _clock, ...rest }) => rest)
}

export function rowsOf(measurements: readonly Measurement[]): readonly ReportRow[] {
  return judgeRun(runOf(recorded('made', measurements), 1, 1)).rows
}

export function compared(name: string, runs: readonly (readonly Measurement[])[]): Setting {
  return {
    name,
    before: said(runs.map((run) => rowsOf(withoutOrigins(run)))),
    now: said(runs.map(rowsOf)),
  }
}
