import type { Confirmation } from './run.ts'

/**
 * A fact about a query from one line of a confirmation rerun's files. Differences and thresholds are fractions of the
 * old median.
 */
export type RerunFact = FlaggedFact | RerunStatistics | UnconfirmedFact

interface OfRerun extends Pick<Confirmation, 'test' | 'queryIndex'> {
  readonly difference: number
}

/** The query was flagged, so it was to be measured again, and this is what the rerun had to show. */
export interface FlaggedFact extends OfRerun {
  readonly kind: 'flagged'
  readonly changedThreshold: number
}

/** The query was measured again. The threshold is null where only the repetitions are known. */
export interface RerunStatistics extends OfRerun {
  readonly kind: 'measured-again'
  readonly threshold: number | null
}

/** The run itself took the flag back. */
export interface UnconfirmedFact extends OfRerun {
  readonly kind: 'unconfirmed'
  readonly threshold: number
}

/**
 * The rerun's result for each query, by the rule of ClickHouse's `confirm_changes`: the same direction, beyond the
 * query's threshold for a change (strict) and at least the rerun's own T. A flagged query that is not in the list of
 * the unconfirmed ones is confirmed only where it was measured again: the list is there and empty also where servers
 * did not start again, the time was up, or more than a hundred queries were flagged. Without anything that was measured
 * again in the source at all, a list that names some queries has been made after a rerun, and the others are confirmed
 * by it.
 *
 * Confirmed: flagged at +30% with a threshold of 15%, again +28% with T 6%. Not reproduced: again +12%, or −28%.
 * Neither: flagged and not measured again.
 */
export function confirmationsOf(facts: readonly RerunFact[]): readonly Confirmation[] {
  const flagged = factsOfKind(facts, 'flagged')
  // Statistics before bare repetitions.
  const again = factsOfKind([...facts.filter(hasThreshold), ...facts], 'measured-again')
  const unconfirmed = factsOfKind(facts, 'unconfirmed')
  const confirmations: Confirmation[] = []
  for (const { test, queryIndex, difference, threshold } of unconfirmed.values()) {
    confirmations.push({ test, queryIndex, result: 'not-reproduced', difference, threshold })
  }
  for (const [key, first] of flagged) {
    if (unconfirmed.has(key)) continue
    const { test, queryIndex } = first
    const rerun = again.get(key)
    if (rerun !== undefined) {
      const { difference, threshold } = rerun
      const result = isReproduced(first, rerun) ? 'confirmed' : 'not-reproduced'
      confirmations.push({ test, queryIndex, result, difference, threshold })
    } else if (again.size === 0 && unconfirmed.size > 0) {
      confirmations.push({ test, queryIndex, result: 'confirmed', difference: null, threshold: null })
    }
  }
  return confirmations.toSorted((a, b) => (a.test < b.test ? -1 : a.test > b.test ? 1 : a.queryIndex - b.queryIndex))
}

function isReproduced(first: FlaggedFact, { difference, threshold }: RerunStatistics): boolean {
  return (
    Math.sign(difference) === Math.sign(first.difference) &&
    Math.abs(difference) > first.changedThreshold &&
    Math.abs(difference) >= (threshold ?? 0)
  )
}

function hasThreshold(fact: RerunFact): boolean {
  return fact.kind === 'measured-again' && fact.threshold !== null
}

/** The facts of one kind by test and position; the first of each stands. */
function factsOfKind<Kind extends RerunFact['kind']>(
  facts: readonly RerunFact[],
  kind: Kind,
): ReadonlyMap<string, Extract<RerunFact, { kind: Kind }>> {
  const byQuery = new Map<string, Extract<RerunFact, { kind: Kind }>>()
  for (const fact of facts) {
    if (fact.kind !== kind) continue
    const key = JSON.stringify([fact.test, fact.queryIndex])
    // The comparison above narrows the union; TypeScript does not follow a generic through it.
    if (!byQuery.has(key)) byQuery.set(key, fact as Extract<RerunFact, { kind: Kind }>)
  }
  return byQuery
}
