import type { Measurement, Taken } from '../../src/intake/measurement/run.ts'
import { normals, seeded } from '../calibration/seeded.ts'

export function benchmark(name: string, old: readonly number[], fresh: readonly number[]): Measurement {
  return {
    test: 'suite',
    queryIndex: null,
    queryName: name,
    metric: 'client_time',
    unit: 's',
    architecture: null,
    old,
    new: fresh,
    reportThreshold: null,
    rounded: false,
    problems: [],
  }
}

/** The spread of processes of one build and of the values of one process, as standard deviations of logarithms. */
const BETWEEN_PROCESSES = 0.04
const WITHIN_PROCESS = 0.02

/** Forks as JMH has them: each at a level of its own, with its iterations about it. `by`: how much slower the new side is. */
export function forks(count: number, iterations: number, rows: number, seed: number, by = 1): Measurement[] {
  const draw = normals(seeded(seed))
  const side = (factor: number) =>
    Array.from({ length: count }, () => {
      const level = factor * Math.exp(BETWEEN_PROCESSES * draw())
      return Array.from({ length: iterations }, () => level * Math.exp(WITHIN_PROCESS * draw()))
    })
  return Array.from({ length: rows }, (_, row) => {
    const [old, fresh] = [side(1), side(by)]
    const taken = (values: readonly (readonly number[])[]): Taken => ({
      processes: values.flatMap((ofOne, process) => ofOne.map(() => process)),
      places: values.flat().map((_value, at) => row * count * iterations + at),
    })
    return {
      ...benchmark(`fork${row}`, old.flat(), fresh.flat()),
      taken: { old: taken(old), new: taken(fresh) },
    }
  })
}

export interface Host {
  /** The share of the time in which it is slowed, by how much, and for how many samples on average. */
  readonly share: number
  readonly factor: number
  readonly length: number
}

export const QUIET: Host = { share: 0, factor: 1, length: 1 }
const BENCHMARKS = 200
const REPETITIONS = 10
const NOISE = 0.01

/** 200 benchmarks of Go, ten values each, one build after the other or round by round; `slower` of them are slower by 10%. */
export function goOn(
  host: Host,
  order: 'in one piece' | 'in turns',
  seed: number,
  slower = 0,
  noise = NOISE,
): Measurement[] {
  const random = seeded(seed)
  const draw = normals(random)
  let isSlow = false
  const value = (level: number) => {
    const leave = 1 / host.length
    const enter = host.share === 0 ? 0 : (host.share / (1 - host.share)) * leave
    isSlow = isSlow ? random() > leave : random() < enter
    return level * (isSlow ? host.factor : 1) * Math.exp(noise * draw())
  }
  const levelOf = (side: number, index: number) => (side === 1 && index % 20 === 7 && index < 20 * slower ? 1.1 : 1)
  const samples = [0, 1].map(() => Array.from({ length: BENCHMARKS }, () => [] as { value: number; place: number }[]))
  const places = [0, 0]
  const take = (side: number, index: number) => {
    samples[side]![index]!.push({ value: value(levelOf(side, index)), place: places[side]! })
    places[side]! += 1
  }
  const all = Array.from({ length: BENCHMARKS }, (_, index) => index)
  if (order === 'in one piece') {
    for (const side of [0, 1]) for (const index of all) for (let i = 0; i < REPETITIONS; i++) take(side, index)
  } else {
    for (let i = 0; i < REPETITIONS; i++)
      for (const side of i % 2 === 0 ? [0, 1] : [1, 0]) for (const index of all) take(side, index)
  }
  return all.map((index) => {
    const [old, fresh] = samples.map((ofSide) => ofSide[index]!) as [(typeof samples)[0][0], (typeof samples)[0][0]]
    const taken = (ofSide: typeof old): Taken => ({
      processes: ofSide.map((_, at) => (order === 'in turns' ? at : 0)),
      places: ofSide.map(({ place }) => place),
    })
    return {
      ...benchmark(
        `B${index}`,
        old.map((one) => one.value),
        fresh.map((one) => one.value),
      ),
      taken: { old: taken(old), new: taken(fresh) },
    }
  })
}
