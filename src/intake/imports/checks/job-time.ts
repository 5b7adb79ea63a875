import { SourceError } from '../../measurement/source.ts'
import { parseTime } from '../parse-time.ts'

/** Times before it are defaults of a tool that knew none. 2000-01-01. */
const FIRST_BELIEVED = 946_684_800_000

export interface FileTime {
  /** Milliseconds; null: the input has none, as with a pipe. */
  readonly modified: number | null
  readonly where: string
  readonly warn: (message: string) => void
}

/**
 * When a job ran. All files of one import are one job and have one time, for rows of one job are told by it: the time
 * that was given, else the first one that a file states before its first test. Where nobody states one, with a warning:
 * that of the same job as it is stored already, for a file that was unpacked again has another time and would be a second
 * execution; else when the file was last changed.
 */
export class JobTime {
  #time: number | null
  #stored: number | null = null

  /** `given`: milliseconds. */
  constructor(given: number | null) {
    this.#time = given
  }

  /** When a job of this check and commit began that is stored already, in milliseconds; null: there is none. */
  remember(stored: number | null): void {
    this.#stored = stored
  }

  /** A time as a file writes it; the first one that can be read stands. */
  state(text: string): void {
    if (this.#time !== null) return
    const time = parseTime(text)
    if (time !== null && time >= FIRST_BELIEVED) this.#time = time
  }

  /** Milliseconds. Throws `SourceError` where nobody knows. */
  of(file: FileTime): number {
    if (this.#time !== null) return this.#time
    const [time, from] =
      this.#stored === null
        ? [file.modified, 'taken from the file’s modification time']
        : [this.#stored, 'taken to be the job of this check and commit that is already stored']
    if (time === null) {
      throw new SourceError('usage', `${file.where}: it states no time; give the start of the job with --time`)
    }
    this.#time = Math.floor(time / 1000) * 1000
    const shown = new Date(this.#time).toISOString().replace('.000Z', 'Z')
    file.warn(`it states no time: ${from}, ${shown} (--time gives another)`)
    return this.#time
  }
}
