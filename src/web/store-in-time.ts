import { TooLate, withDeadline } from '../bot/triage/with-deadline.ts'
import { askedByPage } from '../store/page-asking.ts'
import { StoreUnavailable } from '../store/store-unavailable.ts'

/** Milliseconds that a page gives one question to the database: somebody waits for the page. */
const PAGE_QUESTION_MS = 8_000

/**
 * The same store for pages: each method, those of `profiles` and `trunkHistory` too, throws `StoreUnavailable` where the
 * database hangs, and its statements end then.
 */
export function storeInTime<T extends object>(store: T, milliseconds = PAGE_QUESTION_MS): T {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value === 'object' && value !== null) return storeInTime(value, milliseconds)
      if (typeof value !== 'function') return value
      return async (...given: unknown[]) => {
        const end = new AbortController()
        const ask = async () => (await Reflect.apply(value, target, given)) as unknown
        try {
          return await withDeadline(() => askedByPage(end.signal, ask), milliseconds)
        } catch (error) {
          if (!(error instanceof TooLate)) throw error
          end.abort()
          throw new StoreUnavailable(`The database did not answer a page within ${milliseconds / 1000} s.`)
        }
      }
    },
  })
}
