import type { TrunkPoint } from '../history/trunk-series.ts'
import { shiftInterval } from '../statistics/mann-whitney.ts'
import { isMeasured } from './level-changes.ts'

/**
 * Runs after the merge at which it is looked: a look more is one chance more to be wrong. With 5 runs after 20 a pull request's
 * 12% stands out of 3% of noise; what 20 do not tell no more of them will.
 */
const LOOKS = [5, 10, 20] as const

/** Runs before the merge that are compared with, and those that are needed. */
const RUNS_BEFORE = 20
const LEAST_BEFORE = 5

/** The chance, for each end of the interval, that the shift lies beyond it. */
const TAIL = 0.005

/**
 * The share of its size that a finding must keep to be confirmed, and below which it did not appear.
 *
 * Confirmed: +12% in the pull request, +9% on the trunk. Did not appear: +12%, and on the trunk between −1% and +3%.
 */
const KEPT_SHARE = 0.5

/** How far a query moved on the trunk between the runs before a merge and those after it. */
export interface ShiftAfterMerge {
  /** `not-told`: twenty runs say neither. */
  readonly outcome: 'confirmed' | 'did-not-appear' | 'not-told'
  /** Fractions: the shift, and the interval that it lies in with 99%. */
  readonly shift: number
  readonly low: number
  readonly high: number
  readonly runsBefore: number
  readonly runsAfter: number
}

/**
 * Whether a slowdown that a pull request showed, of `size` (a fraction above 0), is there on the trunk. Null: not enough runs yet.
 *
 * The interval is that of Mann and Whitney for the logarithms of the medians, which knows nothing of how they are distributed. It is
 * `confirmed` where all of it is above 0 and the shift is half of `size` at least, and `did-not-appear` where all of it is below
 * that. Runs are of one type of machine, the one with most runs after the merge. `isAfter`: the commit has the merge.
 */
export function shiftAfterMerge(
  points: readonly TrunkPoint[],
  isAfter: (commit: string) => boolean,
  size: number,
): ShiftAfterMerge | null {
  const measured = points.filter(isMeasured)
  const types = Map.groupBy(measured, ({ instanceType }) => instanceType ?? '')
  const afterOf = (some: readonly TrunkPoint[]) => some.filter(({ commit }) => isAfter(commit))
  const [most] = [...types.values()].toSorted((a, b) => afterOf(b).length - afterOf(a).length)
  if (most === undefined) return null
  const levels = (some: readonly TrunkPoint[]) => some.map((point) => Math.log(point.new))
  const before = levels(most.filter(({ commit }) => !isAfter(commit)).slice(-RUNS_BEFORE))
  const after = levels(afterOf(most))
  if (before.length < LEAST_BEFORE) return null

  const kept = KEPT_SHARE * Math.log1p(size)
  let last: ShiftAfterMerge | null = null
  for (const runsAfter of LOOKS) {
    if (after.length < runsAfter) break
    const fresh = after.slice(0, runsAfter)
    const interval = shiftInterval(before, fresh, TAIL)
    if (interval === null) continue
    const { low, middle, high } = interval
    const outcome = low > 0 && middle >= kept ? 'confirmed' : high < kept ? 'did-not-appear' : 'not-told'
    const [shift, lowest, highest] = [middle, low, high].map(Math.expm1) as [number, number, number]
    last = { outcome, shift, low: lowest, high: highest, runsBefore: before.length, runsAfter }
    if (outcome !== 'not-told') return last
  }
  return after.length >= LOOKS.at(-1)! ? last : null
}
