import { median } from '../../intake/measurement/median.ts'
import type { TrunkPoint } from '../history/trunk-series.ts'
import type { PositionOf } from './trunk-order.ts'

/** The product of the paired runs in `(from, to]` of the trunk: old and new were measured on the same machine. */
export interface Stretch {
  readonly from: number
  readonly to: number
  /** log(new / old); of several runs of the same two commits the median. */
  readonly log: number
}

/** Places of which any will do, both included. */
export interface Places {
  readonly first: number
  readonly last: number
}

/** The stretches of all runs whose two commits have a position, by their beginning. */
export function stretchesOf(points: readonly TrunkPoint[], positionOf: PositionOf): Stretch[] {
  const byEnds = new Map<string, { readonly from: number; readonly to: number; readonly logs: number[] }>()
  for (const point of points) {
    const [from, to] = [positionOf(point.referenceCommit), positionOf(point.commit)]
    const log = Math.log(point.new / point.old)
    if (from === undefined || to === undefined || from >= to || !Number.isFinite(log)) continue
    const key = `${from} ${to}`
    const known = byEnds.get(key) ?? { from, to, logs: [] }
    known.logs.push(log)
    byEnds.set(key, known)
  }
  return [...byEnds.values()]
    .map(({ from, to, logs }) => ({ from, to, log: median(logs) }))
    .toSorted((a, b) => a.from - b.from || a.to - b.to)
}

/**
 * log of the product of new / old over runs that lead without gap and overlap from a place in `starts` to one in `ends`,
 * which is after it: those with the fewest links, since each brings the noise of a run. Null: there is a gap.
 *
 * Of (60, 61], (60, 62], (61, 62], from 60 to 62: (60, 62] alone. Of (60, 61], (62, 63], from 60 to 63: null.
 *
 * `stretches` are those of `stretchesOf`. Time in proportion to them.
 */
export function chainAcross(stretches: readonly Stretch[], starts: Places, ends: Places): number | null {
  const best = new Map<number, { readonly links: number; readonly log: number }>()
  for (const { from, to, log } of stretches) {
    const isStart = from >= starts.first && from <= starts.last
    const before = isStart ? { links: 0, log: 0 } : best.get(from)
    if (before === undefined || to > ends.last) continue
    const known = best.get(to)
    const links = before.links + 1
    if (known === undefined || links < known.links) best.set(to, { links, log: before.log + log })
  }
  let found: { readonly links: number; readonly log: number } | null = null
  for (let place = ends.first; place <= ends.last; place += 1) {
    const one = best.get(place)
    if (one !== undefined && (found === null || one.links < found.links)) found = one
  }
  return found?.log ?? null
}
