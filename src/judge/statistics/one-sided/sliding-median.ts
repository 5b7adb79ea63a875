/** The median of the last values that were given, of an even count the mean of the middle two. */
export class SlidingMedian {
  /** The values in the order of time, as a ring, and by size. */
  readonly #recent: Float64Array
  readonly #sorted: Float64Array
  #length = 0
  #next = 0

  constructor(most: number) {
    this.#recent = new Float64Array(most)
    this.#sorted = new Float64Array(most)
  }

  get length(): number {
    return this.#length
  }

  push(value: number): void {
    const sorted = this.#sorted
    let place = this.#length
    if (place < sorted.length) this.#length += 1
    else {
      const oldest = this.#recent[this.#next]!
      place -= 1
      let later = sorted[place]!
      // the values above the oldest move down by one
      while (later !== oldest) {
        place -= 1
        const own = sorted[place]!
        sorted[place] = later
        later = own
      }
      place = this.#length - 1
    }
    while (place > 0 && sorted[place - 1]! > value) {
      sorted[place] = sorted[place - 1]!
      place -= 1
    }
    sorted[place] = value
    this.#recent[this.#next] = value
    this.#next = (this.#next + 1) % sorted.length
  }

  clear(): void {
    this.#length = 0
    this.#next = 0
  }

  /** NaN without values. */
  median(): number {
    if (this.#length === 0) return Number.NaN
    const upper = this.#length >>> 1
    if (this.#length % 2 === 1) return this.#sorted[upper]!
    return (this.#sorted[upper - 1]! + this.#sorted[upper]!) / 2
  }
}
