/** Remembered at once; some hundred pull requests with some hundred checks each. */
const MOST_REMEMBERED = 50_000

/**
 * What of the CI results has been taken in, for the life of the process. Bounded: what is forgotten, at a restart all of
 * it, is read once more and stored as the same rows again.
 */
export class TakenIn {
  readonly #times = new Map<string, number>()
  readonly #most: number

  constructor(most = MOST_REMEMBERED) {
    this.#most = most
  }

  has(key: string): boolean {
    return this.at(key) !== null
  }

  /** When it was added; null: never, or forgotten. */
  at(key: string): number | null {
    const time = this.#times.get(key)
    if (time === undefined) return null
    // What is asked for stays.
    this.#times.delete(key)
    this.#times.set(key, time)
    return time
  }

  add(key: string, time = 0): void {
    this.#times.delete(key)
    this.#times.set(key, time)
    if (this.#times.size > this.#most) this.#times.delete(this.#times.keys().next().value!)
  }
}
