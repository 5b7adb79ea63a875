import type { Side } from '../measurement/run.ts'
import { ChildTable } from './child-table.ts'
import { FrameSymbols } from './frame-place.ts'
import { STACK_LIMITS, type StackLimits } from './limits.ts'
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
  /** By the texts of frames, and by the keys of their symbols. */
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
