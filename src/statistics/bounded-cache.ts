/**
 * A cache of what is computed once per pair of repetition counts and shared by all queries that have them. It is
 * bounded by the total size of what it holds, because the counts come from outside: the oldest entries go first.
 */
export class BoundedCache<Value> {
  readonly #entries = new Map<number, { readonly value: Value; readonly size: number }>()
  readonly #capacity: number
  #size = 0

  /** `capacity` in the unit that `compute` gives sizes in, at `sizeOf`. */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** The total size of what is held. */
  get size(): number {
    return this.#size
  }

  /** The value under the key; computed, and kept if it fits, where there is none. */
  get(key: number, compute: () => Value, sizeOf: (value: Value) => number): Value {
    const known = this.#entries.get(key)
    if (known !== undefined) return known.value
    const value = compute()
    const size = sizeOf(value)
    if (size <= this.#capacity) this.#keep(key, value, size)
    return value
  }

  #keep(key: number, value: Value, size: number): void {
    for (const [oldest, entry] of this.#entries) {
      if (this.#size + size <= this.#capacity) break
      this.#entries.delete(oldest)
      this.#size -= entry.size
    }
    this.#entries.set(key, { value, size })
    this.#size += size
  }
}
