import { median } from '../../../intake/measurement/median.ts'
import type { Measurement, Side } from '../../../intake/measurement/run.ts'
import { LEARNED_FACTOR, LEAST_RUNS } from '../../history/learned-thresholds.ts'
import type { TrunkMoves } from '../../history/trunk-series.ts'
import { randomizationTest } from '../../statistics/randomization-test.ts'
import type { ClassifiedQuery } from '../classified-query.ts'
import { areSeparated, isSignificant, reaches } from '../outcome.ts'
import { processesOf } from '../processes.ts'
import { REPLICATED_SIZE } from './replicated.ts'

/** Too few processes for a difference of this size. Doubt. */
export interface OneProcess {
  readonly kind: 'one-process'
  readonly architecture: string | null
  readonly old: number
  readonly new: number
  /** Below this difference, a fraction, so few processes show no change. */
  readonly bound: number
  /** A process of the old build is beyond one of the new, whatever the difference. */
  readonly overlaps?: boolean
  /** Pairs of an old and a new process of which each shows the change by itself. */
  readonly agreeing: number
  /** The trunk's runs by which it is known how far processes of one build differ; 0: it is assumed. */
  readonly runs: number
}

/**
 * What two processes of one build differ by where the trunk does not say. JMH's forks and engines that were started twice here
 * differed by 2 to 5% in the median.
 */
export const PROCESS_SPREAD = 0.05

/**
 * How many times that a difference must be before one process a side is believed.
 *
 * Believed: +16% where nothing else is known, +4% of a query whose trunk runs differ by 1% in the median. Not: +14%.
 */
export const PROCESS_FACTOR = 3

/** Runs of the trunk whose median difference says how far processes differ. */
export const SPREAD_RUNS = 10

/**
 * Jobs, or pairs of processes, that must show a smaller change each by itself. Simulated with 3% between processes: of two jobs
 * 19% agree where nothing changed, of three few.
 */
export const AGREEING_PROCESSES = 3

/**
 * Few processes measured the row, and it differs by less than processes of one build may, or those of both builds overlap. Servers that
 * take turns are one process a side too: there the trunk alone says how far those differ, as long as no threshold is learned.
 *
 * Triggers: +9%, one process a side, no history; +40% where a fork of old is slower than one of new. Does not: +20%; +9% where ten
 * runs of the trunk differ by 1% in the median, or where three forks of old are each faster than the three of new by at least half as
 * much.
 */
export function oneProcess(
  result: ClassifiedQuery,
  measurement: Measurement,
  moves: TrunkMoves | null,
): OneProcess | null {
  const { architecture, difference } = result
  if (difference === null) return null
  const isOfFew = result.notes.includes('one-process')
  const known = moves === null ? null : boundOfTrunk(moves)
  // a learned threshold says it of a hundred runs
  const isOneServer = isOfTwoServers(measurement) && known !== null && result.changedThresholdSource !== 'learned'
  if (!isOfFew && !isOneServer) return null
  const bound = known ?? PROCESS_FACTOR * PROCESS_SPREAD
  const overlaps = isOfFew && doOverlap(measurement)
  if (!overlaps && reaches(Math.abs(difference), bound)) return null
  return {
    kind: 'one-process',
    architecture,
    old: result.old.processes ?? 1,
    new: result.new.processes ?? 1,
    bound,
    ...(overlaps && { overlaps }),
    agreeing: isOfFew && !overlaps ? agreeingPairs(result, measurement) : 0,
    runs: known === null ? 0 : moves!.runs,
  }
}

/** Two servers took turns; in the turns of `perf-triage measure` each value is of a process of its own. */
function isOfTwoServers({ clock, taken }: Measurement): boolean {
  return clock === true && taken?.old?.processes === undefined
}

/** The sides' processes, each as its median, are not one above the other. */
function doOverlap(measurement: Measurement): boolean {
  const medians = (side: Side) => processesOf(measurement, side).map(({ values }) => median(values))
  return !areSeparated(medians('old'), medians('new'))
}

/**
 * The largest difference that the trunk's runs explain; null: there are too few. Of so few that no threshold is learned from them the third
 * largest stands for the 0.99 quantile, and counts as much beyond it: the largest two may be a step of the trunk.
 *
 * Explained: +14% of a query that moved by 10% or more in three of 40 runs. Not: the same where it moved so in one, by 80%.
 */
function boundOfTrunk({ runs, median, third }: TrunkMoves): number | null {
  if (runs < SPREAD_RUNS || median === undefined || third === undefined) return null
  return Math.max(PROCESS_FACTOR * median, runs > LEAST_RUNS ? 0 : LEARNED_FACTOR * third)
}

/** The pairs of processes, by their order, that show the change each by itself, the same way and at least half as large. */
function agreeingPairs(result: ClassifiedQuery, measurement: Measurement): number {
  const [old, fresh] = [processesOf(measurement, 'old'), processesOf(measurement, 'new')]
  const difference = result.difference ?? 0
  const least = REPLICATED_SIZE * Math.abs(difference)
  const threshold = result.changedThreshold ?? 0
  return old.slice(0, fresh.length).filter(({ values }, place) => {
    const other = fresh[place]!.values
    const found = { ...randomizationTest(values, other), separated: areSeparated(values, other) }
    const size = Math.abs(found.difference)
    return isSignificant(found) && size >= least && reaches(size, threshold) && found.difference > 0 === difference > 0
  }).length
}
