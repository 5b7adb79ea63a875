import { sortSamplesInto } from './sort-samples.ts'

/** The samples of both sides, each sorted, and all of them sorted together. */
export interface Pool {
  readonly old: Float64Array
  readonly new: Float64Array
  readonly all: Float64Array
}

/** Grows to the largest query seen and is used again: a run has thousands of queries of the same few samples. */
const scratch = { old: new Float64Array(64), new: new Float64Array(64), all: new Float64Array(128) }

/**
 * Sorts each side and merges the two. The result is overwritten by the next call and only its first `old.length`,
 * `new.length` and `old.length + new.length` elements mean anything.
 */
export function poolSamples(old: ArrayLike<number>, fresh: ArrayLike<number>): Pool {
  if (scratch.old.length < old.length) scratch.old = new Float64Array(old.length)
  if (scratch.new.length < fresh.length) scratch.new = new Float64Array(fresh.length)
  if (scratch.all.length < old.length + fresh.length) scratch.all = new Float64Array(old.length + fresh.length)
  sortSamplesInto(scratch.old, old, 0)
  sortSamplesInto(scratch.new, fresh, 0)
  merge(scratch.old, old.length, scratch.new, fresh.length, scratch.all)
  return scratch
}

function merge(a: Float64Array, countA: number, b: Float64Array, countB: number, target: Float64Array): void {
  let nextA = 0
  let nextB = 0
  for (let place = 0; place < countA + countB; place++) {
    if (nextB === countB || (nextA < countA && a[nextA]! <= b[nextB]!)) target[place] = a[nextA++]!
    else target[place] = b[nextB++]!
  }
}
