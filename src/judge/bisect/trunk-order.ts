import type { TrunkPoint } from '../history/trunk-series.ts'

/** Where a commit stands on the trunk; undefined where nobody knows. */
export type PositionOf = (commit: string) => number | undefined

/** A full commit id; what is shorter may be the beginning of one. */
const FULL_LENGTH = 40

/** Two commits of a trunk hardly ever begin alike in so many characters; of fewer nothing is concluded. */
const SHORTEST_ID = 7

/** The positions by full id, and by the beginning of the ids of one commit alone. Time `log n` for each short id. */
export function positionsOf(positions: ReadonlyMap<string, number>): PositionOf {
  let sorted: readonly string[] | null = null
  return (commit) => {
    const exact = positions.get(commit)
    if (exact !== undefined || commit.length >= FULL_LENGTH || commit.length < SHORTEST_ID) return exact
    sorted ??= [...positions.keys()].toSorted()
    let found: number | undefined
    for (let at = firstFrom(sorted, commit); at < sorted.length; at += 1) {
      if (!sorted[at]!.startsWith(commit)) break
      const position = positions.get(sorted[at]!)
      if (found !== undefined && found !== position) return undefined
      found = position
    }
    return found
  }
}

/** The first one that is not before `text`. */
function firstFrom(sorted: readonly string[], text: string): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! < text) low = middle + 1
    else high = middle
  }
  return low
}

/** The old build of a run is that of another one; a short id stands for its commit. */
export function isMeasuredAgainst({ referenceCommit }: TrunkPoint, { commit }: TrunkPoint): boolean {
  return referenceCommit !== '' && (commit.startsWith(referenceCommit) || referenceCommit.startsWith(commit))
}

/** The position of each commit's first point. */
export function positionsInSeries(points: readonly TrunkPoint[]): PositionOf {
  const positions = new Map<string, number>()
  for (const [index, { commit }] of points.entries()) if (!positions.has(commit)) positions.set(commit, index)
  return positionsOf(positions)
}

/**
 * The points in the order of the trunk, as far as it is known: runs of neighbouring commits end out of order all the time.
 * A commit stands before those that were measured against it, and those in `order` (positions of commits) stand in that
 * order among each other. The rest keeps the order of time, which is that of `points`.
 *
 * Commit 42, measured against 41, ended before the run of 41 itself: 41 comes first.
 */
export function inTrunkOrder(
  points: readonly TrunkPoint[],
  order: ReadonlyMap<string, number> | null = null,
): TrunkPoint[] {
  const sorted = referencesFirst(points)
  if (order === null) return sorted
  const positionOf = positionsOf(order)
  const known = sorted.flatMap((point, index) => {
    const position = positionOf(point.commit)
    return position === undefined ? [] : [{ point, index, position }]
  })
  const inOrder = known.toSorted((a, b) => a.position - b.position || a.index - b.index)
  for (const [i, { index }] of known.entries()) sorted[index] = inOrder[i]!.point
  return sorted
}

function referencesFirst(points: readonly TrunkPoint[]): TrunkPoint[] {
  const positionOf = positionsInSeries(points)
  const sorted: TrunkPoint[] = []
  const isPlaced = new Uint8Array(points.length)
  for (let next = 0; next < points.length; next += 1) {
    const waiting: number[] = []
    let at: number | undefined = next
    // Commits before it that are not placed come first; ids from outside may go in circles.
    while (at !== undefined && isPlaced[at] === 0) {
      isPlaced[at] = 1
      waiting.push(at)
      at = positionOf(points[at]!.referenceCommit)
    }
    while (waiting.length > 0) sorted.push(points[waiting.pop()!]!)
  }
  return sorted
}
