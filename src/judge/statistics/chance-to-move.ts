import { poolSamples } from './pool.ts'
import { canRelabel, relabelingWeights } from './relabeling-weights.ts'
import { upperQuantile } from './weighted-tail.ts'

/** The share of relabelings that reach the test's threshold where the samples are many: T is the 0.99 quantile. */
export const TAIL_REACHED = 0.01

/**
 * Above it the distribution has so many steps that T is reached by hardly more than 1%. Up to it a relabeling is counted
 * as 1, exactly.
 */
const LARGEST_POOL = 56

/** Samples that differ by less than this part of the largest one are equal, as in the randomization test. */
const TOLERANCE = 1e-12

/**
 * The share of all relabelings of these samples that would count as moved: medians that are not equal, and as far apart as
 * T or sides that do not overlap. `zeroOld`: those that do not overlap alone, as of a median that was 0.
 *
 * T is the 0.99 quantile of few steps, and what is exactly T counts. So this is no 1%: at 3 + 3 samples without ties it is
 * 20%, at 5 + 5 some 5%, at 7 + 7 1.2%. Of equal samples it is 0. Null where nothing exact can be said: more
 * than 56 samples, or none on a side.
 */
export function chanceToMove(old: readonly number[], fresh: readonly number[], zeroOld: boolean): number | null {
  const [n, m] = [old.length, fresh.length]
  if (n + m > LARGEST_POOL || !canRelabel(n, m)) return null
  const { lower, upper, weight, total, tail } = relabelingWeights(n, m)
  const { all } = poolSamples(old, fresh)
  const tolerance = TOLERANCE * Math.max(Math.abs(all[0]!), Math.abs(all[n + m - 1]!))
  const distances = Float64Array.from(weight, (_, pair) => all[upper[pair]!]! - all[lower[pair]!]!)
  const threshold = upperQuantile(distances.slice(), weight.slice(), weight.length, tail, tolerance)
  const reached = (distance: number) => distance > tolerance && distance >= threshold - tolerance

  let moved = 0
  if (!zeroOld) for (const [pair, distance] of distances.entries()) if (reached(distance)) moved += weight[pair]!
  // the one relabeling that has the lowest on one side, where it leaves no overlap
  for (const [few, more] of [
    [n, m],
    [m, n],
  ] as const) {
    const distance = all[few + (more >>> 1)]! - all[few >>> 1]!
    const isSeparated = all[few - 1]! < all[few]! && distance > tolerance
    if (isSeparated && (zeroOld || !reached(distance))) moved += 1
  }
  return moved / total
}
