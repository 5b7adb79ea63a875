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

/** Up to here insertion is faster than the engine's sort; a query has 7 to 30 repetitions a side. */
const INSERTION_SORT_LIMIT = 48

/** Copies the samples into `target` from `offset` on and sorts that part in place. */
export function sortSamplesInto(target: Float64Array, samples: ArrayLike<number>, offset: number): void {
  const count = samples.length
  if (count > INSERTION_SORT_LIMIT) {
    target.set(samples, offset)
    target.subarray(offset, offset + count).sort()
    return
  }
  for (let index = 0; index < count; index++) {
    const value = samples[index]!
    let place = offset + index
    while (place > offset && target[place - 1]! > value) {
      target[place] = target[place - 1]!
      place -= 1
    }
    target[place] = value
  }
}
