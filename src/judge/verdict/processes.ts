import { evenlyRanked, MOST_RANKED } from '../../intake/measurement/evenly-ranked.ts'
import { median } from '../../intake/measurement/median.ts'
import type { Measurement, Side } from '../../intake/measurement/run.ts'

/**
 * Processes a side from which on they are what is tested. Two processes of one build differ by more than the values of one: over
 * forks of JMH that were compared with themselves, 5 of 20 iterations a side, 10.6% of the pairs are changed by their
 * iterations and 0.9% by one median a fork. With fewer than five nothing can be shown by processes, so values are tested, and the row says so.
 *
 * Tested: 5 forks of 20 iterations, as 5 + 5. Not: 3 forks of 20, which are 60 + 60.
 */
export const ENOUGH_PROCESSES = 5

const SIDES: readonly Side[] = ['old', 'new']

/** How many processes each side was measured by; null: each sample counts by itself. */
export function processCounts(measurement: Measurement): Readonly<Record<Side, number>> | null {
  const [old, fresh] = SIDES.map((side) => countOf(measurement, side))
  const isEach = old === measurement.old.length && fresh === measurement.new.length
  return isEach ? null : { old: old!, new: fresh! }
}

function countOf({ taken, ...sides }: Measurement, side: Side): number {
  const processes = taken?.[side]?.processes
  return processes === undefined ? sides[side].length : new Set(processes).size
}

/** Each process as one value, its median, where there are enough of them; else as many of the values as can be tested. */
export function byProcess(measurement: Measurement): Measurement {
  const counts = processCounts(measurement)
  if (counts === null) return measurement
  if (Math.min(counts.old, counts.new) < ENOUGH_PROCESSES) return withFewerValues(measurement)
  const [old, fresh] = SIDES.map((side) => processesOf(measurement, side))
  const { taken: _, ...one } = measurement
  const places = SIDES.flatMap((side, index) => {
    const known = [old, fresh][index]!.flatMap(({ place }) => place ?? [])
    return known.length === counts[side] ? [[side, { places: known }] as const] : []
  })
  return {
    ...one,
    old: old!.map(({ values }) => median(values)),
    new: fresh!.map(({ values }) => median(values)),
    ...(places.length > 0 && { taken: Object.fromEntries(places) }),
  }
}

/** Three files of a thousand rounds are more than the exact test takes, and tell no more than a thousand of them. */
function withFewerValues(measurement: Measurement): Measurement {
  if (SIDES.every((side) => measurement[side].length <= MOST_RANKED)) return measurement
  const [old, fresh] = SIDES.map((side) => evenlyRanked(measurement[side], MOST_RANKED))
  const taken = (side: Side, kept: readonly number[]) => {
    const { processes, places } = measurement.taken?.[side] ?? {}
    const keptOf = (numbers: readonly number[]) => kept.map((index) => numbers[index]!)
    return {
      [side]: {
        ...(processes !== undefined && { processes: keptOf(processes) }),
        ...(places !== undefined && { places: keptOf(places) }),
      },
    }
  }
  return {
    ...measurement,
    old: old!.map((index) => measurement.old[index]!),
    new: fresh!.map((index) => measurement.new[index]!),
    taken: { ...taken('old', old!), ...taken('new', fresh!) },
  }
}

interface Process {
  readonly values: readonly number[]
  /** That of its first value. */
  readonly place: number | undefined
}

/** The values of each process of a side, in the order of their first ones. */
export function processesOf(measurement: Measurement, side: Side): readonly Process[] {
  const { processes, places } = measurement.taken?.[side] ?? {}
  const samples = measurement[side].map((value, index) => ({ value, index }))
  const grouped = Map.groupBy(samples, ({ index }) => processes?.[index] ?? index)
  return [...grouped.values()].map((ofOne) => ({
    values: ofOne.map(({ value }) => value),
    place: places?.[ofOne[0]!.index],
  }))
}
