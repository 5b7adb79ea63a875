import type { MediansOf } from '../../intake/imports/history/runs-of-repetitions.ts'
import { median } from '../../intake/measurement/median.ts'
import { canRandomize, randomizationTest } from '../statistics/randomization-test.ts'

/**
 * Reduces the repetitions of a query in one run to a row of the trunk's history: both medians, and T by the exact
 * randomization test where that takes so many. Null where one side was not measured: there is nothing to compare.
 */
export const mediansOfRepetitions: MediansOf = (old, fresh) => {
  if (old.length === 0 || fresh.length === 0) return null
  if (canRandomize(old.length, fresh.length)) {
    const { oldMedian, newMedian, difference, threshold } = randomizationTest(old, fresh)
    return { old: oldMedian, new: newMedian, difference, threshold: Number.isFinite(threshold) ? threshold : null }
  }
  const [before, after] = [median(old), median(fresh)]
  return { old: before, new: after, difference: before === after ? 0 : (after - before) / before, threshold: null }
}
