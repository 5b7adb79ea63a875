import { childrenOf, type StackDifference } from './stack-difference.ts'
import { sharesDiffer } from './thresholds.ts'

/** Counts of one frame on one side, and their shares of all counts of that side: fractions from 0 to 1. */
export interface FrameWeight {
  readonly old: number
  readonly new: number
  readonly oldShare: number
  readonly newShare: number
  /** Two shares that differ by more than chance; says something only where the counts are samples. */
  readonly beyondChance: boolean
}

/** A frame over all its places in the stacks. */
export interface FrameChange {
  readonly name: string
  /** The stacks that end in the frame. */
  readonly self: FrameWeight
  /** The stacks that the frame is in; one that it is in several times, by recursion, counts once. */
  readonly total: FrameWeight
  /** How deep its outermost place is, 1 for an outermost frame. */
  readonly depth: number
  /** Frames with just the same stacks that do nothing but call this one, or one another on the way to it. */
  readonly callers: number
  /** The caller is such a frame itself: the totals of the frame that it calls say all of its own. */
  readonly onlyCalls: boolean
}

/** Every frame with what it has on both sides, in no particular order. */
export function frameChanges(difference: StackDifference): readonly FrameChange[] {
  const { frames, frame, old, new: fresh } = difference
  const columns = () => new Float64Array(frames.length)
  const oldSelf = columns()
  const newSelf = columns()
  const oldTotal = columns()
  const newTotal = columns()
  const depths = new Int32Array(frames.length)
  const callees = new Int32Array(frames.length).fill(NOT_SEEN)
  walkOutermost(difference, (node, depth, outermost, callee) => {
    const id = frame[node]!
    oldSelf[id]! += old.self[node]!
    newSelf[id]! += fresh.self[node]!
    if (!outermost) return
    oldTotal[id]! += old.total[node]!
    newTotal[id]! += fresh.total[node]!
    if (depths[id] === 0 || depth < depths[id]!) depths[id] = depth
    callees[id] = callees[id] === NOT_SEEN || callees[id] === callee ? callee : NO_CALLEE
  })
  const same = (a: number, b: number) => oldTotal[a] === oldTotal[b] && newTotal[a] === newTotal[b]
  for (const [id, callee] of callees.entries()) if (callee >= 0 && !same(id, callee)) callees[id] = NO_CALLEE
  const callers = callersOf(callees)
  const weight = (before: number, after: number): FrameWeight => ({
    old: before,
    new: after,
    oldShare: share(before, old.sum),
    newShare: share(after, fresh.sum),
    beyondChance: sharesDiffer(before, old.sum, after, fresh.sum),
  })
  return frames.map((name, id) => ({
    name,
    self: weight(oldSelf[id]!, newSelf[id]!),
    total: weight(oldTotal[id]!, newTotal[id]!),
    depth: depths[id]!,
    callers: callers[id]!,
    onlyCalls: callees[id]! >= 0,
  }))
}

const NOT_SEEN = -2
const NO_CALLEE = -1

/** How many frames lead to each. A frame is the only caller of its callee, so that they form chains. */
function callersOf(callees: Int32Array): Int32Array {
  const called = new Uint8Array(callees.length)
  for (const callee of callees) if (callee >= 0) called[callee] = 1
  const callers = new Int32Array(callees.length)
  for (let start = 0; start < callees.length; start += 1) {
    if (called[start] === 1) continue
    let length = 0
    for (let id = callees[start]!; id >= 0; id = callees[id]!) {
      length += 1
      callers[id] = length
    }
  }
  return callers
}

/**
 * The frames whose share changed most, largest change first; equal changes deeper first, then by name. Of totals without
 * the frames that only call another one: a chain of wrappers is one finding.
 */
export function largestChanges(
  changes: readonly FrameChange[],
  kind: 'self' | 'total',
  most: number,
): readonly FrameChange[] {
  const size = (change: FrameChange) => Math.abs(change[kind].newShare - change[kind].oldShare)
  const compare = (a: FrameChange, b: FrameChange) =>
    size(b) - size(a) || b.depth - a.depth || (a.name < b.name ? -1 : 1)
  // of a hundred thousand frames only a few are asked for
  const largest: FrameChange[] = []
  for (const change of changes) {
    if (size(change) === 0 || (kind === 'total' && change.onlyCalls)) continue
    if (largest.length === most && compare(largest[most - 1]!, change) < 0) continue
    const place = largest.findIndex((other) => compare(change, other) < 0)
    largest.splice(place === -1 ? largest.length : place, 0, change)
    if (largest.length > most) largest.pop()
  }
  return largest
}

function share(count: number, sum: number): number {
  return sum > 0 ? count / sum : 0
}

/**
 * Visits every node but the root. `outermost`: its frame is not above it in the same stack. `callee`: the frame that all
 * of the node's stacks go on to and that is not above it either, or `NO_CALLEE`.
 */
function walkOutermost(
  difference: StackDifference,
  visit: (node: number, depth: number, outermost: boolean, callee: number) => void,
): void {
  const { parent, frame, frames, old, new: fresh } = difference
  const { first, next } = childrenOf(difference)
  const above = new Int32Array(frames.length)
  const calleeOf = (node: number): number => {
    for (let child = first[node]!; child !== 0; child = next[child]!) {
      const all = old.total[child] === old.total[node] && fresh.total[child] === fresh.total[node]
      const callee = frame[child]!
      if (all) return above[callee] === 0 && callee !== frame[node] ? callee : NO_CALLEE
    }
    return NO_CALLEE
  }
  let depth = 0
  let node = first[0]!
  while (node !== 0) {
    depth += 1
    const id = frame[node]!
    visit(node, depth, above[id] === 0, above[id] === 0 ? calleeOf(node) : NO_CALLEE)
    above[id]! += 1
    let following = first[node]!
    while (following === 0 && node !== 0) {
      above[frame[node]!]! -= 1
      depth -= 1
      following = next[node]!
      node = parent[node]!
    }
    node = following
  }
}
