import type { EvidenceRow } from '../../src/judge/statistics/change-points/paired-history.ts'

const HISTORIES = 60
const ROWS = 200
/** Of a side of a run around the machine it ran on. */
const RUN_NOISE = 0.02
/** Of the machines around each other. */
const MACHINE_NOISE = 0.05
/** Of a run to the next. */
const CORRELATION = 0.7
/** Chance of a run to be the first on another host. */
const REGIME = 0.05

export type Machines = 'independent' | 'autocorrelated' | 'regimes'

/** Histories without a step whose runs, with both sides, take what the machine of that day takes. The same ones each time. */
export function machines(kind: Machines): EvidenceRow[][] {
  const random = generator(20_261_122)
  const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random())
  return Array.from({ length: HISTORIES }, () => {
    let machine = MACHINE_NOISE * normal()
    return Array.from({ length: ROWS }, () => {
      if (kind === 'independent') machine = MACHINE_NOISE * normal()
      else if (kind === 'autocorrelated') {
        machine = CORRELATION * machine + Math.sqrt(1 - CORRELATION ** 2) * MACHINE_NOISE * normal()
      } else if (random() < REGIME) machine = MACHINE_NOISE * normal()
      const [old, fresh] = [machine + RUN_NOISE * normal(), machine + RUN_NOISE * normal()]
      return { old: Math.exp(old), new: Math.exp(fresh), threshold: RUN_NOISE * (2 + random()), isClose: true }
    })
  })
}

/** Mulberry32: random numbers from 0 to 1. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 2 ** 32
  }
}
