import type { MassFailure } from '../../ledger/failure.ts'
import type { CiResults } from './ci-results.ts'

/**
 * How long the mass failures of a lookback stand. Each red check of a head asks for them again, and they are read from every
 * failing row of a month; an hour in which everything failed is not over in two minutes.
 */
export const MASS_FAILURES_STAND_MS = 2 * 60_000

const MOST_KEPT = 100

/** The same results, with the mass failures of the same question remembered for a while. What failed is asked again. */
export function rememberMassFailures(inner: CiResults, now: () => number = Date.now): CiResults {
  const kept = new Map<string, { readonly at: number; readonly found: Promise<readonly MassFailure[]> }>()
  return {
    source: inner.source,
    failuresOf: (wanted) => inner.failuresOf(wanted),
    historiesOf: (...question) => inner.historiesOf(...question),
    massFailuresOf(...question) {
      const key = JSON.stringify(question)
      const known = kept.get(key)
      if (known !== undefined && now() - known.at < MASS_FAILURES_STAND_MS) return known.found
      kept.delete(key)
      const found = inner.massFailuresOf(...question)
      kept.set(key, { at: now(), found })
      found.catch(() => kept.delete(key))
      if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!)
      return found
    },
  }
}
