import type { Confirmation } from '../../measurement/run.ts'
import type { ClassifiedQuery } from '../classified-query.ts'
import type { Confirmed, NotReproduced } from './evidence.ts'

/**
 * The run's own result when it measured the query once more, after a restart of both servers: a fresh process, with
 * empty caches and another layout of memory. `measurement/confirmations.ts` has the rule by which it is decided there;
 * a query that was not measured again has no evidence of either kind.
 *
 * `confirmed` triggers: slower by 30 %, and by 28 % in the rerun. `not-reproduced` triggers: slower by 30 %, and by 3 % in
 * the rerun. Neither does: the query has no position in its test or is not among the rerun ones; or it is slower here,
 * and what the rerun confirmed was that it is faster.
 */
export function confirmedOrNot(
  result: ClassifiedQuery,
  confirmations: readonly Confirmation[],
): Confirmed | NotReproduced | null {
  const found = confirmations.find(({ test, queryIndex }) => test === result.test && queryIndex === result.queryIndex)
  if (found === undefined || result.difference === null) return null
  const { architecture } = result
  const { difference, threshold } = found
  if (found.result === 'not-reproduced') return { kind: 'not-reproduced', architecture, difference, threshold }
  if (difference !== null && Math.sign(difference) !== Math.sign(result.difference)) return null
  return { kind: 'confirmed', architecture, difference }
}
