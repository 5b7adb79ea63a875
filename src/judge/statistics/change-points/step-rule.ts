import { median } from '../../../intake/measurement/median.ts'

/** A trunk run of one query: its own build against an older one, on the same machine. */
export interface PairedPoint {
  /** Medians of the two sides, in one unit. */
  readonly old: number
  readonly new: number
  /** T, as a fraction of `old`; null where nothing is known of it. */
  readonly threshold: number | null
}

/** A step by the rule of the article. */
export interface PairedStep {
  /** Position of the row whose new side has the new level, among all rows given. */
  readonly index: number
  /** Medians of the old side until then and of the new side from then on. */
  readonly before: number
  readonly after: number
  /** `|after - before| / max(after, before)`, a fraction below 1. */
  readonly height: number
  /** `(new - old) / old` of the row itself. */
  readonly difference: number
  /** The size of move that the query has when nothing happened: see `HISTORICAL_ROWS`. */
  readonly historical: number
}

/**
 * Rows beside the current one whose median is a level. A level needs enough rows that a few spikes do not move it.
 *
 * A step of levels: 12 rows at 20 ms, 12 rows at 23 ms. None: 12 rows at 20 ms, among the next 12 five at 23 ms.
 */
export const LEVEL_ROWS = 11

/**
 * Rows before the current one over which the query's usual movement is taken: the 0.95 quantile of |difference| over
 * these and the current row, which leaves out the largest one of 21 to 38: the step itself. Of up to 20 rows it is the
 * largest, and as a rise is higher in its difference than in its height, no rise passes with fewer than 20 rows before it.
 *
 * A step: from 10 to 11 ms where none of the last 37 rows differed by more than 8%. None: where one differed by 20%.
 */
const HISTORICAL_ROWS = 37
const HISTORICAL_LEVEL = 0.95

/**
 * The smallest step, as a fraction: the smallest change of a query that is reported.
 *
 * A step: height 0.06 and |difference| 0.06. None: 0.04 and 0.04, however steady.
 */
const STEP_MINIMUM = 0.05

/**
 * The row itself must show this share of the height, or it is not the row where the level changed.
 *
 * The place of a step of 0.10: |difference| 0.08. Not the place: 0.06, which may be the noise of a row beside it.
 */
const STEP_SHARE = 0.7

/**
 * The article's step rule over the history of one query (and machine type), in the order of time: a row is a step where
 * both the levels around it and its own paired difference are notable. A single spike moves no level, a slow drift has no
 * row with a difference.
 *
 * Rows whose values are not finite, or whose old value is not positive, are left out and keep their position. No memory
 * beyond the rows; time in proportion to them.
 */
export function pairedSteps(rows: readonly PairedPoint[]): PairedStep[] {
  const positions: number[] = []
  for (const [position, row] of rows.entries()) if (isMeasured(row)) positions.push(position)
  const measured = positions.map((position) => rows[position]!)
  const differences = measured.map((row) => (row.new - row.old) / row.old)
  const steps: PairedStep[] = []
  for (const [i, difference] of differences.entries()) {
    const size = Math.abs(difference)
    // Most rows end here, before anything is sorted.
    if (size < Math.max(STEP_MINIMUM, measured[i]!.threshold ?? 0)) continue
    const historical = historicalAt(differences, i)
    if (size < historical) continue
    const before = median(measured.slice(Math.max(0, i - LEVEL_ROWS), i + 1).map((row) => row.old))
    const after = median(measured.slice(i, i + LEVEL_ROWS + 1).map((row) => row.new))
    const height = Math.abs(after - before) / Math.max(after, before)
    if (height < Math.max(STEP_MINIMUM, historical) || size < STEP_SHARE * height) continue
    steps.push({ index: positions[i]!, before, after, height, difference, historical })
  }
  return steps
}

function isMeasured(row: PairedPoint): boolean {
  return Number.isFinite(row.old) && row.old > 0 && Number.isFinite(row.new) && row.new >= 0
}

/** ClickHouse's `quantileExact`: the element at index floor(level * count) of the sorted ones, the last one at most. */
function historicalAt(differences: readonly number[], index: number): number {
  const sizes = Float64Array.from(differences.slice(Math.max(0, index - HISTORICAL_ROWS), index + 1), Math.abs).sort()
  return sizes[Math.min(Math.floor(HISTORICAL_LEVEL * sizes.length), sizes.length - 1)]!
}
