import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'

/** Bytes, of the disk that the inbox is on too. */
export interface ScratchLimits {
  /** All files that are there at one time. */
  readonly most: number
  /** The files of one owner, so that nobody's large ones fill the room of the others. */
  readonly mostOfOne: number
  /** Stays free for the inbox: a file for which there is less room than this beside it is not begun. */
  readonly free: number
}

const GIB = 1024 ** 3
const MIB = 1024 ** 2

const SCRATCH_LIMITS: ScratchLimits = { most: 4 * GIB, mostOfOne: 2 * GIB, free: 256 * MIB }

/** The data folder's disk is nearly full. The message says what to do. */
export class TooLittleDisk extends Error {
  override readonly name = 'TooLittleDisk'
}

/** A file that is about to be downloaded. */
export interface ScratchFile {
  readonly path: string
  /**
   * Waits until there is room for a file of so many bytes, in turn; rejects with the reason of `signal`, and with
   * `TooLittleDisk` where the disk has too little for it.
   */
  take(bytes: number, signal: AbortSignal): Promise<void>
  /** Removes it and gives its room to the next. */
  close(): Promise<void>
}

interface Waiting {
  readonly owner: string
  readonly bytes: number
  grant(): void
}

/** Downloads in progress, in an existing folder: nothing stays there. */
export class ScratchFolder {
  readonly #path: string
  readonly #limits: ScratchLimits
  readonly #held = new Map<string, number>()
  readonly #waiting = new Set<Waiting>()

  constructor(path: string, limits: ScratchLimits = SCRATCH_LIMITS) {
    this.#path = path
    this.#limits = limits
  }

  /** @param owner whose share it is of */
  async open(owner: string): Promise<ScratchFile> {
    const folder = await mkdtemp(join(this.#path, 'download-'))
    let taken = 0
    return {
      path: join(folder, 'results'),
      take: async (bytes, signal) => {
        await this.#room(owner, bytes, signal)
        taken += bytes
        await this.#assertDisk()
      },
      close: async () => {
        await rm(folder, { recursive: true, force: true })
        this.#hold(owner, -taken)
        taken = 0
        this.#grant()
      },
    }
  }

  /** Reckons as if nothing of what was granted were written yet: what is written counts twice, on the safe side. */
  async #assertDisk(): Promise<void> {
    const { bavail, bsize } = await statfs(this.#path)
    const has = bavail * bsize
    const needs = this.#held.values().reduce((sum, held) => sum + held, 0) + this.#limits.free
    if (has >= needs) return
    const [free, wanted] = [has, needs].map((bytes) => Math.ceil(bytes / MIB).toLocaleString('en'))
    throw new TooLittleDisk(
      `${this.#path} has ${free} MiB free, but the current downloads need ${wanted}: free some disk space`,
    )
  }

  #room(owner: string, bytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        owner,
        bytes,
        grant: () => {
          signal.removeEventListener('abort', giveUp)
          resolve()
        },
      }
      const giveUp = () => {
        this.#waiting.delete(waiting)
        reject(signal.reason as Error)
        this.#grant()
      }
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting.add(waiting)
      this.#grant()
    })
  }

  /**
   * Requests are served in turn: nothing small goes ahead of a large one for ever. Who has all of its share lets the
   * others pass.
   */
  #grant(): void {
    const { most, mostOfOne } = this.#limits
    for (const waiting of this.#waiting) {
      const { owner, bytes } = waiting
      if ((this.#held.get(owner) ?? 0) + bytes > mostOfOne) continue
      if (this.#held.values().reduce((sum, held) => sum + held, 0) + bytes > most) return
      this.#waiting.delete(waiting)
      this.#hold(owner, bytes)
      waiting.grant()
    }
  }

  #hold(owner: string, bytes: number): void {
    const held = (this.#held.get(owner) ?? 0) + bytes
    if (held > 0) this.#held.set(owner, held)
    else this.#held.delete(owner)
  }
}
