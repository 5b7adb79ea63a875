import { normalQuantile, normalTwoSided } from '../normal-tail.ts'

/**
 * The distribution of `|Σ ± δ|` where every sign is as likely as the other: what relabeling whole blocks of time gives when the
 * label does not matter. Exact up to 14 blocks, normal beyond.
 */

const ENUMERATED = 14
const LEVEL = 0.01
/** 2.5758: of a normal distribution so many deviations are reached by one percent. */
const NORMAL_99 = normalQuantile(1 - LEVEL / 2)
/** Sums that differ by less, relative to the largest, are one: they were added in another order. */
const ROUNDING = 1e-9

export interface SignFlips {
  /** The smallest sum that is reached with a probability of 0.01 at most; infinite where none is so rare. */
  readonly reachedByOnePercent: number
  /** `P(|Σ ± δ| >= sum)`. */
  probabilityOf(sum: number): number
}

export function signFlips(deltas: readonly number[]): SignFlips {
  if (deltas.length > ENUMERATED) return approximation(deltas)
  const sums = allSums(deltas.filter((delta) => delta !== 0))
  const tolerance = ROUNDING * sums[0]!
  return {
    reachedByOnePercent: rareSum(sums, tolerance),
    probabilityOf: (sum) => sums.filter((one) => one >= sum - tolerance).length / sums.length,
  }
}

function approximation(deltas: readonly number[]): SignFlips {
  const deviation = Math.sqrt(deltas.reduce((sum, delta) => sum + delta * delta, 0))
  return {
    reachedByOnePercent: NORMAL_99 * deviation,
    probabilityOf: (sum) => (sum <= 0 ? 1 : deviation === 0 ? 0 : normalTwoSided(sum / deviation)),
  }
}

/** Half of the sums, largest first, as absolute values: the other half has all signs the other way round. */
function allSums(deltas: readonly number[]): Float64Array {
  const free = Math.max(0, deltas.length - 1)
  const sums = new Float64Array(2 ** free)
  sums[0] = deltas[0] ?? 0
  for (let i = 0; i < free; i += 1) {
    const delta = deltas[i + 1]!
    const known = 2 ** i
    for (let j = 0; j < known; j += 1) {
      const sum = sums[j]!
      sums[j] = sum + delta
      sums[j + known] = sum - delta
    }
  }
  return sums.map(Math.abs).sort().reverse()
}

function rareSum(sums: Float64Array, tolerance: number): number {
  let place = Math.floor(LEVEL * sums.length) - 1
  // the sums that are as large as the next one are not so rare
  while (place >= 0 && sums[place]! <= sums[place + 1]! + tolerance) place -= 1
  return place < 0 ? Number.POSITIVE_INFINITY : sums[place]!
}
