import type { ChangePoint } from '../../src/judge/statistics/change-points/change-points.ts'

/** A step of `size`, a fraction, from position `at` on, and what the detectors made of it. */
export interface Planted {
  readonly at: number
  readonly size: number
}

/** A planted step counts as found by the nearest point of the same series within this many positions. */
export const FOUND_WITHIN = 5
/** Points that a level has at least: a step nearer to an end is not planted. */
const LEAST_LEVEL = 7

export function plant(values: readonly number[], { at, size }: Planted): number[] {
  return values.map((value, i) => (i >= at ? value * (1 + size) : value))
}

/** At most `most` positions, evenly spread. */
export function places(length: number, most: number): number[] {
  const last = length - LEAST_LEVEL
  const stride = Math.max(1, Math.ceil((last - LEAST_LEVEL + 1) / most))
  const all: number[] = []
  for (let at = LEAST_LEVEL; at <= last; at += stride) all.push(at)
  return all
}

export interface Recall {
  readonly planted: number
  readonly found: number
  /** Of those found, at the very position, and within one of it. */
  readonly exact: number
  readonly withinOne: number
  /** Mean distance of those found, in positions. */
  readonly meanError: number
}

export function recall(trials: readonly { at: number; points: readonly number[] }[]): Recall {
  const errors = trials
    .map(({ at, points }) => Math.min(...points.map((point) => Math.abs(point - at))))
    .filter((error) => error <= FOUND_WITHIN)
  return {
    planted: trials.length,
    found: errors.length,
    exact: errors.filter((error) => error === 0).length,
    withinOne: errors.filter((error) => error <= 1).length,
    meanError: errors.reduce((sum, error) => sum + error, 0) / errors.length,
  }
}

/** How often the interval of a found step holds the true position, and how wide it is. */
export function intervals(trials: readonly { at: number; points: readonly ChangePoint[] }[]) {
  const widths: number[] = []
  let held = 0
  for (const { at, points } of trials) {
    const nearest = points.toSorted((a, b) => Math.abs(a.index - at) - Math.abs(b.index - at))[0]
    if (nearest === undefined || Math.abs(nearest.index - at) > FOUND_WITHIN) continue
    widths.push(nearest.latest - nearest.earliest + 1)
    if (nearest.earliest <= at && at <= nearest.latest) held += 1
  }
  return { found: widths.length, held, medianWidth: widths.toSorted((a, b) => a - b)[widths.length >>> 1] ?? 0 }
}
