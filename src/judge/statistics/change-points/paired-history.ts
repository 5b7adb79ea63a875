import { averagedMedian } from '../../../intake/measurement/median.ts'
import { normalTwoSided } from '../normal-tail.ts'
import type { PairedPoint } from './step-rule.ts'

/** A run of the trunk; rows are in its order. */
export interface EvidenceRow extends PairedPoint {
  /** The row's old build is the build of the row before it: its two sides differ by what came with this row. */
  readonly isClose: boolean
}

/** The smallest p-value of one run: about one A/A run in twenty is separated on a shared machine. */
const LEAST_RUN_P = 0.05

/** `erfc(1.8214) = 0.01`: T is the 0.99 quantile of what chance does to a run. */
const THRESHOLD_DEVIATIONS = 1.8214 * Math.SQRT2

/** Rows differ by this in the median at least, as a logarithm: clocks and medians of few repetitions come in steps. */
export const LEAST_NOISE = 0.003

/** Rows from which on the likeness of neighbours is asked for; of fewer the correlation is noise itself. */
const CORRELATION_ROWS = 60
/** Residuals beyond this many spreads (1.4826 median distances) count as this: a spike is no likeness. */
const CLIPPED_SPREADS = 3
const SPREAD = 1.4826

/** The measured rows, as logarithms. */
export interface History {
  /** The position of each measured row among all rows. */
  readonly positions: readonly number[]
  readonly levels: Float64Array
  /** `ln new - ln old`; NaN where the row is not close. */
  readonly pairs: Float64Array
  /** p of the run alone; NaN where there is no T. */
  readonly runPs: Float64Array
  readonly noise: number
}

export function historyOf(rows: readonly EvidenceRow[]): History {
  const positions = rows.flatMap((row, position) => (isPositive(row.new) ? [position] : []))
  const levels = new Float64Array(positions.length)
  const pairs = new Float64Array(positions.length)
  const runPs = new Float64Array(positions.length)
  for (const [i, position] of positions.entries()) {
    const row = rows[position]!
    const fresh = Math.log(row.new)
    // The build of a row without a value is between: the pair says nothing of the row before that.
    const isClose = row.isClose && isPositive(row.old) && (i === 0 || positions[i - 1] === position - 1)
    const old = isClose ? Math.log(row.old) : fresh
    levels[i] = (fresh + old) / 2
    pairs[i] = isClose ? fresh - old : Number.NaN
    runPs[i] = runP(row)
  }
  const noise = Math.max(LEAST_NOISE, averagedMedian(pairs.filter(Number.isFinite).map(Math.abs)) || 0)
  return { positions, levels, pairs, runPs, noise }
}

function isPositive(value: number): boolean {
  return Number.isFinite(value) && value > 0
}

function runP({ old, new: fresh, threshold }: PairedPoint): number {
  if (threshold === null || !(threshold > 0)) return Number.NaN
  return Math.max(LEAST_RUN_P, normalTwoSided((THRESHOLD_DEVIATIONS * Math.abs(fresh - old)) / old / threshold))
}

/** The median of the levels in `[from, to)`. */
export function medianOf(levels: Float64Array, from: number, to: number): number {
  return averagedMedian(levels.slice(from, to))
}

/**
 * How alike neighbouring rows are beside the steps: the lag-1 autocorrelation of their residuals. 0 where there are too few
 * rows, and where it is not beyond what independent rows have.
 */
export function correlationOf(
  { levels }: Pick<History, 'levels'>,
  steps: readonly number[],
  leastRows = CORRELATION_ROWS,
): number {
  const count = levels.length
  if (count < leastRows) return 0
  // The row of a step is between the levels: 0 says that nothing is known of it.
  const residuals = new Float64Array(count)
  const bounds = [-1, ...steps, count]
  for (let i = 1; i < bounds.length; i += 1) {
    const [from, to] = [bounds[i - 1]! + 1, bounds[i]!]
    const level = medianOf(levels, from, to)
    for (let at = from; at < to; at += 1) residuals[at] = levels[at]! - level
  }
  const most = CLIPPED_SPREADS * SPREAD * averagedMedian(residuals.map(Math.abs))
  const clipped = residuals.map((residual) => Math.max(-most, Math.min(most, residual)))
  let [products, squares] = [0, 0]
  for (let at = 0; at < count; at += 1) {
    squares += clipped[at]! ** 2
    if (at > 0) products += clipped[at]! * clipped[at - 1]!
  }
  const correlation = squares === 0 ? 0 : products / squares
  return correlation > 2 / Math.sqrt(count) ? correlation : 0
}
