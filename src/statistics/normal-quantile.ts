import { normalTwoSided } from './normal-tail.ts'

/** Halvings of [0, 40] down to the last bit that matters: 40 / 2^50 is 4e-14. */
const HALVINGS = 50
const FARTHEST = 40

/** z with `P(Z <= z) = p` of the standard normal distribution, for p between 0 and 1; an error below 1e-6. */
export function normalQuantile(p: number): number {
  const tail = 2 * Math.min(p, 1 - p)
  let [low, high] = [0, FARTHEST]
  for (let i = 0; i < HALVINGS; i += 1) {
    const middle = (low + high) / 2
    if (normalTwoSided(middle) > tail) low = middle
    else high = middle
  }
  return p < 0.5 ? -low : low
}
