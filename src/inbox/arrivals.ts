import { InboxUnavailable } from './database.ts'

/**
 * Everybody waits while the disk is waited for. Between two waits there is at least this time, and that of the last wait:
 * so they take half of the process at the most on a slow disk, and a tenth of it on one that takes 2 ms.
 */
const PAUSE_MS = 20

/**
 * Keeps deliveries that come close together with one wait for the disk. The promise resolves when the delivery is on disk,
 * and rejects when it can't be kept. `keep`: all of them are on disk when it resolves, none when it rejects.
 */
export function keptTogether<Arrival>(
  keep: (arrived: readonly Arrival[]) => Promise<void>,
): (arrival: Arrival) => Promise<void> {
  const waiting: { readonly arrival: Arrival; readonly kept: PromiseWithResolvers<void> }[] = []
  let isKeeping = false
  let nextAt = 0

  function keepSoon(): void {
    const pause = nextAt - performance.now()
    if (pause > 0) setTimeout(() => void keepWaiting(), pause)
    else setImmediate(() => void keepWaiting())
  }

  async function keepWaiting(): Promise<void> {
    isKeeping = true
    const began = performance.now()
    await keepAll(waiting.splice(0))
    const ended = performance.now()
    nextAt = ended + Math.max(PAUSE_MS, ended - began)
    isKeeping = false
    if (waiting.length > 0) keepSoon()
  }

  async function keepAll(group: typeof waiting): Promise<void> {
    try {
      await keep(group.map(({ arrival }) => arrival))
      for (const { kept } of group) kept.resolve()
    } catch (error) {
      if (group.length === 1 || error instanceof InboxUnavailable) for (const { kept } of group) kept.reject(error)
      // A delivery that can't be kept is no reason to refuse the others.
      else for (const one of group) await keepAll([one])
    }
  }

  return (arrival) => {
    const kept = Promise.withResolvers<void>()
    // Deliveries that come in a pause wait together; the first after a longer one waits for nothing.
    if (waiting.push({ arrival, kept }) === 1 && !isKeeping) keepSoon()
    return kept.promise
  }
}
