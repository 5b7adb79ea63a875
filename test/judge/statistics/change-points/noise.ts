/** A fixed sequence of random numbers from 0 to 1: the same series on every machine. */
export function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state + 0.5) / 2 ** 32
  }
}

/** `count` normal values around `level`. */
export function noise(random: () => number, count: number, level: number, deviation: number): number[] {
  return Array.from(
    { length: count },
    () => level + deviation * Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random()),
  )
}
