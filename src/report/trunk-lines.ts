import { median } from '../intake/measurement/median.ts'
import { resultKey } from '../intake/measurement/run.ts'
import type { TrunkSeries } from '../judge/history/trunk-series.ts'
import { shownValue } from '../judge/verdict/classified-query.ts'
import { findingsOf } from '../judge/verdict/findings.ts'
import { decisive } from './parts.ts'
import type { ReportRow, TriageReport, TrunkLine } from './report.ts'

/** Rows that have one: who has more that are slower starts with the worst anyway. */
const MOST_ROWS = 5

/** Of fewer runs nothing is to be seen. */
const FEWEST_RUNS = 5

const MOST_VALUES = 60

/** No picture shows more of a value, and every digit is part of its name. */
const DIGITS = 4

/**
 * The rows of a report, the worst ones that are slower with their history on the trunk: those that stand open, then those that
 * are explained, which the trunk may be. Only runs from before the head was measured (`measuredAt`, milliseconds), so that the
 * same measurements give the same line later.
 */
export function withTrunkLines(
  report: TriageReport,
  series: ReadonlyMap<string, TrunkSeries>,
  measuredAt: number,
): readonly ReportRow[] {
  const { open, slower } = findingsOf(report)
  const lines = new Map<ReportRow, TrunkLine>()
  for (const row of new Set([...open, ...slower])) {
    if (lines.size === MOST_ROWS) break
    const result = decisive(row)
    const line = shownValue(result.new) === null ? null : trunkLine(series.get(resultKey(result)), measuredAt)
    if (line !== null) lines.set(row, line)
  }
  return report.rows.map((row) => (lines.has(row) ? { ...row, trunkLine: lines.get(row)! } : row))
}

function trunkLine(series: TrunkSeries | undefined, measuredAt: number): TrunkLine | null {
  const values = (series?.points ?? [])
    .filter((point) => point.time <= measuredAt && Number.isFinite(point.new) && point.new > 0)
    .map((point) => point.new)
  if (values.length < FEWEST_RUNS) return null
  const together = Math.ceil(values.length / MOST_VALUES)
  const parts = Array.from({ length: Math.ceil(values.length / together) }, (_, index) =>
    values.slice(index * together, (index + 1) * together),
  )
  return {
    runs: values.length,
    lowest: rounded(values.reduce((least, value) => Math.min(least, value))),
    highest: rounded(values.reduce((most, value) => Math.max(most, value))),
    values: parts.map((part) => rounded(median(part))),
  }
}

function rounded(value: number): number {
  return Number(value.toPrecision(DIGITS))
}
