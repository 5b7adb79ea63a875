import { Buffer } from 'node:buffer'
import { LimitReached, type Limits } from './limits.ts'
import type { Side, StackCount } from './run.ts'

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

/**
 * A copy of the text that does not hold on to the chunk of the file that it was cut from; one byte for each character
 * where that will do.
 */
export function ownCopy(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8')
}

/** Trace types of which it is said that they are not known. */
const UNKNOWN_TYPES_TOLD = 10

/**
 * Keeps the stacks of a whole source within its limits. Every profile may take the same number of characters, its heaviest
 * stacks first; where all of them together are too many, that number is halved for all until they fit. So every query
 * keeps what matters most in it, however many there are and in whichever order they come.
 */
export class SourceStacks {
  readonly #limits: Limits
  readonly #profiles: StackCounts[] = []
  readonly #unknownTypes = new Set<string>()
  readonly #tables = new Set<Side>()
  #text = 0
  #share: number

  constructor(limits: Limits) {
    this.#limits = limits
    this.#share = Math.min(limits.profileText, limits.stackText)
  }

  /** A new profile of one query, trace type and side. Throws `LimitReached` where there are too many. */
  open(): StackCounts {
    const { profiles } = this.#limits
    if (this.#profiles.length >= profiles) throw new LimitReached('profiles', profiles, false)
    const counts = new StackCounts()
    this.#profiles.push(counts)
    return counts
  }

  /** `count` is a whole number from 1 on. */
  add(profile: StackCounts, stack: string, count: number): void {
    this.#text += profile.add(stack, count)
    // sorted once for as much as it may keep, not for each stack beyond
    if (profile.text > 2 * this.#share) this.#text -= profile.shrink(this.#share)
    while (this.#text > this.#limits.stackText) {
      this.#share = Math.floor(this.#share / 2)
      for (const one of this.#profiles) this.#text -= one.shrink(this.#share)
    }
  }

  /** Brings every profile to its share; nothing is added afterwards. */
  finish(): void {
    for (const one of this.#profiles) this.#text -= one.shrink(this.#share)
  }

  /** The stacks of all queries of a side were read from one file. */
  gotTable(side: Side): void {
    this.#tables.add(side)
  }

  /** Both sides' stacks were: there is nothing more to read. */
  hasTables(): boolean {
    return this.#tables.size === 2
  }

  /** True the first time that a name comes, for the first few. */
  isNewUnknownType(name: string): boolean {
    if (this.#unknownTypes.has(name) || this.#unknownTypes.size >= UNKNOWN_TYPES_TOLD) return false
    this.#unknownTypes.add(name)
    return true
  }
}

/** Beyond it whole numbers are no longer exact. */
const LARGEST_COUNT = Number.MAX_SAFE_INTEGER

/** The stack and the count of a line of folded stacks; null where it is none. */
export function splitLine(line: string): { readonly stack: string; readonly count: number } | null {
  let end = line.length
  while (end > 0 && isSpace(line.charCodeAt(end - 1))) end -= 1
  let start = end
  let points = 0
  for (; start > 0; start -= 1) {
    const code = line.charCodeAt(start - 1)
    if (code === 0x2e) points += 1
    else if (code < 0x30 || code > 0x39) break
  }
  // an empty count, one without digits before its point, one that belongs to a name such as `read_v2`
  if (start === end || points > 1 || line.charCodeAt(start) === 0x2e) return null
  if (start === 0 || !isSpace(line.charCodeAt(start - 1))) return null
  // one space only: what is before it belongs to the last frame, as for difffolded.pl
  const stack = line.slice(0, start - 1)
  const count = Number(line.slice(start, end))
  return count <= LARGEST_COUNT && stack.trim() !== '' ? { stack, count } : null
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d
}
