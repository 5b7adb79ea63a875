/** Concurrency groups: one runs, one waits; who comes later takes the place of the one that waits. */

export class Groups {
  readonly #running = new Map<string, () => void>()
  readonly #waiting = new Map<string, (isTurn: boolean) => void>()

  /**
   * Resolves when the group is free.
   * @param cancelsRunning whether the one that runs is cancelled for it
   * @param cancel ends the one that enters
   * @returns what to call at the end; null: another took the place while it waited
   */
  enter(group: string, cancelsRunning: boolean, cancel: () => void): Promise<(() => void) | null> {
    const running = this.#running.get(group)
    if (running === undefined) return Promise.resolve(this.#take(group, cancel))
    this.#waiting.get(group)?.(false)
    const turn = new Promise<(() => void) | null>((resolve) => {
      this.#waiting.set(group, (isTurn) => resolve(isTurn ? this.#take(group, cancel) : null))
    })
    if (cancelsRunning) running()
    return turn
  }

  #take(group: string, cancel: () => void): () => void {
    this.#running.set(group, cancel)
    return () => {
      this.#running.delete(group)
      const next = this.#waiting.get(group)
      this.#waiting.delete(group)
      next?.(true)
    }
  }
}
