import type { MassFailure } from './failure.ts'

/** How long the hours are in which mass failures are looked for; one starts every half hour, so that none is cut in two. */
export const MASS_FAILURE_MS = 3_600_000

/**
 * The mass failures that a row of this time is in, of the two hours that it belongs to.
 *
 * 10:40 is in the hours that start at 10:00 and at 10:30. 11:00 is in those of 10:30 and 11:00, and not in that of 10:00.
 */
export function massFailuresAt(time: number, massFailures: readonly MassFailure[]): readonly MassFailure[] {
  return massFailures.filter(({ start }) => start <= time && time < start + MASS_FAILURE_MS)
}

/** The fewest of these hours that hold all the times: what lies in two overlapping ones is told as one. */
export function hoursHolding(times: readonly number[], massFailures: readonly MassFailure[]): number {
  let hours = 0
  let end = Number.NEGATIVE_INFINITY
  for (const time of times.toSorted((a, b) => a - b)) {
    if (time < end) continue
    const starts = massFailuresAt(time, massFailures).map(({ start }) => start)
    if (starts.length === 0) continue
    end = Math.max(...starts) + MASS_FAILURE_MS
    hours += 1
  }
  return hours
}
