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
  readonly #frames = new FrameTable()
  readonly #whole = { old: true, new: true }
  #text = 0
  #size = 1
  #parent = new Int32Array(FIRST_CAPACITY).fill(-1)
  #frame = new Int32Array(FIRST_CAPACITY).fill(-1)
  #ends = new Uint8Array(FIRST_CAPACITY)
  #self = { old: new Float64Array(FIRST_CAPACITY), new: new Float64Array(FIRST_CAPACITY) }

  /** The nodes of the stack before, and where each frame ends from its beginning: neighbours in a file mostly share their outer frames. */
  readonly #path: number[] = []
  readonly #pathEnds: number[] = []
  #before: Uint8Array = new Uint8Array(0)
  #beforeFrom = 0
  #beforeTo = 0

  constructor(limits: StackLimits = STACK_LIMITS) {
    this.#limits = limits
  }

  /** Adds a count to one side of a stack, frames separated by `;`. Gives a reason where the tree is full. */
  add(stack: string, side: Side, count: number): StackRefusal | null {
    const bytes = ENCODER.encode(stack)
    return this.addBytes(bytes, 0, bytes.length, side, count)
  }

  /** The same of a stack in UTF-8, which stands from one place to another; nobody may change it before the next is added. */
  addBytes(bytes: Uint8Array, from: number, to: number, side: Side, count: number): StackRefusal | null {
    const path = this.#path
    const ends = this.#pathEnds
    const firstNew = this.#size
    let depth = this.#sharedDepth(bytes, from, to)
    let node = depth === 0 ? 0 : path[depth - 1]!
    let start = depth === 0 ? from : from + ends[depth - 1]! + 1
    while (start <= to) {
      const guess = this.#firstChild(node)
      let end = guess === 0 ? -1 : this.#frames.endIn(bytes, start, to, this.#frame[guess]!)
      if (end !== -1) {
        node = guess
      } else {
        end = start
        while (end < to && bytes[end] !== SEMICOLON) end += 1
        const known = this.#frames.find(bytes, start, end)
        const frame = known === -1 ? this.#intern(bytes, start, end) : known
        if (frame === -1) return this.#refuse('too-much-text')
        // nothing is below a node that this stack made
        node = node >= firstNew ? this.#append(node, frame) : this.#child(node, frame)
        if (node === -1) return this.#refuse('too-many-frames')
      }
      path[depth] = node
      ends[depth] = end - from
      depth += 1
      start = end + 1
    }
    path.length = depth
    ends.length = depth
    this.#before = bytes
    this.#beforeFrom = from
    this.#beforeTo = to
    this.#ends[node] = 1
    this.#self[side][node]! += count
    if (!Number.isInteger(count)) this.#whole[side] = false
    return null
  }

  /** How many frames the stack has in common with the one before. */
  #sharedDepth(bytes: Uint8Array, from: number, to: number): number {
    const before = this.#before
    const ends = this.#pathEnds
    const most = Math.min(to - from, this.#beforeTo - this.#beforeFrom)
    let same = 0
    while (same < most && bytes[from + same] === before[this.#beforeFrom + same]) same += 1
    let depth = this.#path.length
    for (; depth > 0; depth -= 1) {
      const end = ends[depth - 1]!
      if (end < same || (end === same && (from + end === to || bytes[from + end] === SEMICOLON))) break
    }
    return depth
  }

  /** The path is half of one stack and half of another. */
  #refuse(reason: StackRefusal): StackRefusal {
    this.#path.length = 0
    this.#pathEnds.length = 0
    return reason
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

  /** The number of a frame whose bytes came for the first time; -1: there is no room for it. */
  #intern(bytes: Uint8Array, from: number, to: number): number {
    const name = DECODER.decode(bytes.subarray(from, to))
    const known = this.#ids.get(name)
    if (known !== undefined) return known
    const id = this.#named(name)
    // only for a new name: bytes that are no UTF-8 spell one name in any number of ways, which no limit counts
    if (id !== -1) this.#frames.add(bytes, from, to, id)
    return id
  }

  #named(name: string): number {
    if (this.#text + name.length > this.#limits.text) return -1
    this.#text += name.length
    const key = this.#symbols.keyOf(name)
    const same = this.#ids.get(key)
    const id = same ?? this.#names.push(name) - 1
    if (same !== undefined) this.#severalPlaces.set(id, key)
    this.#ids.set(name, id).set(key, id)
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
    if (node !== parent + 1) this.#children.insert(node, this.#parent, this.#frame)
    return node
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
 * Steps of a search. At most half of the slots are taken, and then a search is longer by chance once in some ten thousand.
 * What finds no place stands in a Map of strings, whose hashes nobody outside can foresee: names may be chosen to collide.
 */
const LONGEST_SEARCH = 32

/**
 * Finds the child of a node by its frame: a hash table over the nodes themselves, whose parents and frames the caller
 * holds in arrays. Two integers a node, where a Map of Maps takes a hundred bytes.
 */
class ChildTable {
  #slots = new Int32Array(FIRST_SLOTS)
  #taken = 0
  /** Nodes without a place, by parent and frame. */
  #others = new Map<string, number>()

  /** The node with that parent and frame; 0, which is the root and nobody's child, where there is none. */
  find(parent: number, frame: number, parents: Int32Array, frames: Int32Array): number {
    const mask = this.#slots.length - 1
    let slot = hash(parent, frame) & mask
    for (let steps = 0; steps < LONGEST_SEARCH; steps += 1) {
      const node = this.#slots[slot]!
      if (node === 0 || (parents[node] === parent && frames[node] === frame)) return node
      slot = (slot + 1) & mask
    }
    return this.#others.get(`${parent};${frame}`) ?? 0
  }

  /** Adds a node that is not there yet. */
  insert(node: number, parents: Int32Array, frames: Int32Array): void {
    if ((this.#taken + 1) * 2 > this.#slots.length) this.#grow(parents, frames)
    this.#put(node, parents[node]!, frames[node]!)
    this.#taken += 1
  }

  #put(node: number, parent: number, frame: number): void {
    if (!place(this.#slots, node, hash(parent, frame))) this.#others.set(`${parent};${frame}`, node)
  }

  #grow(parents: Int32Array, frames: Int32Array): void {
    const slots = this.#slots
    const others = this.#others
    this.#slots = new Int32Array(slots.length * 2)
    this.#others = new Map()
    for (const node of slots) if (node !== 0) this.#put(node, parents[node]!, frames[node]!)
    for (const node of others.values()) this.#put(node, parents[node]!, frames[node]!)
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

const FIRST_TEXT = 64 * 1024

/**
 * Finds the number of a frame by its bytes: a hash table of own, since a string for each frame of each line takes most of the time of
 * reading. A frame without a place is decoded each time that it comes.
 */
class FrameTable {
  #text = new Uint8Array(FIRST_TEXT)
  #length = 0
  /** Of each kept text, by its number from 1 on: where it stands, its hash and its frame. */
  readonly #from: number[] = [0]
  readonly #to: number[] = [0]
  readonly #hashes: number[] = [0]
  readonly #ids: number[] = [-1]
  /** A text of each frame. */
  readonly #textOf: number[] = []
  #slots = new Int32Array(FIRST_SLOTS)

  /** -1: not there. */
  find(bytes: Uint8Array, from: number, to: number): number {
    const wanted = hashOf(bytes, from, to)
    const mask = this.#slots.length - 1
    let slot = wanted & mask
    for (let steps = 0; steps < LONGEST_SEARCH; steps += 1) {
      const number = this.#slots[slot]!
      if (number === 0) return -1
      if (this.#hashes[number] === wanted && this.#is(number, bytes, from, to)) return this.#ids[number]!
      slot = (slot + 1) & mask
    }
    return -1
  }

  /** Keeps a text that is not there yet, while there is a place for it. */
  add(bytes: Uint8Array, from: number, to: number, id: number): void {
    const number = this.#ids.length
    if (number * 2 > this.#slots.length) this.#grow()
    const hash = hashOf(bytes, from, to)
    if (!place(this.#slots, number, hash)) return
    while (this.#length + to - from > this.#text.length)
      this.#text = grown(this.#text, new Uint8Array(this.#text.length * 2))
    this.#text.set(bytes.subarray(from, to), this.#length)
    this.#from.push(this.#length)
    this.#length += to - from
    this.#to.push(this.#length)
    this.#hashes.push(hash)
    this.#ids.push(id)
    this.#textOf[id] ??= number
  }

  /** Where the frame ends in a stack that has it from `start` on; -1 where it has another one there. */
  endIn(bytes: Uint8Array, start: number, to: number, id: number): number {
    const number = this.#textOf[id]
    if (number === undefined) return -1
    const end = start + this.#to[number]! - this.#from[number]!
    if (end > to || (end < to && bytes[end] !== SEMICOLON)) return -1
    return this.#is(number, bytes, start, end) ? end : -1
  }

  #is(number: number, bytes: Uint8Array, from: number, to: number): boolean {
    const text = this.#text
    const start = this.#from[number]!
    if (this.#to[number]! - start !== to - from) return false
    for (let at = from, own = start; at < to; at += 1, own += 1) if (text[own] !== bytes[at]) return false
    return true
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 2)
    for (let number = 1; number < this.#ids.length; number += 1) place(slots, number, this.#hashes[number]!)
    this.#slots = slots
  }
}

/** FNV-1a, mixed once more for its low bits. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let h = 0x811c9dc5
  for (let at = from; at < to; at += 1) h = Math.imul(h ^ bytes[at]!, 0x01000193)
  return h ^ (h >>> 15)
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
