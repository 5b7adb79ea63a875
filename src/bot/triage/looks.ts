import { setTimeout as pause } from 'node:timers/promises'

/** How long a reading that nobody waits for stands back before each part: on a bot that is always busy it goes on all the same. */
const STANDS_BACK_MS = 15_000

const ASKED_EVERY_MS = 250

/** The looks of this process by the triage they are of: those that somebody waits for, and one that reads what nobody waits for. */
export class Looks {
  readonly #waitedFor = new Set<number>()
  #isReading = false

  /** Whether what nobody waits for is being read: one at a time, so that places stay free for other work. */
  get isReading(): boolean {
    return this.#isReading
  }

  /** Somebody waits for the work, to its end or to where `readBehind` is called for the same triage. */
  async inFront<T>(triage: number, work: () => Promise<T>): Promise<T> {
    this.#waitedFor.add(triage)
    try {
      return await work()
    } finally {
      this.#waitedFor.delete(triage)
    }
  }

  /**
   * Nobody waits for what `read` does. It asks `standBack` before each part, which resolves when no look is waited for: true where
   * the reading should end, as `isWanted` says.
   */
  async readBehind<T>(
    triage: number,
    isWanted: () => Promise<boolean>,
    read: (standBack: () => Promise<boolean>) => Promise<T>,
  ): Promise<T> {
    this.#waitedFor.delete(triage)
    this.#isReading = true
    try {
      return await read(async () => {
        const until = performance.now() + STANDS_BACK_MS
        while (this.#waitedFor.size > 0 && performance.now() < until) {
          if (await isWanted()) return true
          await pause(ASKED_EVERY_MS)
        }
        return await isWanted()
      })
    } finally {
      this.#isReading = false
    }
  }
}
