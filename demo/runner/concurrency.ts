/** Concurrency groups: one runs, one waits; who comes later takes the place of the one that waits. */
interface Member {
  readonly cancel: () => void
}

interface Waiting {
  readonly settle: (isTurn: boolean) => void
}

export class Groups {
  readonly #running = new Map<string, Member>()
  readonly #waiting = new Map<string, Waiting>()

  /**
   * Resolves when the group is free.
   * @param cancelsRunning whether who runs is ended for it
   * @returns what to call at the end; null: another took the place while it waited
   */
  enter(group: string, cancelsRunning: boolean, member: Member): Promise<(() => void) | null> {
    const running = this.#running.get(group)
    if (running === undefined) return Promise.resolve(this.#take(group, member))
    this.#waiting.get(group)?.settle(false)
    const turn = new Promise<(() => void) | null>((resolve) => {
      this.#waiting.set(group, { settle: (isTurn) => resolve(isTurn ? this.#take(group, member) : null) })
    })
    if (cancelsRunning) running.cancel()
    return turn
  }

  #take(group: string, member: Member): () => void {
    this.#running.set(group, member)
    return () => {
      this.#running.delete(group)
      const next = this.#waiting.get(group)
      this.#waiting.delete(group)
      next?.settle(true)
    }
  }
}
