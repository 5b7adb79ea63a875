import { performance } from 'node:perf_hooks'
import { count } from '../text/numbers.ts'

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
