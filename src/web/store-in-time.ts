import { TooLate, withDeadline } from '../bot/triage/with-deadline.ts'
import { StoreUnavailable } from '../store/store-unavailable.ts'

/** Milliseconds that a page gives one question to the database: somebody waits for the page. */
const PAGE_QUESTION_MS = 8_000

/**
 * The same store for pages: each method, those of `profiles` and `trunkHistory` too, throws `StoreUnavailable` where the
 * database hangs. What was asked goes on until the time limit of its statements.
 */
export function storeInTime<T extends object>(store: T, milliseconds = PAGE_QUESTION_MS): T {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value === 'object' && value !== null) return storeInTime(value, milliseconds)
      if (typeof value !== 'function') return value
      return async (...given: unknown[]) => {
        try {
          return await withDeadline(async () => (await Reflect.apply(value, target, given)) as unknown, milliseconds)
        } catch (error) {
          if (!(error instanceof TooLate)) throw error
          throw new StoreUnavailable(`The database did not answer a page within ${milliseconds / 1000} s.`)
        }
      }
    },
  })
}
