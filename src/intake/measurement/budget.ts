import { Buffer } from 'node:buffer'
import { DEFAULT_LIMITS, LimitReached, type Limits } from './limits.ts'

/** How far the reading of a source is. */
export interface ReadProgress {
  /** Members that were read. */
  readonly members: number
  /** Bytes read, after decompression. */
  readonly bytes: number
  readonly samples: number
}

export interface BudgetOptions {
  readonly limits?: Partial<Limits> | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: ReadProgress) => void) | undefined
}

/** Work of starting a decompressor, 0.3 ms, in the bytes that are decompressed in that time. */
const DECODER_WORK = 32 * 1024
/** Work of opening a member and of the warning that it holds nothing. */
const MEMBER_WORK = 8 * 1024

/** Work of a line besides its bytes: 330 MB of lines of five bytes took 17 s, as many bytes of long ones 2 s. */
const LINE_WORK = 64

/** Counts what a source costs; each method throws `LimitReached` when its limit is passed. */
export class Budget {
  readonly limits: Limits
  readonly #signal: AbortSignal | undefined
  readonly #onProgress: ((progress: ReadProgress) => void) | undefined
  #entries = 0
  #members = 0
  #bytes = 0
  #sourceBytes = 0
  #work = 0
  #measurements = 0
  #samples = 0
  #text = 0

  constructor(options: BudgetOptions = {}) {
    this.limits = { ...DEFAULT_LIMITS, ...options.limits }
    this.#signal = options.signal
    this.#onProgress = options.onProgress
  }

  /** Counts a file or folder that was looked at. */
  entry(): void {
    this.#entries += 1
    if (this.#entries > this.limits.entries) throw new LimitReached('entries', this.limits.entries, true)
  }

  /** Bytes of the source as they lie on disk: what may be done for it grows with them. */
  source(count: number): void {
    this.#sourceBytes += count
  }

  /** Counts a decompressor that is started. */
  decoder(): void {
    this.#spend(DECODER_WORK)
  }

  /** Counts a member that is read. */
  member(): void {
    this.#members += 1
    this.#spend(MEMBER_WORK)
  }

  /** Bytes that were read from a file or came out of a decompressor. Throws the signal's reason when it is aborted. */
  bytes(count: number): void {
    this.#signal?.throwIfAborted()
    this.#bytes += count
    if (this.#bytes > this.limits.totalBytes) throw new LimitReached('totalBytes', this.limits.totalBytes, true)
    this.#spend(count)
    this.#onProgress?.({ members: this.#members, bytes: this.#bytes, samples: this.#samples })
  }

  /** Counts a line that a reader gets. */
  line(): void {
    this.#spend(LINE_WORK)
  }

  #spend(work: number): void {
    this.#work += work
    const { workRatio, workFrom } = this.limits
    if (this.#work > workFrom + workRatio * this.#sourceBytes) throw new LimitReached('workRatio', workRatio, true)
  }

  measurement(): void {
    this.#measurements += 1
    if (this.#measurements > this.limits.measurements) {
      throw new LimitReached('measurements', this.limits.measurements, true)
    }
  }

  sample(): void {
    this.#samples += 1
    if (this.#samples > this.limits.samples) throw new LimitReached('samples', this.limits.samples, true)
  }

  /** A copy of a name or message that is kept; it does not hold on to the chunk of the file it was cut from. */
  keep(text: string): string {
    this.#text += text.length
    if (this.#text > this.limits.text) throw new LimitReached('text', this.limits.text, true)
    return Buffer.from(text, 'utf16le').toString('utf16le')
  }
}
