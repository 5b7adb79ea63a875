import { resultKey } from '../intake/measurement/run.ts'
import { firstOfCommits, type TrunkSeries } from '../judge/history/trunk-series.ts'
import { binomialTail } from '../judge/statistics/binomial-tail.ts'
import type { ClassifiedQuery, Direction } from '../judge/verdict/classified-query.ts'
import { directionOf } from '../judge/verdict/direction.ts'
import { reaches } from '../judge/verdict/outcome.ts'

/** How often as many queries of a suite changed together in runs of the trunk. */
export interface SuiteHabit {
  readonly test: string
  readonly direction: Direction
  /** Runs of the trunk, each architecture by itself, in which as many of its queries were measured. */
  readonly runs: number
  /** Those of them in which as many changed in the direction. */
  readonly asMany: number
}

/** A suite whose queries change together in more than this share of runs by itself is no evidence of one cause when it does so again. */
const RARELY = 0.01

/** The chance below which as many runs are none of a suite that does so as rarely. */
const CERTAIN = 0.025

/**
 * The suite changes as a whole by itself: its share of runs is above 1%, by an exact binomial test at 2.5%. That is a rank test of the run
 * among those of the trunk, which takes as given whatever the queries of a suite have in common.
 *
 * Triggers: as many in 2 of 23 runs, or in 4 of 100. Does not: in 1 of 23, or in 3 of 100.
 */
export function isHabit({ runs, asMany }: SuiteHabit): boolean {
  return asMany > 0 && binomialTail(asMany, runs, RARELY) <= CERTAIN
}

/** The habit of a suite with these results, by the histories of its queries. */
export function habitOf(
  { test, direction }: Pick<SuiteHabit, 'test' | 'direction'>,
  results: readonly ClassifiedQuery[],
  series: readonly TrunkSeries[],
): SuiteHabit {
  const histories = new Map(series.map((one) => [resultKey(one), one]))
  let runs = 0
  let asMany = 0
  for (const ofArchitecture of Map.groupBy(results, ({ architecture }) => architecture).values()) {
    const here = ofArchitecture.filter((one) => one.outcome === 'changed' && one.direction === direction).length
    if (here === 0) continue
    const measured = new Map<string, { queries: number; changed: number }>()
    for (const result of ofArchitecture) {
      for (const point of firstOfCommits(histories.get(resultKey(result))?.points ?? [], ({ commit }) => commit)) {
        const run = measured.get(point.commit) ?? { queries: 0, changed: 0 }
        const size = Math.abs(point.difference)
        const isChanged = reaches(size, Math.max(point.threshold ?? 0, result.changedThreshold ?? 0))
        run.queries += 1
        if (isChanged && directionOf(point.difference, result.better) === direction) run.changed += 1
        measured.set(point.commit, run)
      }
    }
    for (const run of measured.values()) {
      if (run.queries < here) continue
      runs += 1
      if (run.changed >= here) asMany += 1
    }
  }
  return { test, direction, runs, asMany }
}
