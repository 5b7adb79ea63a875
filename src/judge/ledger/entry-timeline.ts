import { DAY } from '../../text/time.ts'
import { countHistory } from './counted-history.ts'
import type { FailingTests, LookupProblem, MassFailure, Subject, TestHistory } from './failure.ts'
import { massFailuresHolding } from './mass-failure.ts'
import type { Signature } from './signature.ts'
import { UNKNOWN_PEOPLE } from './witness.ts'

/** Hits of an entry by day and check, from rows that the store has found. */

type CiResultsSource = FailingTests['source']

/** The hits of one entry of the ledger over time. Times are milliseconds since 1970. */
export interface EntryTimeline {
  /** Midnight (UTC) of the first day. */
  readonly from: number
  readonly until: number
  /** Every day from the first to the last, also those without a hit. */
  readonly days: readonly EntryDay[]
  /** The latest ones, the newest first. */
  readonly latest: readonly EntryHit[]
  readonly source: CiResultsSource
  /** Why the CI database does not answer although there is one; null: it does, or there is none. */
  readonly databaseProblem: LookupProblem | null
  /** Older failing rows that were not read because there are too many. */
  readonly notRead: number
  /**
   * Failing rows of the same test whose signature was made by another version of the rule: nobody knows whether they are
   * hits. Of a mover none.
   */
  readonly notCompared: number
  /** False where they could not be asked for in time: then a row of one counts as a hit. Of a mover there are none. */
  readonly massFailuresKnown: boolean
}

export interface EntryDay {
  /** Midnight, UTC. */
  readonly start: number
  readonly pullRequestHits: number
  /** On the trunk or a release branch. */
  readonly trunkHits: number
  /** Rows that failed alike in a mass failure: no hits. */
  readonly inMassFailures: number
}

export interface EntryHit {
  readonly time: number
  readonly checkName: string
  /** 0: the trunk or a release branch. */
  readonly pullRequestNumber: number
  readonly commitSha: string
  /** The address of the job; empty where there is none. */
  readonly reportUrl: string
  readonly inMassFailure: boolean
  /** The fraction by which the query of a mover was flagged; null of a failure. */
  readonly difference: number | null
}

/** Hits in one check in one half hour; mass failures begin and end with one. */
export interface HitsOfHalfHour {
  readonly checkName: string
  readonly start: number
  readonly isTrunk: boolean
  readonly hits: number
}

export const TIMELINE_DAYS = 90
export const LATEST_HITS = 50

/** Midnight (UTC) of the first of `TIMELINE_DAYS` days, the one of `until` the last. */
export function timelineStart(until: number): number {
  return Math.floor(until / DAY) * DAY - (TIMELINE_DAYS - 1) * DAY
}

/** Every day of the timeline; what is outside of it is left out. */
export function entryDays(
  testName: string,
  halfHours: readonly HitsOfHalfHour[],
  massFailures: readonly MassFailure[],
  until: number,
): EntryDay[] {
  const from = timelineStart(until)
  const counts = Array.from({ length: TIMELINE_DAYS }, () => ({ pullRequestHits: 0, trunkHits: 0, inMassFailures: 0 }))
  for (const { checkName, start, isTrunk, hits } of halfHours) {
    const day = counts[Math.floor((start - from) / DAY)]
    if (day === undefined) continue
    if (massFailuresHolding({ testName, checkName, time: start }, massFailures).length > 0) day.inMassFailures += hits
    else if (isTrunk) day.trunkHits += hits
    else day.pullRequestHits += hits
  }
  return counts.map((day, index) => ({ start: from + index * DAY, ...day }))
}

/**
 * The subject of an entry, which is the repository's (`owner/name`): nobody's rows are left out, and no commit is the
 * merge base.
 */
export function subjectOfRepository(repository: string): Subject {
  return { pullRequestNumber: 0, commitSha: '', headRepo: '', headRef: '', repository, trunk: [], mergeBase: null }
}

/** The timeline of a failure by what a CI database says of its test. `history` goes back `TIMELINE_DAYS` days. */
export function timelineOfHistory(
  signature: Signature,
  history: TestHistory,
  massFailures: readonly MassFailure[],
  repository: string,
): EntryTimeline {
  const { until, failingNotRead } = history
  const from = timelineStart(until)
  const subject = subjectOfRepository(repository)
  const settings = { subject, massFailures, lookbackDays: TIMELINE_DAYS, people: UNKNOWN_PEOPLE }
  const { hits, massHits } = countHistory({ signature }, history, settings)
  const alike = [...hits, ...massHits].filter(({ time }) => time >= from).toSorted((a, b) => b.time - a.time)
  return {
    from,
    until,
    days: entryDays(
      history.testName,
      alike.map(({ checkName, time, pullRequestNumber }) => {
        return { checkName, start: time, isTrunk: pullRequestNumber === 0, hits: 1 }
      }),
      massFailures,
      until,
    ),
    latest: alike.slice(0, LATEST_HITS).map(({ time, checkName, pullRequestNumber, commitSha, reportUrl }) => ({
      time,
      checkName,
      pullRequestNumber,
      commitSha,
      reportUrl,
      inMassFailure: massFailuresHolding({ testName: history.testName, checkName, time }, massFailures).length > 0,
      difference: null,
    })),
    source: 'ci-database',
    databaseProblem: null,
    notRead: failingNotRead,
    notCompared: 0,
    massFailuresKnown: true,
  }
}
