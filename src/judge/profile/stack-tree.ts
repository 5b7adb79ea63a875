import type { Side } from '../../intake/measurement/run.ts'
import { FrameSymbols } from './frame-place.ts'
import type { StackDifference, Weights } from './stack-difference.ts'

/** Why a stack was not taken. Closed. */
export type StackRefusal = 'too-many-frames' | 'too-much-text'

const SEMICOLON = 0x3b
const FIRST_CAPACITY = 1024
const ENCODER = new TextEncoder()
const DECODER = new TextDecoder()

/**
 * The stacks of both sides in one tree of frames, outermost first: a stack is the path to its node, so that the same
 * stack of both sides meets in one node and their difference needs no further search.
 */
export class StackTree {
  readonly #limits: StackLimits
  readonly #names: string[] = []
  /** Frames by their texts, and by the keys of their symbols. */
  readonly #ids = new Map<string, number>()
  readonly #symbols = new FrameSymbols()
  /** Frames that several texts name, by the keys of their symbols. */
  readonly #severalPlaces = new Map<number, string>()
  readonly #children = new ChildTable()
  readonly #whole = { old: true, new: true }
  #text = 0
  #size = 1
  #parent = new Int32Array(FIRST_CAPACITY).fill(-1)
  #frame = new Int32Array(FIRST_CAPACITY).fill(-1)
  #ends = new Uint8Array(FIRST_CAPACITY)
  #self = { old: new Float64Array(FIRST_CAPACITY), new: new Float64Array(FIRST_CAPACITY) }

  /** The nodes of the stack before: neighbours in a file mostly share their outer frames. */
  readonly #path: number[] = []

  constructor(limits: StackLimits = STACK_LIMITS) {
    this.#limits = limits
  }

  /** Adds a count to one side of a stack, frames separated by `;`. Gives a reason where the tree is full. */
  add(stack: string, side: Side, count: number): StackRefusal | null {
    const path = this.#path
    const firstNew = this.#size
    let depth = 0
    let node = 0
    let start = 0
    while (start <= stack.length) {
      const guess = depth < path.length ? path[depth]! : this.#firstChild(node)
      let end = guess === 0 ? -1 : this.#endIn(stack, start, guess)
      if (end !== -1) {
        node = guess
      } else if (depth < path.length) {
        // from here on it is another path than that of the stack before
        path.length = depth
        continue
      } else {
        const semicolon = stack.indexOf(';', start)
        end = semicolon === -1 ? stack.length : semicolon
        const frame = this.#intern(stack.slice(start, end))
        if (frame === -1) return 'too-much-text'
        // nothing is below a node that this stack made
        node = node >= firstNew ? this.#append(node, frame) : this.#child(node, frame)
        if (node === -1) return 'too-many-frames'
      }
      path[depth] = node
      depth += 1
      start = end + 1
    }
    path.length = depth
    this.#ends[node] = 1
    this.#self[side][node]! += count
    if (!Number.isInteger(count)) this.#whole[side] = false
    return null
  }

  /** The tree as a plain value with the totals of every node. The tree can be added to no longer. */
  finish(): StackDifference {
    const parent = this.#parent.subarray(0, this.#size)
    const frame = this.#frame.subarray(0, this.#size)
    const weights = (side: Side): Weights => {
      const self = this.#self[side].subarray(0, this.#size)
      const total = self.slice()
      // a child comes after its parent
      for (let node = this.#size - 1; node > 0; node -= 1) total[parent[node]!]! += total[node]!
      return { self, total, sum: total[0]!, whole: this.#whole[side] }
    }
    const ends = this.#ends.subarray(0, this.#size)
    for (const [id, key] of this.#severalPlaces) this.#names[id] = this.#symbols.nameOf(key) ?? this.#names[id]!
    return { frames: this.#names, parent, frame, ends, old: weights('old'), new: weights('new') }
  }

  /**
   * The first child of a node that was made together with it; else 0. A second file mostly has the stacks of the first one
   * in the same order, and then nothing need be searched for.
   */
  #firstChild(node: number): number {
    const next = node + 1
    return next < this.#size && this.#parent[next] === node ? next : 0
  }

  /** Where the frame of a node ends in a stack that has it from `start` on; -1 where it has another one there. */
  #endIn(stack: string, start: number, node: number): number {
    const name = this.#names[this.#frame[node]!]!
    if (!stack.startsWith(name, start)) return -1
    const end = start + name.length
    return end === stack.length || stack.charCodeAt(end) === SEMICOLON ? end : -1
  }

  #intern(name: string): number {
    const known = this.#ids.get(name)
    if (known !== undefined) return known
    if (this.#text + name.length > this.#limits.text) return -1
    // a slice would keep the whole chunk of the file that it was cut from
    const own = DECODER.decode(ENCODER.encode(name))
    // half a character of two has become another one, and may be known as that
    if (own !== name && this.#ids.has(own)) return this.#ids.get(own)!
    this.#text += own.length
    const key = this.#symbols.keyOf(own)
    const same = this.#ids.get(key)
    const id = same ?? this.#names.push(own) - 1
    if (same !== undefined) this.#severalPlaces.set(id, key)
    this.#ids.set(own, id).set(key, id)
    return id
  }

  #child(parent: number, frame: number): number {
    const first = this.#firstChild(parent)
    if (first !== 0 && this.#frame[first] === frame) return first
    const found = this.#children.find(parent, frame, this.#parent, this.#frame)
    return found > 0 ? found : this.#append(parent, frame)
  }

  #append(parent: number, frame: number): number {
    if (this.#size >= this.#limits.nodes) return -1
    if (this.#size === this.#parent.length) this.#grow()
    const node = this.#size
    this.#size += 1
    this.#parent[node] = parent
    this.#frame[node] = frame
    // the one right after its parent is found there
    return node === parent + 1 || this.#children.insert(node, this.#parent, this.#frame) ? node : -1
  }

  #grow(): void {
    const capacity = Math.min(this.#parent.length * 2, this.#limits.nodes)
    this.#parent = grown(this.#parent, new Int32Array(capacity))
    this.#frame = grown(this.#frame, new Int32Array(capacity))
    this.#ends = grown(this.#ends, new Uint8Array(capacity))
    this.#self = {
      old: grown(this.#self.old, new Float64Array(capacity)),
      new: grown(this.#self.new, new Float64Array(capacity)),
    }
  }
}

function grown<Values extends Int32Array | Uint8Array | Float64Array>(from: Values, to: Values): Values {
  to.set(from)
  return to
}

const FIRST_SLOTS = 4096
/**
 * Steps of a search. At most half of the slots are taken, and then a search of more than 100 slots does not happen by
 * chance. Names chosen to collide are refused here, in the place of a search that takes ever longer.
 */
const LONGEST_SEARCH = 2000

/**
 * Finds the child of a node by its frame: a hash table over the nodes themselves, whose parents and frames the caller
 * holds in arrays. Two integers a node, where a Map of Maps takes a hundred bytes.
 */
class ChildTable {
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

/**
 * The most that folded stacks may cost to hold. A profile of ClickHouse has some thousand distinct stacks of 20 to 60
 * frames, and the largest ones that tools are tried with have a hundred thousand. Everything here grows with what is
 * distinct, never with the number of lines.
 */
export const STACK_LIMITS = {
  /** Characters of one line: 5,000 frames with the long names that templates give. */
  lineLength: 1024 * 1024,
  /** Places in the tree of all stacks, about 50 bytes each. */
  nodes: 4_000_000,
  /** Characters of distinct frame names. */
  text: 64 * 1024 * 1024,
} as const

type StackLimits = { readonly [name in keyof typeof STACK_LIMITS]: number }
