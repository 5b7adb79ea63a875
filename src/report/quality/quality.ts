import { unitOf } from '../../intake/measurement/metric-group.ts'
import type { QueryId } from '../../intake/measurement/run.ts'
import { MOST_REPETITIONS, repetitionsToShow } from '../../judge/statistics/repetitions-to-show.ts'
import { wilsonInterval } from '../../judge/statistics/wilson.ts'
import { CHANGED_FLOOR, UNSTABLE_FLOOR } from '../../judge/verdict/thresholds.ts'
import { count, percent, thresholdPercent, values } from '../../text/numbers.ts'
import { entryOf, lastDay } from '../file-entry.ts'
import { queryPath, type RepositoryAddress } from '../urls.ts'

/** A query on one architecture, over its runs on the trunk and in pull requests. */
export interface MeasuredOften extends QueryId {
  readonly architecture: string | null
  readonly runs: number
  /** Those of them that are the trunk's. */
  readonly trunkRuns: number
  /** Those of which T is known. */
  readonly judgedRuns: number
  /** With T of at least `UNSTABLE_FLOOR`. */
  readonly unstableRuns: number
  /** With a difference of at least T and `CHANGED_FLOOR`. */
  readonly changedRuns: number
  /** T in the median, a fraction; null: it is known of no run. */
  readonly medianThreshold: number | null
  /** The old median in the median, in the unit of the metric. */
  readonly medianValue: number
  /** Of one side, in the median; null: no run says it, as rows of a history do not. */
  readonly medianRepetitions: number | null
}

/** Why a query measures nothing, or little. */
export type QualityReason = 'unstable' | 'too-short' | 'too-slow' | 'never-different'

const QUALITY_WORDS: Readonly<Record<QualityReason, string>> = {
  unstable: 'unstable in most runs',
  'too-short': 'too short to time',
  'too-slow': 'too slow',
  'never-different': 'never shows a difference',
}

/** Fewer runs say nothing. */
export const LEAST_QUALITY_RUNS = 10

/** A query is unstable where more than this share of its runs is. */
const UNSTABLE_SHARE = 0.5

/**
 * A median below it is too short to time: 6 of the 7 queries below 5 ms in a measured history were unstable in most runs, and 22 of
 * the 61 above it.
 *
 * Too short: 3 ms. Not: 6 ms.
 */
const TOO_SHORT_SECONDS = 0.005

/**
 * A repetition that takes as long is too slow, as ClickHouse's report has it: 7 + 7 of them are half a minute.
 *
 * Too slow: 2.4 s. Not: 1.9 s.
 */
const TOO_SLOW_SECONDS = 2

/**
 * A query that never changed is named where it changes, with 95% confidence (Wilson), in fewer runs than this share.
 *
 * Named: 0 of 80 runs, below 4.6%. Not: 0 of 23 runs, below 14%.
 */
const RARELY = 0.05

/** The change that the repetitions are asked for. */
export const WANTED_CHANGE = CHANGED_FLOOR

/** Repetitions a side of ClickHouse's runner, and of most rows of a history, which do not say how many there were. */
export const USUAL_REPETITIONS = 7

export interface QualityRow extends MeasuredOften {
  readonly repository: RepositoryAddress
  /** One at least, the most telling first. */
  readonly reasons: readonly QualityReason[]
  /** Repetitions a side that would show `WANTED_CHANGE`; null: more than `MOST_REPETITIONS`, or T is not known. */
  readonly repetitionsNeeded: number | null
}

export interface Quality {
  readonly rows: readonly QualityRow[]
  /** Rows beyond the most. */
  readonly notShown: number
  /** Queries that were looked at, each architecture counted. */
  readonly measured: number
  /** The most runs that one of them has. */
  readonly runs: number
}

/** The queries that measure nothing, or little, by a metric; those that need a person most stand first. */
export function qualityOf(
  repository: RepositoryAddress,
  metric: string,
  measured: readonly MeasuredOften[],
): readonly QualityRow[] {
  const isSeconds = unitOf(metric) === 's'
  return measured.flatMap((query): QualityRow[] => {
    const reasons = reasonsOf(query, isSeconds)
    return reasons.length === 0 ? [] : [{ ...query, repository, reasons, repetitionsNeeded: neededFor(query) }]
  })
}

function reasonsOf(query: MeasuredOften, isSeconds: boolean): QualityReason[] {
  const { runs, judgedRuns, unstableRuns, changedRuns, medianValue } = query
  const isUnstable = judgedRuns >= LEAST_QUALITY_RUNS && unstableRuns > UNSTABLE_SHARE * judgedRuns
  const isRare = judgedRuns > 0 && changedRuns === 0 && wilsonInterval(0, judgedRuns).high < RARELY
  const found: Readonly<Record<QualityReason, boolean>> = {
    unstable: isUnstable,
    'too-short': isSeconds && runs >= LEAST_QUALITY_RUNS && medianValue < TOO_SHORT_SECONDS,
    'too-slow': isSeconds && runs >= LEAST_QUALITY_RUNS && medianValue >= TOO_SLOW_SECONDS,
    // one whose noise hides every change is unstable, and has not been shown to be the same
    'never-different': isRare && !isUnstable,
  }
  return REASONS.filter((reason) => found[reason])
}

const REASONS: readonly QualityReason[] = ['unstable', 'too-short', 'too-slow', 'never-different']

function neededFor({ medianThreshold, medianRepetitions }: MeasuredOften): number | null {
  if (medianThreshold === null) return null
  return repetitionsToShow(medianThreshold, medianRepetitions ?? USUAL_REPETITIONS, WANTED_CHANGE)
}

/** By the first reason, then by what it is about: the largest threshold, the shortest, the slowest, the most runs. */
export function inQualityOrder(rows: readonly QualityRow[]): QualityRow[] {
  return rows.toSorted(
    (a, b) => REASONS.indexOf(a.reasons[0]!) - REASONS.indexOf(b.reasons[0]!) || sizeOf(b) - sizeOf(a),
  )
}

function sizeOf({ reasons, medianThreshold, medianValue, runs }: QualityRow): number {
  const [first] = reasons
  if (first === 'unstable') return medianThreshold ?? 0
  if (first === 'never-different') return runs
  return first === 'too-short' ? -medianValue : medianValue
}

/** `unstable in most runs: threshold 62% in the median, 10% and more in 21 of 23 runs`, a part for each reason. */
export function reasonWords(row: QualityRow): string {
  return row.reasons.map((reason) => `${QUALITY_WORDS[reason]}: ${numbersOf(reason, row)}`).join('; ')
}

function numbersOf(reason: QualityReason, row: QualityRow): string {
  const { judgedRuns, unstableRuns, medianThreshold, medianValue } = row
  if (reason === 'unstable') {
    const often = `${count(unstableRuns)} of ${count(judgedRuns)} runs`
    return `median noise ±${percent(medianThreshold ?? 0)}, ±${thresholdPercent(UNSTABLE_FLOOR)} or more in ${often}`
  }
  if (reason === 'never-different') {
    const most = percent(wilsonInterval(0, judgedRuns).high)
    return `no change of ${thresholdPercent(CHANGED_FLOOR)} or more in ${count(judgedRuns)} runs, so one shows in fewer than ${most} of runs`
  }
  const limit = reason === 'too-short' ? TOO_SHORT_SECONDS : TOO_SLOW_SECONDS
  return `${values([medianValue], 's')} per repetition, ${reason === 'too-short' ? 'below' : 'at least'} ${values([limit], 's')}`
}

/** `73`, `about 73` where nobody knows how many there were, `more than 499`, or a dash. */
export function neededWords({ medianThreshold, medianRepetitions, repetitionsNeeded }: QualityRow): string {
  if (medianThreshold === null) return '–'
  if (repetitionsNeeded === null) return `more than ${count(MOST_REPETITIONS)}`
  return medianRepetitions === null ? `about ${count(repetitionsNeeded)}` : count(repetitionsNeeded)
}

/** A sentence on what to do about it. */
export function nextStepOf(row: QualityRow): string {
  const { reasons, medianValue, repetitionsNeeded: needed, medianRepetitions } = row
  if (reasons.includes('too-short')) {
    if (!(medianValue > 0)) return 'Give each repetition more work: it is over before the clock moves.'
    const times = `${count(Math.ceil(TOO_SHORT_SECONDS / medianValue))} times`
    return `Give each repetition ${times} the work, or run the query ${times} in one.`
  }
  if (reasons[0] === 'unstable') {
    if (needed === null) return 'Remove it, or find out why it varies: no number of repetitions will be enough.'
    return `Measure it ${count(needed)} times per side, or find out why it varies.`
  }
  if (reasons[0] === 'too-slow') {
    const isEnough = needed !== null && needed <= (medianRepetitions ?? USUAL_REPETITIONS)
    const less = `Give it less work, so that a repetition takes less than ${values([TOO_SLOW_SECONDS], 's')}`
    return isEnough ? `${less}; it has enough repetitions.` : `${less}.`
  }
  return 'Remove it, unless it covers code that no other query runs.'
}

/** More turns than this `perf-triage measure` does not take. */
const MOST_TURNS = 100

/** The command that repeats until a change of the wanted size can be seen; null: repetitions are not what it lacks, or it lacks too many. */
export function commandOf({ reasons, repetitionsNeeded: needed }: QualityRow): string | null {
  if (reasons[0] !== 'unstable' || reasons.includes('too-short')) return null
  if (needed === null || needed > MOST_TURNS) return null
  return `perf-triage measure --show ${thresholdPercent(WANTED_CHANGE)} --output results --run "COMMAND"`
}

/**
 * The line of `tests` in the repository's file that ignores it for the time being; null: no pattern fits its name. `now`: milliseconds
 * since 1970.
 */
export function ignoreLineOf(row: QualityRow, now: number): string | null {
  const reason = row.reasons.map((one) => QUALITY_WORDS[one]).join(', ')
  const of = { test: row.test, query: row.queryIndex ?? row.queryName }
  return entryOf(of, { ignore: reason, until: lastDay(null, now) })[0] ?? null
}

export function qualityPath({ repository, ...query }: QualityRow): string {
  return queryPath(repository, query)
}
