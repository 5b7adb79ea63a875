import type { Output } from './command.ts'

/** Work that is done sooner says nothing. */
const FIRST_AFTER_MS = 1000
const EVERY_MS = 200

/** One line on a terminal that is written over and wiped in the end; nothing where the output is no terminal. */
export class Progress {
  readonly #output: Output
  readonly #start = performance.now()
  #shownAt = 0
  #shown = false

  constructor(output: Output) {
    this.#output = output
  }

  /** `text` is called only when it is time to show it. */
  update(text: () => string): void {
    if (this.#output.isTTY !== true) return
    const now = performance.now()
    if (now - this.#start < FIRST_AFTER_MS || now - this.#shownAt < EVERY_MS) return
    this.#shownAt = now
    this.#shown = true
    this.#output.write(`\r\x1b[K${text().slice(0, (this.#output.columns ?? 80) - 1)}`)
  }

  /** Wipes the line. */
  done(): void {
    if (this.#shown) this.#output.write('\r\x1b[K')
    this.#shown = false
  }
}
