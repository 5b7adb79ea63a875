import type { ClassifiedQuery } from './classified-query.ts'
import { isSignificant } from './outcome.ts'

/** A metric of a query after the randomization test. Fractions are of the old median. */
export interface MeasuredMetric
  extends Pick<ClassifiedQuery, 'metric' | 'difference' | 'threshold' | 'pValue' | 'separated'> {
  readonly oldMedian: number | null
  readonly newMedian: number | null
}

/**
 * How metrics of one query are sorted where the question is which of them surprise. First those whose sides do not overlap,
 * the largest ratio of the medians first; then those that moved otherwise, then the rest, both by the smallest p, of equal
 * ones by the largest |D| / T, then by the ratio. What has different medians and no p (its samples are not there) follows,
 * then what was not measured on both sides, and last what is equal on both sides. Of equals the name decides.
 *
 * Without overlap p is not asked: of counters with few values the test of medians has none that is small. 8 files spilled in
 * every repetition of the new build and none in the old one have p = 1, since every way to deal them gives that difference.
 */
export function compareBySurprise(a: MeasuredMetric, b: MeasuredMetric): number {
  const place = placeOf(a)
  return (
    place - placeOf(b) ||
    (place === NO_OVERLAP ? 0 : (a.pValue ?? 1) - (b.pValue ?? 1) || compareSizes(sizeOf(b), sizeOf(a))) ||
    compareSizes(ratioOf(b), ratioOf(a)) ||
    (a.metric < b.metric ? -1 : a.metric > b.metric ? 1 : 0)
  )
}

const NO_OVERLAP = 0

function placeOf(metric: MeasuredMetric): number {
  if (metric.oldMedian === null || metric.newMedian === null) return 4
  if (metric.oldMedian === metric.newMedian) return 5
  if (metric.separated === true) return NO_OVERLAP
  if (hasMoved(metric)) return 1
  return metric.pValue === null ? 3 : 2
}

/** |D| in thresholds. From nothing to something, and beyond a threshold of 0, is more than any number of them. */
function sizeOf({ difference, threshold }: MeasuredMetric): number {
  if (difference === null || threshold === null) return Number.POSITIVE_INFINITY
  return difference === 0 ? 0 : Math.abs(difference) / threshold
}

/** Half is as far as double. */
function ratioOf({ oldMedian, newMedian }: MeasuredMetric): number {
  if (oldMedian === null || newMedian === null || oldMedian === newMedian) return 0
  return oldMedian > 0 && newMedian > 0 ? Math.abs(Math.log(newMedian / oldMedian)) : Number.POSITIVE_INFINITY
}

/** Not a subtraction: of two infinite ones none is the larger. */
function compareSizes(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1
}

/** A metric moved by the rule that outcomes follow; where its median was 0, by the samples alone. */
export function hasMoved(metric: MeasuredMetric): boolean {
  const { difference, threshold, separated } = metric
  if (directionOf(metric) === null) return false
  if (difference === null || threshold === null) return separated === true
  return isSignificant({ difference, threshold, separated: separated === true })
}

/** Where the new median lies. null: where the old one does, or not both are there. */
export function directionOf({ oldMedian, newMedian }: MeasuredMetric): 'up' | 'down' | null {
  if (oldMedian === null || newMedian === null || oldMedian === newMedian) return null
  return newMedian > oldMedian ? 'up' : 'down'
}
