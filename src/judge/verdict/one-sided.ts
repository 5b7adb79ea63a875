import type { Better } from '../../intake/measurement/run.ts'
import {
  againstTrunk,
  MOST_JOBS,
  type OneSidedComparison,
  type OneSidedValues,
} from '../statistics/one-sided/against-trunk.ts'
import { LEAST_WINDOW, ROUNDING } from '../statistics/one-sided/walk-trunk.ts'
import type { Direction, RerunReason } from './classified-query.ts'
import { reaches } from './outcome.ts'
import { CHANGED_FLOOR, UNSTABLE_FLOOR } from './thresholds.ts'

/** A benchmark of which the head alone was measured, with what the trunk gave. Plain values, as they were measured. */
export interface OneSidedBenchmark {
  /** Of each run of the trunk, oldest first; NaN: not measured there. Every benchmark of a suite has as many. */
  readonly trunk: readonly number[]
  /** Of each job of the head, in the order of time. */
  readonly jobs: readonly number[]
  readonly better: Better
  /** Bytes, allocations, instructions: two runs of the same work can give the same number. */
  readonly isCount: boolean
}

export type OneSidedOutcome =
  | 'slower'
  | 'faster'
  /** Another job would tell. */
  | 'rerun'
  | 'unstable'
  | 'too-small'
  | 'not-significant'
  /** The trunk’s history is too short to say anything. */
  | 'no-reference'

export interface OneSidedResult {
  readonly outcome: OneSidedOutcome
  /** Set where the outcome is `rerun`. */
  readonly reason: RerunReason | null
  readonly direction: Direction | null
  /** Compared as a number that does not vary. */
  readonly isExact: boolean
  /** The value that the trunk stands at, and of how many runs; null: of too few. */
  readonly level: number | null
  readonly window: number
  /** D and T, logarithms of ratios where larger is worse; null without a reference. Of an exact comparison D is the fraction. */
  readonly difference: number | null
  readonly threshold: number | null
  /** The smallest difference that this history shows, a logarithm. */
  readonly reach: number | null
  /** N and k: how often the trunk was held against its level, and how often it was as far off. */
  readonly residuals: number
  readonly asLarge: number
  /** Of those that have a value the last three at most. */
  readonly jobs: number
  /** Further jobs that would settle it; null: none will, both builds have to be measured in one job. */
  readonly moreJobs: number | null
  /** A job is so much slower that it is never below a rerun. */
  readonly isGuarded: boolean
}

export interface OneSidedSuite {
  readonly results: readonly OneSidedResult[]
  /** What the whole suite is slower (positive) or faster by in all jobs, a logarithm of a ratio; 0: nothing to say. */
  readonly shift: number
}

/**
 * A slowdown that is never below a rerun, however noisy the history is.
 *
 * Guarded: 100 to 300 in any of one or two jobs, or in two of three. Not: 100 to 290.
 */
const GUARD = Math.log(3)

/** A logarithm that counts as a change, and one from which a history shows too little: the floors of every comparison. */
const CHANGED = Math.log(1 + CHANGED_FLOOR)
const UNSTABLE = Math.log(1 + UNSTABLE_FLOOR)

/** Runs of the trunk that one, two and three jobs must have been held against before they blame. */
const LEAST_RESIDUALS = [10, 7, 2] as const

/** One job blames only what the trunk does in less than this share of its runs. */
const RARE = 0.01

/** The part of the difference that the newest run of the trunk must have for it to be already there. */
const ALREADY_SHARE = 0.5

/** Equal values of the trunk in a row that make a comparison exact, and the digits that a number needs which is no count. */
const LEAST_EQUAL = 5
const EXACT_DIGITS = 5

/** Judges all benchmarks of one metric and one kind of machine. */
export function judgeOneSided(suite: readonly OneSidedBenchmark[]): OneSidedSuite {
  const { benchmarks, shift } = againstTrunk(suite.map(logarithmsOf))
  return { results: suite.map((benchmark, index) => judge(benchmark, benchmarks[index]!)), shift }
}

function logarithmsOf({ trunk, jobs, better }: OneSidedBenchmark): OneSidedValues {
  const sign = better === 'higher' ? -1 : 1
  const logarithm = (value: number) => (value > 0 && Number.isFinite(value) ? sign * Math.log(value) : Number.NaN)
  return { trunk: Float64Array.from(trunk, logarithm), jobs: Float64Array.from(jobs, logarithm) }
}

function judge(benchmark: OneSidedBenchmark, compared: OneSidedComparison): OneSidedResult {
  const found = judgeExact(benchmark, compared) ?? judgeByLevel(benchmark, compared)
  const result = { ...found, isGuarded: isGuarded(compared.jobs) }
  if (!result.isGuarded || result.outcome === 'slower' || result.outcome === 'rerun') return result
  return {
    ...result,
    outcome: 'rerun',
    reason: 'guard',
    direction: 'slower',
    moreJobs: Math.max(1, result.moreJobs ?? 1),
  }
}

type Unguarded = Omit<OneSidedResult, 'isGuarded'>

/** What does not vary is compared as it is; null: it varies. */
function judgeExact(benchmark: OneSidedBenchmark, compared: OneSidedComparison): Unguarded | null {
  const trunk = benchmark.trunk.filter(isMeasured)
  const jobs = benchmark.jobs.filter(isMeasured).slice(-MOST_JOBS)
  const last = trunk.at(-1)
  if (last === undefined || jobs.length === 0) return null
  const newest = trunk.slice(-LEAST_EQUAL)
  const stands = newest.length === LEAST_EQUAL && newest.every((value) => value === last)
  const isExact = stands && (benchmark.isCount || hasDigits(last))
  const isEqual = jobs.every((value) => value === last)
  if (!isExact && !(benchmark.isCount && isEqual)) return null
  const difference = isEqual ? 0 : nearest(jobs.map((value) => (value - last) / last))
  const isWorse = difference > 0 === (benchmark.better === 'lower')
  const direction = difference === 0 ? null : isWorse ? 'slower' : 'faster'
  const result = {
    ...describe(compared),
    reason: null,
    direction,
    isExact: true,
    level: last,
    window: newest.length,
    difference,
    threshold: 0,
    reach: 0,
    moreJobs: 0,
    jobs: jobs.length,
  } as const
  if (isEqual) return { ...result, outcome: 'not-significant' }
  if (direction === null) return { ...result, outcome: 'unstable', moreJobs: MOST_JOBS - jobs.length }
  if (!reaches(Math.abs(difference), CHANGED_FLOOR)) return { ...result, outcome: 'too-small' }
  return { ...result, outcome: direction, moreJobs: jobs.length === 1 ? 1 : 0 }
}

function isMeasured(value: number): boolean {
  return Number.isFinite(value) && value >= 0
}

/** A number that was written with so many digits comes out the same only where it does not vary. */
function hasDigits(value: number): boolean {
  const digits = value.toExponential().replace(/e.*$/u, '').replace('.', '')
  return digits.length >= EXACT_DIGITS
}

/** The fraction nearest 0 where all have one sign, else 0: the jobs disagree. */
function nearest(fractions: readonly number[]): number {
  const found = fractions.reduce((best, one) => (Math.abs(one) < Math.abs(best) ? one : best))
  return fractions.every((one) => Math.sign(one) === Math.sign(found)) ? found : 0
}

function judgeByLevel(benchmark: OneSidedBenchmark, compared: OneSidedComparison): Unguarded {
  const described = describe(compared)
  const none = { ...described, reason: null, direction: null, isExact: false } as const
  if (compared.window < LEAST_WINDOW || compared.residuals < 2 || compared.jobs.length === 0) {
    const level = compared.window < LEAST_WINDOW ? null : valueAt(benchmark, compared.level)
    return { ...none, outcome: 'no-reference', level, difference: null, threshold: null, reach: null, moreJobs: null }
  }
  const { difference, threshold, reach, reachOfThree, jobs } = compared
  // What only the rounding of logarithms tells from the level is on it.
  const direction = Math.abs(difference) < ROUNDING ? null : difference > 0 ? 'slower' : 'faster'
  const result = {
    ...none,
    direction,
    level: valueAt(benchmark, compared.level),
    difference,
    threshold,
    reach,
  } as const
  const doubt = doubtOf(compared)
  if (direction !== null && reaches(Math.abs(difference), Math.max(threshold, CHANGED))) {
    if (doubt === null) return { ...result, outcome: direction, moreJobs: jobs.length === 1 ? 1 : 0 }
    if (direction === 'slower') return { ...result, outcome: 'rerun', reason: doubt, moreJobs: 1 }
  } else if (jobs.length === 1 && reaches(difference, Math.max(reach, CHANGED))) {
    return { ...result, outcome: 'rerun', reason: 'one-job', moreJobs: 1 }
  }
  const moreJobs = reachOfThree <= UNSTABLE ? MOST_JOBS - jobs.length : null
  if (reaches(reach, UNSTABLE)) return { ...result, outcome: 'unstable', moreJobs }
  const isSmall = direction !== null && Math.abs(difference) < CHANGED && reaches(Math.abs(difference), threshold)
  return { ...result, outcome: isSmall ? 'too-small' : 'not-significant', moreJobs: 0 }
}

function describe({ window, residuals, asLarge, jobs }: OneSidedComparison) {
  return { window, residuals, asLarge, jobs: jobs.length }
}

/** A logarithm of the level as the value that was measured. */
function valueAt({ better }: OneSidedBenchmark, level: number): number {
  return Math.exp(better === 'higher' ? -level : level)
}

/** Why so large a difference blames nobody yet; null: it does. */
function doubtOf({ pending, difference, residuals, asLarge, jobs }: OneSidedComparison): RerunReason | null {
  const isThere = Math.sign(pending) === Math.sign(difference)
  if (isThere && Math.abs(pending) >= ALREADY_SHARE * Math.abs(difference)) return 'already-on-trunk'
  if (residuals < LEAST_RESIDUALS[jobs.length - 1]!) return 'short-history'
  return jobs.length === 1 && asLarge > RARE * residuals ? 'moves-on-trunk' : null
}

function isGuarded(jobs: readonly number[]): boolean {
  const beyond = jobs.filter((difference) => reaches(difference, GUARD)).length
  return beyond >= (jobs.length === MOST_JOBS ? 2 : 1)
}
