import { median } from '../../../intake/measurement/median.ts'
import type { Measurement } from '../../../intake/measurement/run.ts'
import type { ClassifiedQuery } from '../classified-query.ts'

/** Evidence from a copy of the old build that was measured in the same turns. */

interface OfEqualBuilds {
  readonly architecture: string | null
  /** How far the medians of the old build and its copy were apart in this run, a fraction. */
  readonly difference: number
  /** Turns in which both were measured. */
  readonly turns: number
}

/** The old build and its copy, measured in turns with the new one, differed by less than it may be for. Informs. */
export interface EqualBuilds extends OfEqualBuilds {
  readonly kind: 'equal-builds'
}

/** They differed so much that the new build may differ by no more than they. Doubt. */
export interface EqualBuildsDiffer extends OfEqualBuilds {
  readonly kind: 'equal-builds-differ'
}

/** Turns of fewer say nothing of what builds differ by: one of them may have met a busy moment. */
export const FEWEST_EQUAL_TURNS = 5

/**
 * The part of a row's difference from which on equal builds cast doubt on it: what chance gave once it may give twice.
 *
 * Casts doubt: equal builds differed by 6 %, the row by 10 %. Does not: 4 % and 10 %.
 */
export const EQUAL_SHARE = 0.5

/** How far the old build and its copy were apart; null: too few turns measured both. */
export function equalBuildsDifference({ equalBuilds }: Pick<Measurement, 'equalBuilds'>): number | null {
  if (equalBuilds === undefined) return null
  const { base, copy } = equalBuilds
  if (Math.min(base.length, copy.length) < FEWEST_EQUAL_TURNS) return null
  const [one, other] = [median(base), median(copy)]
  const difference = one === other ? 0 : Math.abs(other / one - 1)
  return Number.isFinite(difference) ? difference : null
}

/** What equal builds say of a row: from its own alone. */
export function equalBuilds(result: ClassifiedQuery, measurement: Measurement): EqualBuilds | EqualBuildsDiffer | null {
  const difference = equalBuildsDifference(measurement)
  if (difference === null || result.difference === null || measurement.equalBuilds === undefined) return null
  const { architecture } = result
  const found = { architecture, difference, turns: measurement.equalBuilds.copy.length }
  const isDoubt = difference >= EQUAL_SHARE * Math.abs(result.difference)
  return { kind: isDoubt ? 'equal-builds-differ' : 'equal-builds', ...found }
}

/** What equal builds of a whole run differed by. */
export interface EqualBuildsOfRun {
  /** Queries that were measured so. */
  readonly queries: number
  /** Nineteen of twenty differed by no more; a fraction. */
  readonly difference: number
}

const OF_TWENTY = 0.95

/** By the measurements of one metric; null: no query was measured by two equal builds. */
export function equalBuildsOfRun(measurements: readonly Measurement[]): EqualBuildsOfRun | null {
  const differences = measurements.flatMap((one) => equalBuildsDifference(one) ?? []).toSorted((a, b) => a - b)
  const at = Math.ceil(OF_TWENTY * differences.length) - 1
  return differences.length === 0 ? null : { queries: differences.length, difference: differences[at]! }
}
