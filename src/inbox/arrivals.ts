/** A delivery whose signature was checked and that is not on disk yet. */
export interface Arrival {
  readonly guid: string
  readonly event: string
  /** The JSON of the delivery. */
  readonly payload: object
}

/**
 * Everybody waits while the disk is waited for. Between two waits there is at least this time, and that of the last wait:
 * so they take half of the process at the most on a slow disk, and a tenth of it on one that takes 2 ms.
 */
const PAUSE_MS = 20

/**
 * Keeps deliveries that come close together with one wait for the disk. The promise resolves when the delivery is on disk,
 * and rejects when it can't be kept. `keep`: all of them are on disk when it returns, none when it throws.
 */
export function keptTogether(keep: (arrived: readonly Arrival[]) => void): (arrival: Arrival) => Promise<void> {
  const waiting: { readonly arrival: Arrival; readonly kept: PromiseWithResolvers<void> }[] = []
  let nextAt = 0

  function keepWaiting(): void {
    const began = performance.now()
    keepAll(waiting.splice(0))
    const ended = performance.now()
    nextAt = ended + Math.max(PAUSE_MS, ended - began)
  }

  function keepAll(group: typeof waiting): void {
    try {
      keep(group.map(({ arrival }) => arrival))
      for (const { kept } of group) kept.resolve()
    } catch (error) {
      if (group.length === 1) group[0]!.kept.reject(error)
      // A delivery that can't be kept is no reason to refuse the others.
      else for (const one of group) keepAll([one])
    }
  }

  return (arrival) => {
    const kept = Promise.withResolvers<void>()
    // Deliveries that come in a pause wait together; the first after a longer one waits for nothing.
    if (waiting.push({ arrival, kept }) === 1) {
      const pause = nextAt - performance.now()
      if (pause > 0) setTimeout(keepWaiting, pause)
      else setImmediate(keepWaiting)
    }
    return kept.promise
  }
}
