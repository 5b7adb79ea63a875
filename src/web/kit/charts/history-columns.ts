/** A place of a history: a single point, or the points that share a column. */
export interface HistoryColumn {
  /** Per cent of the way along the axis. */
  readonly x: number
  /** The lowest, the median and the highest value; all the same of a single point. */
  readonly low: number
  readonly middle: number
  readonly high: number
  readonly points: number
}

/** More points than this overlap each other: they are put together in columns. */
export const MOST_POINTS = 1000

/** Columns of a chart: about two pixels each on a desktop. */
export const COLUMNS = 400

/**
 * Values at their places, put together where there are too many: nothing is left out, as each column reaches from its lowest
 * to its highest value. Places are in per cent and not in order; values are finite.
 */
export function historyColumns(points: readonly { readonly x: number; readonly value: number }[]): HistoryColumn[] {
  if (points.length <= MOST_POINTS) {
    return points.map(({ x, value }) => ({ x, low: value, middle: value, high: value, points: 1 }))
  }
  const columns = new Map<number, number[]>()
  for (const { x, value } of points) {
    const column = Math.min(COLUMNS - 1, Math.floor((x / 100) * COLUMNS))
    const values = columns.get(column)
    if (values === undefined) columns.set(column, [value])
    else values.push(value)
  }
  return [...columns]
    .toSorted(([a], [b]) => a - b)
    .map(([column, values]) => {
      const sorted = values.toSorted((a, b) => a - b)
      return {
        x: ((column + 0.5) / COLUMNS) * 100,
        low: sorted[0]!,
        middle: sorted[sorted.length >> 1]!,
        high: sorted.at(-1)!,
        points: sorted.length,
      }
    })
}
