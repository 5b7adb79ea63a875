/** Slots have at most `size` holders at once; `maxWaiting` more wait their turn, one beyond that is refused. */
export class Slots {
  #free: number
  readonly #maxWaiting: number
  readonly #waiting: (() => void)[] = []

  constructor(size: number, maxWaiting: number) {
    this.#free = size
    this.#maxWaiting = maxWaiting
  }

  /** Resolves to the function that gives the slot back; null when the queue is full. */
  async take(): Promise<(() => void) | null> {
    if (this.#free > 0) this.#free--
    else {
      if (this.#waiting.length >= this.#maxWaiting) return null
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    return () => {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }
}
