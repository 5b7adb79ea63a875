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
