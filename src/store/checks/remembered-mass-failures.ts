import { LRUCache } from 'lru-cache'
import type { MassFailure } from '../../judge/ledger/failure.ts'
import { askedByAll } from '../page-asking.ts'
import type { CiResults } from './ci-results.ts'

/**
 * How long the mass failures of a lookback stand. Each red check of a head asks for them again, and they are read from every
 * failing row of a month; an hour in which everything failed is not over in two minutes.
 */
export const MASS_FAILURES_STAND_MS = 2 * 60_000

const MOST_KEPT = 100

type Question = Parameters<CiResults['massFailuresOf']>

/** The same results, with the mass failures of the same question remembered for a while. What failed is asked again. */
export function rememberMassFailures(inner: CiResults, now: () => number = Date.now): CiResults {
  const kept = new LRUCache<string, readonly MassFailure[], Question>({
    max: MOST_KEPT,
    ttl: MASS_FAILURES_STAND_MS,
    ttlResolution: 0,
    perf: { now },
    ignoreFetchAbort: true,
    fetchMethod: (_, __, { context }) => askedByAll(() => inner.massFailuresOf(...context)),
  })
  return {
    source: inner.source,
    failuresOf: (wanted) => inner.failuresOf(wanted),
    historiesOf: (...question) => inner.historiesOf(...question),
    massFailuresOf: (...question) => kept.forceFetch(JSON.stringify(question), { context: question }),
  }
}
