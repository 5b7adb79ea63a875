import { childrenOf, oldScale, type StackDifference } from './stack-difference.ts'

/**
 * A frame narrower than this fraction of the whole is not drawn: on a screen of 1,200 pixels it is half a pixel wide, and
 * no pointer finds it. Of 2,000 stack samples of both sides together it is one.
 * Triggers: 1 stack sample of 2,001. Doesn't: 1 of 2,000.
 */
export const NARROWEST = 1 / 2000

/**
 * No more frames than these are drawn, the widest: browsers draw them within a second, and the file stays under 10 MB.
 * Triggers: 25,000 frames that are wide enough, of which the narrowest 5,000 are left out. Doesn't: 20,000 of them.
 */
export const MOST_DRAWN = 20_000

/**
 * No level deeper than this is drawn: 5,000 pixels are scrolled through already, and only runaway recursion is deeper.
 * Triggers: a function that calls itself 1,000 times. Doesn't: 300 frames in a stack.
 */
export const MOST_LEVELS = 300

/** A frame where it is drawn. */
export interface PlacedFrame {
  /** A node of the difference. */
  readonly node: number
  /** 0 for the root, which stands for all stacks. */
  readonly level: number
  /** Fractions of the whole width. */
  readonly left: number
  readonly width: number
}

export interface FlameLayout {
  /** A frame comes after the one that it stands on. */
  readonly placed: readonly PlacedFrame[]
  /** Levels that have a frame, that of the root included. */
  readonly levels: number
  /** Frames that have stacks and are not drawn, by what comes first: too deep, or too narrow. */
  readonly tooDeep: number
  readonly tooNarrow: number
  /** The fraction of the width below which a frame is not drawn: `NARROWEST`, more where there are too many. */
  readonly narrowest: number
}

/**
 * Places the frames: as wide as the counts of both sides together, so that what is gone from the new side is still seen,
 * and frames that stand on the same one are ordered by name, so that two graphs of similar profiles look alike.
 */
export function flameLayout(difference: StackDifference, normalize: boolean, mostDrawn = MOST_DRAWN): FlameLayout {
  const weights = bothSides(difference, oldScale(difference, normalize))
  const whole = weights[0]!
  if (whole === 0) return { placed: [], levels: 0, tooDeep: 0, tooNarrow: 0, narrowest: NARROWEST }
  const levels = levelsOf(difference)
  const narrowest = narrowestOf(weights, levels, mostDrawn)
  const placed = place(difference, weights, levels, narrowest)

  let tooDeep = 0
  let withStacks = 0
  for (let node = 0; node < weights.length; node += 1) {
    if (weights[node]! <= 0) continue
    withStacks += 1
    if (levels[node]! > MOST_LEVELS) tooDeep += 1
  }
  return {
    placed,
    levels: placed.reduce((most, { level }) => Math.max(most, level + 1), 0),
    tooDeep,
    tooNarrow: withStacks - tooDeep - placed.length,
    narrowest: narrowest / whole,
  }
}

function bothSides({ old, new: fresh }: StackDifference, scale: number): Float64Array {
  return old.total.map((before, node) => before * scale + fresh.total[node]!)
}

function levelsOf({ parent }: StackDifference): Int32Array {
  const levels = new Int32Array(parent.length)
  for (let node = 1; node < parent.length; node += 1) levels[node] = levels[parent[node]!]! + 1
  return levels
}

function narrowestOf(weights: Float64Array, levels: Int32Array, mostDrawn: number): number {
  const least = weights[0]! * NARROWEST
  const wide = weights.filter((weight, node) => weight >= least && levels[node]! <= MOST_LEVELS)
  if (wide.length <= mostDrawn) return least
  // of frames of the same width all are drawn or none
  wide.sort()
  const mostLeftOut = wide[wide.length - mostDrawn - 1]!
  return wide.find((weight) => weight > mostLeftOut) ?? Number.POSITIVE_INFINITY
}

function place(
  difference: StackDifference,
  weights: Float64Array,
  levels: Int32Array,
  narrowest: number,
): readonly PlacedFrame[] {
  const { frames, frame } = difference
  const { first, next } = childrenOf(difference)
  const whole = weights[0]!
  const placed: PlacedFrame[] = [{ node: 0, level: 0, left: 0, width: 1 }]
  const name = (node: number) => frames[frame[node]!]!
  // grows while it is walked through: what is placed comes before what stands on it
  for (const { node: below, level, left } of placed) {
    if (level === MOST_LEVELS) continue
    const children: number[] = []
    for (let child = first[below]!; child !== 0; child = next[child]!) {
      if (weights[child]! >= narrowest) children.push(child)
    }
    children.sort((a, b) => (name(a) < name(b) ? -1 : 1))
    let at = left
    for (const child of children) {
      const width = weights[child]! / whole
      placed.push({ node: child, level: levels[child]!, left: at, width })
      at += width
    }
  }
  return placed
}
