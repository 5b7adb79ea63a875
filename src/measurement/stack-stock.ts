import { LimitReached, type Limits } from './limits.ts'
import type { Side } from './run.ts'
import { StackCounts } from './stack-counts.ts'

/** Trace types of which it is said that they are not known. */
const UNKNOWN_TYPES_TOLD = 10

/**
 * Keeps the stacks of a whole source within its limits. Every profile may take the same number of characters, its heaviest
 * stacks first; where all of them together are too many, that number is halved for all until they fit. So every query
 * keeps what matters most in it, however many there are and in whichever order they come.
 */
export class StackStock {
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
