const FIRST_SLOTS = 4096
/**
 * At most half of the slots are taken, and then a search of more than 100 slots does not happen by chance. Names chosen to
 * collide are refused here, in the place of a search that takes ever longer.
 */
const LONGEST_SEARCH = 2000

/**
 * Finds the child of a node by its frame: a hash table over the nodes themselves, whose parents and frames the caller
 * holds in arrays. Two integers a node, where a Map of Maps takes a hundred bytes.
 */
export class ChildTable {
  #slots = new Int32Array(FIRST_SLOTS)
  #taken = 0

  /** The node with that parent and frame; 0, which is the root and nobody's child, where there is none. */
  find(parent: number, frame: number, parents: Int32Array, frames: Int32Array): number {
    const mask = this.#slots.length - 1
    let slot = hash(parent, frame) & mask
    for (let steps = 0; steps < LONGEST_SEARCH; steps += 1) {
      const node = this.#slots[slot]!
      if (node === 0 || (parents[node] === parent && frames[node] === frame)) return node
      slot = (slot + 1) & mask
    }
    return 0
  }

  /** Adds a node that is not there yet. False where it finds no place within the longest search. */
  insert(node: number, parents: Int32Array, frames: Int32Array): boolean {
    if ((this.#taken + 1) * 2 > this.#slots.length) this.#grow(parents, frames)
    if (!place(this.#slots, node, hash(parents[node]!, frames[node]!))) return false
    this.#taken += 1
    return true
  }

  #grow(parents: Int32Array, frames: Int32Array): void {
    const slots = new Int32Array(this.#slots.length * 2)
    for (const node of this.#slots) {
      // more room never makes a search longer than it was
      if (node !== 0) place(slots, node, hash(parents[node]!, frames[node]!))
    }
    this.#slots = slots
  }
}

function place(slots: Int32Array, node: number, start: number): boolean {
  const mask = slots.length - 1
  let slot = start & mask
  for (let steps = 0; steps < LONGEST_SEARCH; steps += 1) {
    if (slots[slot] === 0) {
      slots[slot] = node
      return true
    }
    slot = (slot + 1) & mask
  }
  return false
}

/** Two rounds of murmur3's mixing. */
function hash(parent: number, frame: number): number {
  let h = Math.imul(parent ^ 0x2545f491, 0xcc9e2d51)
  h = (h << 15) | (h >>> 17)
  h = Math.imul(h, 0x1b873593) ^ Math.imul(frame + 0x9e3779b9, 0x85ebca6b)
  h ^= h >>> 16
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
