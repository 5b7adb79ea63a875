import type { Better, Measurement, QueryId } from '../../intake/measurement/run.ts'
import type { LearnedLookup, LearnedThresholds } from '../history/learned-thresholds.ts'
import type { ClassifiedQuery, SideSummary, ThresholdSource } from './classified-query.ts'

/**
 * The smallest difference that is called a change where nothing else is known, a fraction of the old median. What
 * ClickHouse's runner ignores by default before it looks closer (`ignored_relative_change`): below it, how the linker
 * happened to lay out a build moves many queries.
 *
 * Changed: 200 ms to 210 ms, if significant. Not: 200 ms to 209 ms; it is too small.
 */
export const CHANGED_FLOOR = 0.05

/**
 * The threshold T from which a query is unstable where nothing else is known, a fraction of the old median. Twice
 * `CHANGED_FLOOR`: such a query can hide a change twice as large as the smallest that is worth reporting. Of the 68 queries
 * of a recorded A/A run on a shared machine 41 were beyond it.
 *
 * Unstable: repetitions from 180 to 230 ms around 200 ms, T = 15%. Not: from 196 to 205 ms, T = 3%.
 */
export const UNSTABLE_FLOOR = 0.1

/**
 * How much a test's own threshold for a change is raised to be its threshold for unstable, as ClickHouse does: a query
 * may vary by more than the change that counts.
 *
 * A test with 0.2 is changed from 20% on and unstable from T = 30% on, and not from T = 25%.
 */
const TEST_UNSTABLE_MARGIN = 0.1

/**
 * The most that history can teach. One of ClickHouse's queries has learned 0.77, and nothing would ever be reported of it
 * again.
 *
 * Capped: 0.77, to 0.5. Not: 0.34.
 */
export const LEARNED_CAP = 0.5

/** Fractions of the old median; null: not set. */
export interface ThresholdPair {
  readonly changed: number | null
  readonly unstable: number | null
}

export interface ThresholdSettings {
  /** The threshold of the repository's configuration: replaces the floor. */
  readonly configured: ThresholdPair
  /** The threshold of the command line: replaces both. */
  readonly given: ThresholdPair
  /** The threshold that an entry of `tests` sets for a query, in the place of the configured one; null: none does. */
  readonly ofEntry: ((query: QueryId) => number | null) | null
  /** Which way the repository's file says that the metric is better; null: nothing. */
  readonly betterOf: ((measurement: Measurement) => Better | null) | null
  /** The most that a learned threshold counts for. */
  readonly learnedCap: number
  /** Null while there is no history to ask. */
  readonly learned: LearnedLookup | null
}

/** The floors, and nothing else. */
export const DEFAULT_THRESHOLDS: ThresholdSettings = {
  configured: { changed: null, unstable: null },
  given: { changed: null, unstable: null },
  ofEntry: null,
  betterOf: null,
  learnedCap: LEARNED_CAP,
  learned: null,
}

export interface Threshold {
  readonly value: number
  readonly source: ThresholdSource
}

/** Of this query alone: its test's, an entry's, or learned; not one for all queries. */
export function isOwnThreshold(source: ThresholdSource): boolean {
  return source === 'test' || source === 'entry' || source === 'learned'
}

export interface QueryThresholds {
  readonly changed: Threshold
  readonly unstable: Threshold
}

/**
 * The thresholds of one query, the largest wins: the floor (or what the repository configures in its place, for all queries
 * or by an entry for this one, or what the command line gives in the place of them), the test's own, and what history has
 * taught, at most `learnedCap`. Of equal ones the first named stands. `reportThreshold` comes from outside: only a finite one
 * counts. An entry raises the threshold for unstable as the test's own does, and never lowers it.
 */
export function thresholdsOf(
  reportThreshold: number | null,
  learned: LearnedThresholds | null,
  settings: ThresholdSettings,
  ofEntry: number | null = null,
): QueryThresholds {
  const own = reportThreshold ?? Number.NaN
  const { configured, given } = settings
  return {
    changed: largest([
      ofEntry === null || given.changed !== null
        ? baseOf(CHANGED_FLOOR, configured.changed, given.changed)
        : { value: ofEntry, source: 'entry' },
      { value: own, source: 'test' },
      { value: Math.min(learned?.changed ?? Number.NaN, settings.learnedCap), source: 'learned' },
    ]),
    unstable: largest([
      baseOf(UNSTABLE_FLOOR, configured.unstable, given.unstable),
      { value: (ofEntry ?? Number.NaN) + TEST_UNSTABLE_MARGIN, source: 'entry' },
      { value: own + TEST_UNSTABLE_MARGIN, source: 'test' },
      { value: Math.min(learned?.unstable ?? Number.NaN, settings.learnedCap), source: 'learned' },
    ]),
  }
}

function baseOf(floor: number, configured: number | null, given: number | null): Threshold {
  if (given !== null) return { value: given, source: 'given' }
  if (configured !== null) return { value: configured, source: 'configured' }
  return { value: floor, source: 'floor' }
}

/** The largest threshold; one that is not finite is larger than none. */
function largest([base, ...others]: readonly [Threshold, ...Threshold[]]): Threshold {
  return others.reduce((best, other) => (Number.isFinite(other.value) && other.value > best.value ? other : best), base)
}

/** As much of a result as its threshold follows from. */
export type WithThreshold = Pick<
  ClassifiedQuery,
  'difference' | 'threshold' | 'separated' | 'pValue' | 'smallestPValue'
> & {
  readonly old: Pick<SideSummary, 'repetitions'>
  readonly new: Pick<SideSummary, 'repetitions'>
}

/**
 * The threshold is exactly the difference, since nothing larger can come out. Of all ways to deal the repetitions the one that
 * was measured lies furthest apart then: p is the smallest that so many can give, or as many old and new ones do not overlap. A
 * reader who sees the same number twice takes the clearest changes for those that are just at the noise.
 */
export function isLargestThreshold(result: WithThreshold): boolean {
  const { difference, threshold, separated, pValue, smallestPValue } = result
  if (difference === null || threshold === null || difference === 0 || Math.abs(difference) !== threshold) return false
  const isFurthest = separated === true && result.old.repetitions === result.new.repetitions
  return isFurthest || (pValue !== null && pValue === smallestPValue)
}
