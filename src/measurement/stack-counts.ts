import { Buffer } from 'node:buffer'
import type { StackCount } from './run.ts'

/** The frame that stands for the stacks that a limit left out, so that shares are still shares of everything seen. */
export const LEFT_OUT_FRAME = '(stacks left out)'

/** How much of a profile a limit left out. */
export interface LeftOut {
  readonly stacks: number
  /** The sum of their counts. */
  readonly count: number
}

/** The stacks of one query, trace type and side while they are read, each once with the sum of its counts. */
export class StackCounts {
  readonly #counts = new Map<string, number>()
  #text = 0
  #sum = 0
  #leftOut: LeftOut = { stacks: 0, count: 0 }

  /** Characters of the stacks that are kept. */
  get text(): number {
    return this.#text
  }

  /** The sum of all counts, those left out included. */
  get sum(): number {
    return this.#sum
  }

  get leftOut(): LeftOut {
    return this.#leftOut
  }

  /** Stacks that are kept. */
  get size(): number {
    return this.#counts.size
  }

  /** `count` is a whole number from 1 on. Gives the characters by which the text grew, 0 for a stack that is there. */
  add(stack: string, count: number): number {
    this.#sum = exact(this.#sum + count)
    // copied before it is looked up: a string remembers its hash, and most stacks are new
    const own = ownCopy(stack)
    const before = this.#counts.get(own) ?? 0
    this.#counts.set(own, exact(before + count))
    if (before > 0) return 0
    this.#text += own.length
    return own.length
  }

  /** Keeps the heaviest stacks that have at most `limit` characters together, and gives the characters of the others. */
  shrink(limit: number): number {
    const before = this.#text
    if (before <= limit) return 0
    const order = this.#kept()
    this.#counts.clear()
    this.#text = 0
    let { stacks, count: countLeftOut } = this.#leftOut
    let isFull = false
    for (const { stack, count } of order) {
      isFull ||= this.#text + stack.length > limit
      if (isFull) {
        stacks += 1
        countLeftOut = exact(countLeftOut + count)
      } else {
        this.#counts.set(stack, count)
        this.#text += stack.length
      }
    }
    this.#leftOut = { stacks, count: countLeftOut }
    return before - this.#text
  }

  /** The heaviest first, what was left out as one stack at the end. */
  finish(): StackCount[] {
    const kept = this.#kept()
    return this.#leftOut.count === 0 ? kept : [...kept, { stack: LEFT_OUT_FRAME, count: this.#leftOut.count }]
  }

  /** Equal counts by their text: a limit then leaves the same stacks on both sides. */
  #kept(): StackCount[] {
    const kept = Array.from(this.#counts, ([stack, count]): StackCount => ({ stack, count }))
    return kept.sort((a, b) => b.count - a.count || (a.stack < b.stack ? -1 : 1))
  }
}

/** Beyond it whole numbers are no longer exact, and JSON has no more. */
function exact(count: number): number {
  return Math.min(count, Number.MAX_SAFE_INTEGER)
}

/** It does not hold on to the chunk of the file that it was cut from; one byte for each character where that will do. */
export function ownCopy(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8')
}
