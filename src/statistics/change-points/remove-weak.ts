import { Heap } from './heap.ts'
import { join, type Piece, pieceOf, pieceTest, relativeStep, withoutFarthest } from './piece.ts'

/** A candidate that is left. */
export interface StrongPoint {
  /** Position of the first point of the new level. */
  readonly index: number
  /** Of the t-test between the two levels, not below what spikes give. */
  readonly pValue: number
}

/**
 * The chance that one point is off by itself: a spike. A t-test knows no spikes: a single point at twice the value at the
 * end of a calm series has p = 1e-14. So p is not below
 *
 * - this, or the p of the two pieces without their farthest points divided by `ONE_POINT_FACTOR`, whichever is smaller:
 *   where nothing is left without them, one point made the step;
 * - this to the power of k, where the shorter piece has k points: k spikes in a row made it.
 *
 * How often a point is off in real histories is measured in docs/change-points.md.
 *
 * A step at 0.001: three points of a new level in the end (0.05³ = 0.000125). None: one or two; twenty points whose mean
 * one of them lifts. At 0.1 a single point is a step.
 */
export const SPIKE_CHANCE = 0.05

/**
 * Two points fewer make any p larger: by this factor without a meaning. It is also that between candidates and steps.
 *
 * One point's step: p = 1e-6 with it and 0.3 without. Not: 0.0005 and 0.002.
 */
export const ONE_POINT_FACTOR = 10

/** Points without which a series has no step at this p: two levels that are not called spikes. */
export function fewestPoints(maxP: number): number {
  let level = 1
  while (SPIKE_CHANCE ** level >= maxP) level += 1
  // A t-test needs three.
  return Math.max(3, 2 * level)
}

/** A candidate as it was judged last. */
interface Judged {
  /** Its position among all candidates. */
  readonly place: number
  /** Of the t-test alone. */
  readonly testP: number
  /** Not below what spikes give. */
  readonly pValue: number
  readonly step: number
}

/**
 * The candidates that are left when the weak ones are gone: one after the other, that with the largest p while that is
 * not below `maxP`, else that with the smallest relative step while that is not above `minStep`. Each removal joins two
 * pieces. `indexes` are the positions of the candidates, ascending, none of them 0.
 *
 * As in Apache Otava, whose asserted results come of it, the two candidates after a removed one are tested again on their
 * pieces, and the one before keeps its test, though its right piece has grown. Of spikes it is judged again.
 *
 * Time `n + k log k` for k candidates.
 */
export function removeWeak(
  values: ArrayLike<number>,
  indexes: readonly number[],
  maxP: number,
  minStep: number,
): StrongPoint[] {
  const count = indexes.length
  // pieces[i] ends at candidate i, pieces[i + 1] starts there; of joined pieces the first place holds all.
  const pieces = [0, ...indexes].map((from, i) => pieceOf(values, from, indexes[i] ?? values.length))
  const before = Int32Array.from(indexes, (_, place) => place - 1)
  const after = Int32Array.from(indexes, (_, place) => place + 1)
  const judged: (Judged | undefined)[] = []
  const leastCertain = new Heap<Judged>(isLessCertain)
  const smallest = new Heap<Judged>((a, b) => a.step < b.step || (a.step === b.step && a.place < b.place))
  const set = (place: number, judgement: Judged) => {
    judged[place] = judgement
    leastCertain.push(judgement)
    smallest.push(judgement)
  }
  /** The first that still stands as it was judged. */
  const first = (heap: Heap<Judged>): Judged | undefined => {
    for (let top = heap.peek(); top !== undefined; top = heap.peek()) {
      if (judged[top.place] === top) return top
      heap.pop()
    }
    return undefined
  }

  for (let place = 0; place < count; place += 1) set(place, judge(place, pieces[place]!, pieces[place + 1]!))
  for (;;) {
    let weakest = first(leastCertain)
    if (weakest === undefined) break
    if (weakest.pValue < maxP) {
      weakest = first(smallest)!
      if (weakest.step > minStep) break
    }
    const { place } = weakest
    const [previous, next] = [before[place]!, after[place]!]
    judged[place] = undefined
    const joined = join(pieces[previous + 1]!, pieces[place + 1]!)
    pieces[previous + 1] = joined
    if (previous >= 0) {
      after[previous] = next
      const { testP, step } = judged[previous]!
      const pValue = Math.max(testP, spikeP(pieces[before[previous]! + 1]!, joined))
      set(previous, { place: previous, testP, pValue, step })
    }
    if (next === count) continue
    before[next] = previous
    for (const again of [next, after[next]!]) {
      if (again < count) set(again, judge(again, pieces[before[again]! + 1]!, pieces[again + 1]!))
    }
  }
  return judged.flatMap((left) => (left === undefined ? [] : [{ index: indexes[left.place]!, pValue: left.pValue }]))
}

function judge(place: number, left: Piece, right: Piece): Judged {
  const testP = pieceTest(left, right)
  return { place, testP, pValue: Math.max(testP, spikeP(left, right)), step: relativeStep(left, right) }
}

/** What p is not below: see `SPIKE_CHANCE`. */
function spikeP(left: Piece, right: Piece): number {
  const [ownLeft, ownRight] = [withoutFarthest(left), withoutFarthest(right)]
  const withoutOne = ownLeft === null || ownRight === null ? 1 : pieceTest(ownLeft, ownRight)
  return Math.max(
    Math.min(SPIKE_CHANCE, withoutOne / ONE_POINT_FACTOR),
    SPIKE_CHANCE ** Math.min(left.count, right.count),
  )
}

/** Of the two ends of a spike that where the test sees less; of equal ones the first. */
function isLessCertain(a: Judged, b: Judged): boolean {
  if (a.pValue !== b.pValue) return a.pValue > b.pValue
  return a.testP === b.testP ? a.place < b.place : a.testP > b.testP
}
