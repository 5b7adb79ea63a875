import { performance } from 'node:perf_hooks'
import { count } from '../../text/numbers.ts'
import type { Output } from './command.ts'

/** Work that is done sooner says nothing. */
const FIRST_AFTER_MS = 1000
const EVERY_MS = 200

/** A line on a terminal that is written over and wiped in the end; nothing where the output is no terminal. */
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

const WIDTH = 20

/** Bytes in the unit in which a person thinks of them. */
export function byteCount(bytes: number): string {
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(bytes < 1e4 ? 1 : 0)} kB`
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB` : `${(bytes / 1e9).toFixed(1)} GB`
}

/** How far an import is: a bar over the bytes where their total is known, the rows and how many there are a second. */
export class ImportProgress {
  /** Bytes of all files as they lie there; null: nobody knows, as with a pipe. */
  readonly #total: number | null
  readonly #start = performance.now()
  bytes = 0
  rows = 0

  constructor(total: number | null) {
    this.#total = total
  }

  line(): string {
    const seconds = Math.max(0.001, (performance.now() - this.#start) / 1000)
    const rows = `${count(this.rows)} rows, ${count(Math.round(this.rows / seconds))} rows/s`
    if (this.#total === null || this.#total === 0) return `importing: ${byteCount(this.bytes)}, ${rows}`
    // a file may grow while it is read
    const share = Math.min(1, this.bytes / this.#total)
    const full = Math.floor(share * WIDTH)
    const bar = `${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}`
    return `[${bar}] ${Math.floor(share * 100)}% of ${byteCount(this.#total)}, ${rows}`
  }
}
