import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Marks what a page asks of the database: its statements have places of their own, so that they never take those of a triage,
 * and end with whoever waits for the page.
 */
export interface PageAsking {
  /** Aborted: nobody waits any longer. */
  readonly signal: AbortSignal
}

const asking = new AsyncLocalStorage<PageAsking | null>()

/** The page that asks; null: none does. */
export function pageAsking(): PageAsking | null {
  return asking.getStore() ?? null
}

/** Does the work for a page, until `signal` or what it is part of ends. */
export function askedByPage<T>(signal: AbortSignal, work: () => T): T {
  const outer = pageAsking()
  return asking.run({ signal: outer === null ? signal : AbortSignal.any([outer.signal, signal]) }, work)
}

/** Does work that others wait for too: it must not end with the first of them. */
export function askedByAll<T>(work: () => T): T {
  return asking.run(null, work)
}
