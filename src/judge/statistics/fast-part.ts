/** The share of a side's samples that are its fast part; two at the least. */
const FAST_SHARE = 0.4
const LEAST_FAST = 2

/** All relabelings are counted up to here: 8 + 8 samples have 12,870. */
const MOST_RELABELINGS = 20_000

/** Relabelings that are drawn where there are more than are counted. */
const DRAWS = 9_999

const LEVEL = 0.01

/** Sums of samples that differ by less than this part of the largest one are equal. */
const TOLERANCE = 1e-12

/**
 * Whether the fast parts of both sides say that the new one is not slower by `slowdown` and more, at 1%: with that taken out of it
 * the mean of its lowest samples would be below the old one's by more than chance gives. What disturbs a repetition makes it slower, so the
 * fast part is steady where the median is not; of what only the slow part does, it says nothing.
 *
 * Over all relabelings, or over 9,999 that are drawn from a generator that the samples seed: the same samples always give the same
 * answer. Samples are finite and above 0.
 */
export function fastPartRulesOut(old: readonly number[], fresh: readonly number[], slowdown: number): boolean {
  const without = fresh.map((value) => value / (1 + slowdown))
  const [fastOld, fastNew] = [fastCount(old.length), fastCount(without.length)]
  if (Math.min(old.length, without.length) < LEAST_FAST) return false
  const sorted = (samples: readonly number[]) => samples.toSorted((a, b) => a - b)
  const mean = (samples: readonly number[], count: number) =>
    sorted(samples)
      .slice(0, count)
      .reduce((sum, value) => sum + value, 0) / count
  const pool = sorted([...old, ...without])
  const measured = mean(old, fastOld) - mean(without, fastNew)
  const tolerance = TOLERANCE * pool.at(-1)!
  if (measured <= tolerance) return false
  const least = measured - tolerance
  const total = relabelingCount(old.length, pool.length)
  if (total === null) {
    const random = generator(pool)
    // the measured one is among them; more than these, and it is chance
    const most = LEVEL * (DRAWS + 1) - 1
    let beyond = 0
    for (let draw = 0; draw < DRAWS && beyond <= most; draw++) {
      if (drawnDistance(pool, old.length, fastOld, fastNew, random) >= least) beyond += 1
    }
    return beyond <= most
  }
  return waysBeyond(pool, { chosen: old.length, fastOld, fastNew, least }) <= LEVEL * total
}

function fastCount(samples: number): number {
  return Math.max(LEAST_FAST, Math.floor(FAST_SHARE * samples))
}

/** How far apart the means of the fast parts are of a relabeling that is drawn, until both are full. */
function drawnDistance(
  pool: readonly number[],
  chosen: number,
  fastOld: number,
  fastNew: number,
  random: () => number,
): number {
  let [sumOld, sumNew, ofOld, ofNew] = [0, 0, 0, 0]
  let oldLeft = chosen
  for (let index = 0; ofOld < fastOld || ofNew < fastNew; index++) {
    if (random() * (pool.length - index) < oldLeft) {
      oldLeft -= 1
      if (ofOld < fastOld) {
        sumOld += pool[index]!
        ofOld += 1
      }
    } else if (ofNew < fastNew) {
      sumNew += pool[index]!
      ofNew += 1
    }
  }
  return Math.abs(sumOld / fastOld - sumNew / fastNew)
}

/** C(all, chosen), or null where it is more than are counted. */
function relabelingCount(chosen: number, all: number): number | null {
  let count = 1
  const few = Math.min(chosen, all - chosen)
  for (let k = 1; k <= few; k++) {
    count = (count * (all - few + k)) / k
    if (count > MOST_RELABELINGS) return null
  }
  return Math.round(count)
}

interface Relabeling {
  readonly chosen: number
  readonly fastOld: number
  readonly fastNew: number
  readonly least: number
}

/**
 * In how many ways to choose `chosen` of the pool the fast parts are at least `least` apart. Both are full after some samples of the
 * pool, and the ways to choose of the others are a number: 8 + 8 samples have 12,870 ways, and 310 beginnings.
 */
function waysBeyond(pool: readonly number[], { chosen, fastOld, fastNew, least }: Relabeling): number {
  const ways = (index: number, ofOld: number, sumOld: number, sumNew: number): number => {
    const ofNew = index - ofOld
    if (ofOld >= fastOld && ofNew >= fastNew) {
      const isBeyond = Math.abs(sumOld / fastOld - sumNew / fastNew) >= least
      return isBeyond ? relabelingCount(chosen - ofOld, pool.length - index)! : 0
    }
    const value = pool[index]!
    const asOld = ofOld < chosen ? ways(index + 1, ofOld + 1, ofOld < fastOld ? sumOld + value : sumOld, sumNew) : 0
    const isLeft = ofNew < pool.length - chosen
    return asOld + (isLeft ? ways(index + 1, ofOld, sumOld, ofNew < fastNew ? sumNew + value : sumNew) : 0)
  }
  return ways(0, 0, 0, 0)
}

/** Numbers from 0 to below 1. Source: Mulberry32 (T. Ettinger); the seed is FNV-1a over the bytes of the samples. */
function generator(samples: readonly number[]): () => number {
  let state = 0x811c9dc5
  for (const byte of new Uint8Array(Float64Array.from(samples).buffer)) state = Math.imul(state ^ byte, 0x01000193)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
