import { HISTORY_SOURCES, type HistorySource } from '../../intake/imports/history/trunk-row.ts'
import { queryKey } from '../../intake/measurement/run.ts'
import { DAY } from '../../text/time.ts'
import { alsoFrom, mostOf } from './named-sources.ts'
import { type HistoryTooShort, keyOnArchitecture, type QueryOnArchitecture, type TimeRange } from './trunk-series.ts'

/** What the trunk's history teaches of each query: the rules, for histories in a database and in files alike. */

/** Days of the trunk's runs that thresholds are learned from, as ClickHouse's performance check does it. */
export const LEARNING_DAYS = 30

/**
 * Days before now at which these end: a regression that was just merged must not raise the threshold under which it would
 * be reported.
 *
 * Learned from: a run of eight days ago. Not: one of yesterday.
 */
export const LEARNING_GAP_DAYS = 7

/**
 * More runs than this, or the 0.99 quantile is the largest difference there was.
 *
 * Learned: from 101 runs. Not: from 100.
 */
export const LEAST_RUNS = 100

/** How far beyond what happens in one run of a hundred a change must be. A query that moves by 4% has learned 6%. */
export const LEARNED_FACTOR = 1.5

/** The share of runs that move by less than what is learned from. */
export const LEARNED_QUANTILE = 0.99

/** Thresholds that a query's own history on the trunk gives. */
export interface LearnedThresholds {
  readonly changed: number
  readonly unstable: number
}

/** Null where there is no history of this query (`queryKey`) on this architecture. */
export type LearnedLookup = (queryKey: string, architecture: string | null) => LearnedThresholds | null

export interface Learned {
  readonly lookup: LearnedLookup
  /** Queries that have learned thresholds, each architecture counted. */
  readonly queries: number
  /** Where most of them were learned from; where none were learned, `own`. */
  readonly source: HistorySource
  /** Other sources that runs came from; left out: there are none. */
  readonly alsoFrom?: readonly HistorySource[]
  /** When the newest run of the trunk was made that is known by now, milliseconds; null: the history is empty. */
  readonly newest: number | null
  /** Nothing was learned though there is a history: there are too few runs in the time that is learned from. */
  readonly tooShort?: HistoryTooShort
}

/** The time that is learned from. */
export function learningRange(now: number): TimeRange {
  const to = now - LEARNING_GAP_DAYS * DAY
  return { from: to - LEARNING_DAYS * DAY, to }
}

/** What one query did in that time, of more than `LEAST_RUNS` runs, of each commit the first. */
export interface QueryLearnedFrom {
  readonly query: QueryOnArchitecture
  /** Its runs of each source, in the order of `HISTORY_SOURCES`. */
  readonly counts: readonly number[]
  /** `LEARNED_QUANTILE` of |D|, and of T where |D| is below it; fractions, 0 where no T is known. */
  readonly difference: number
  readonly threshold: number
}

/**
 * @param newest when the newest run was made, milliseconds; null: the history is empty
 * @param mostRuns commits of the text that has the most, in the time that is learned from
 */
export function learnedOf(queries: readonly QueryLearnedFrom[], newest: number | null, mostRuns: number): Learned {
  const learned = new Map(
    queries.map(({ query, difference, threshold }): [string, LearnedThresholds] => [
      keyOnArchitecture(queryKey(query), query.architecture),
      { changed: LEARNED_FACTOR * difference, unstable: LEARNED_FACTOR * threshold },
    ]),
  )
  const mains = queries.map(({ counts }) => mostOf(counts))
  const source = mostOf(HISTORY_SOURCES.map((one) => mains.filter((main) => main === one).length))
  const rows = HISTORY_SOURCES.map((_, place) => queries.reduce((sum, { counts }) => sum + counts[place]!, 0))
  return {
    lookup: (key, architecture) => learned.get(keyOnArchitecture(key, architecture)) ?? null,
    queries: learned.size,
    source,
    ...alsoFrom(source, rows),
    newest,
    ...(queries.length === 0 && newest !== null && { tooShort: tooShort(mostRuns) }),
  }
}

function tooShort(runs: number): HistoryTooShort {
  return { runs, moreThan: LEAST_RUNS, days: LEARNING_DAYS, endedDaysAgo: LEARNING_GAP_DAYS }
}
