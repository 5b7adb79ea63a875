import type { CheckRow } from '../../intake/imports/checks/check-row.ts'

/** Rows of one generation. Two are held, 12 MB each. */
const MOST_KEYS = 2 ** 19
const FIRST_SLOTS = 2 ** 12

/**
 * Counts equal rows: the same commit, pull request, check, start, test and status. They need not stand together: a row
 * is known again as long as fewer than half a million different ones have come since, so that memory does not grow with
 * the stream. What tells rows apart here is a hash of 53 bits; were two different rows to share one, the later would be
 * stored with a number one too high, and nothing else would change.
 */
export class OccurrenceCounter {
  #recent = new Counts()
  #before = new Counts()

  /** How many equal rows came before. @param time in seconds, as it is stored */
  next(row: CheckRow, time: number): number {
    const key = hashOf(
      `${row.testName}\0${row.testStatus}\0${row.checkName}\0${row.commitSha}\0${time}\0${row.pullRequestNumber}`,
    )
    const count = this.#recent.get(key) || this.#before.get(key)
    if (this.#recent.size >= MOST_KEYS) {
      this.#before = this.#recent
      this.#recent = new Counts()
    }
    this.#recent.set(key, count + 1)
    return count
  }
}

/** A hash table of numbers from 1 on, in two arrays. */
class Counts {
  size = 0
  #keys = new Float64Array(FIRST_SLOTS)
  #values = new Uint32Array(FIRST_SLOTS)

  /** 0: not there. */
  get(key: number): number {
    return this.#values[this.#slotOf(key)] ?? 0
  }

  set(key: number, value: number): void {
    if (this.size * 2 >= this.#keys.length) this.#grow()
    const slot = this.#slotOf(key)
    if (this.#values[slot] === 0) this.size += 1
    this.#keys[slot] = key
    this.#values[slot] = value
  }

  #slotOf(key: number): number {
    const last = this.#keys.length - 1
    let slot = key & last
    while (this.#values[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) & last
    return slot
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values]
    this.#keys = new Float64Array(keys.length * 2)
    this.#values = new Uint32Array(values.length * 2)
    for (const [slot, value] of values.entries()) {
      if (value === 0) continue
      const free = this.#slotOf(keys[slot]!)
      this.#keys[free] = keys[slot]!
      this.#values[free] = value
    }
  }
}

/** Two hashes of 32 bits with different multipliers, 53 bits of them. */
function hashOf(text: string): number {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    a = Math.imul(a ^ code, 2654435761)
    b = Math.imul(b ^ code, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return (b >>> 0) * 2 ** 21 + (a >>> 11)
}
