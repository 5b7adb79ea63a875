/** The counts of one side in every node. */
export interface Weights {
  /** Counts of the stacks that end in the node. */
  readonly self: Float64Array
  /** Counts of all stacks that go through the node. */
  readonly total: Float64Array
  /** The counts of all stacks: the total of the root. */
  readonly sum: number
  /** Every count was a whole number. */
  readonly whole: boolean
}

/** The stacks of both sides in one tree. Plain values; made by `StackTree`. */
export interface StackDifference {
  /** Names by frame. */
  readonly frames: readonly string[]
  /** Node by node: the node above, always of a smaller number. Node 0 is the root, which has none (-1). */
  readonly parent: Int32Array
  /** Node by node: the frame, an index in `frames`; -1 for the root. */
  readonly frame: Int32Array
  /** Node by node: 1 where a stack of either side ends there, a stack with a count of 0 included. */
  readonly ends: Uint8Array
  readonly old: Weights
  readonly new: Weights
}

/**
 * The factor of the old side's counts. Normalised, both sides have the same sum, and what is left is a change of
 * shares; otherwise more stack samples are more time. 1 where a side is empty.
 */
export function oldScale(difference: StackDifference, normalize: boolean): number {
  const { old, new: fresh } = difference
  return normalize && old.sum > 0 && fresh.sum > 0 ? fresh.sum / old.sum : 1
}

/** The first child and the next sibling of each node, 0 where there is none: a walk downwards needs them. */
export interface Children {
  readonly first: Int32Array
  readonly next: Int32Array
}

export function childrenOf({ parent }: StackDifference): Children {
  const first = new Int32Array(parent.length)
  const next = new Int32Array(parent.length)
  // backwards, so that children come out in the order in which they were read
  for (let node = parent.length - 1; node > 0; node -= 1) {
    const above = parent[node]!
    next[node] = first[above]!
    first[above] = node
  }
  return { first, next }
}
