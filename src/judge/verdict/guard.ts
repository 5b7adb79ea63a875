import type { ClassifiedQuery } from './classified-query.ts'
import { reaches } from './outcome.ts'

/**
 * new/old from which a slowdown is never waved through, whatever its outcome. A query that takes three times as long is
 * worth a look even where the noise is wide: regressions of 16 and of 23 times have passed as "1 slower".
 *
 * Triggers: 20 ms to 61 ms in a query whose threshold is 250%. Does not: 20 ms to 58 ms there.
 */
const GUARD_RATIO = 3

/**
 * The same for samples that do not overlap at all, where a smaller ratio is enough.
 *
 * Triggers: 20 ms to 31 ms, every new repetition slower than every old one. Does not: the same with one that is not.
 */
const GUARD_RATIO_SEPARATED = 1.5

/** A slowdown so large that the row stands at the top and is never below `needs-rerun`. */
export function isGuarded(result: ClassifiedQuery): boolean {
  if (result.history !== undefined) return result.history.isGuarded
  if (result.status !== 'compared' || !result.old.median || result.new.median === null) return false
  if (result.better === null) return false
  const [better, worse] = result.better === 'higher' ? [result.new, result.old] : [result.old, result.new]
  if (!better.median) return false
  const ratio = worse.median! / better.median
  return reaches(ratio, GUARD_RATIO) || (result.separated === true && reaches(ratio, GUARD_RATIO_SEPARATED))
}
