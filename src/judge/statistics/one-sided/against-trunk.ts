import { averagedMedian } from '../../../intake/measurement/median.ts'
import { LEAST_WINDOW, ROUNDING, SPREAD_OF_MEDIAN, type TrunkWalk, walkTrunk } from './walk-trunk.ts'

/** Benchmarks that have a difference before their median is the shift of the suite: that of fewer is the change of one of them. */
const LEAST_SUITE = 8

/** Residuals of the whole suite before they tell what a benchmark of it usually does. */
const LEAST_RESIDUALS = 20

/** What is assumed of a benchmark until then: a spread of 5%. */
const USUAL_SPREAD = 0.05

/** How many runs of its own the suite’s usual spread counts for. */
const PRIOR_RUNS = 5

/** Own runs of the trunk below which their spread says nothing. */
const LEAST_OWN = 3

/** No trunk stands more still than this. */
const LEAST_SPREAD = 0.0025

/** The part of the suite’s shift that stays as doubt after it is taken out. */
const SHIFT_DOUBT = 1 / 3

/** How uncertain the level is: a median of `n` values has 1.57 / n of the variance of one. The factor is 1 at 12. */
const MEDIAN_VARIANCE = 1.57
const WINDOW_OF_FACTOR = 12

/** Standard errors that one, two and three agreeing jobs must all exceed. */
const ERRORS_OF_JOBS = [8, 4, 3] as const

/** More jobs of a head than these, the newest, are not asked. */
export const MOST_JOBS = 3

/** The smallest shift of the suite that is said, and how many of its usual ones it must be. */
const SHIFT_LEAST = Math.log(1.03)
const SHIFT_SPREADS = 4

/** One benchmark: logarithms of its values, larger is worse; NaN where a run or a job has none. */
export interface OneSidedValues {
  /** Of each run of the trunk, oldest first; every benchmark has as many. */
  readonly trunk: ArrayLike<number>
  /** Of each job of the head, in the order of time; every benchmark has as many. */
  readonly jobs: ArrayLike<number>
}

/** What the trunk’s history says about the jobs of one benchmark. All differences are logarithms of ratios, larger is worse. */
export interface OneSidedComparison {
  /** The level of the trunk, a logarithm, and of how many values it is; NaN of none. */
  readonly level: number
  readonly window: number
  /** N: how often the trunk was held against its own level. */
  readonly residuals: number
  /** s: how far a run of the trunk usually is from it. */
  readonly spread: number
  /** Jobs that have a value, the last three at most, and their differences from the level. */
  readonly jobs: readonly number[]
  /** D: what all jobs show at least, with or without the shift of the suite; 0 where they disagree. */
  readonly difference: number
  /** T. */
  readonly threshold: number
  /** The smallest difference that this history shows: `exp(reach) - 1`. */
  readonly reach: number
  /** Three standard errors: the reach of three jobs. */
  readonly reachOfThree: number
  /** k: how many of the `residuals` are as large as D. */
  readonly asLarge: number
  /** The newest run of the trunk is off its level by this, and it is not known whether that lasts; else 0. */
  readonly pending: number
}

export interface SuiteComparison {
  readonly benchmarks: readonly OneSidedComparison[]
  /** S of each of the last three jobs. */
  readonly shifts: readonly number[]
  /** The shift that all of them have, the one nearest 0, where it is beyond what the trunk does; else 0. */
  readonly shift: number
}

/** Judges the jobs of a head by the history of the trunk. The benchmarks are those of one metric and kind of machine. */
export function againstTrunk(suite: readonly OneSidedValues[]): SuiteComparison {
  const walks = suite.map(({ trunk }) => walkTrunk(trunk))
  const trunkShifts = shiftsOf(
    suite[0]?.trunk.length ?? 0,
    walks.map(({ differences }) => differences),
  )
  const jobs = suite.map(({ jobs: values }, index) =>
    Float64Array.from(values, (value) => value - levelOf(walks[index]!)),
  )
  const jobShifts = shiftsOf(suite[0]?.jobs.length ?? 0, jobs)
  const residuals = walks.map(({ differences }) => residualsOf(differences, trunkShifts))
  const usual = usualSpread(residuals)
  return {
    benchmarks: suite.map((_, index) => compare(walks[index]!, residuals[index]!, usual, jobs[index]!, jobShifts)),
    shifts: lastOf(jobShifts, MOST_JOBS),
    shift: commonShift(lastOf(jobShifts, MOST_JOBS), trunkShifts),
  }
}

function levelOf({ window }: TrunkWalk): number {
  return window.length < LEAST_WINDOW ? Number.NaN : window.median
}

/** S of each run or job: the median of the differences, 0 where too few benchmarks have one. */
function shiftsOf(count: number, differences: readonly Float64Array[]): Float64Array {
  const column = new Float64Array(differences.length)
  return Float64Array.from({ length: count }, (_, run) => {
    let found = 0
    for (const ofBenchmark of differences) {
      const difference = ofBenchmark[run]!
      if (!Number.isNaN(difference)) column[found++] = difference
    }
    return found < LEAST_SUITE ? 0 : averagedMedian(column.subarray(0, found))
  })
}

/** |e| of the runs of the trunk that have one, by size. */
function residualsOf(differences: Float64Array, shifts: Float64Array): Float64Array {
  const found = new Float64Array(differences.length)
  let count = 0
  for (let run = 0; run < differences.length; run += 1) {
    const difference = differences[run]!
    if (!Number.isNaN(difference)) found[count++] = Math.abs(difference - shifts[run]!)
  }
  return found.subarray(0, count).sort()
}

/** s̄: what a benchmark of this suite usually does. */
function usualSpread(residuals: readonly Float64Array[]): number {
  const count = residuals.reduce((sum, { length }) => sum + length, 0)
  if (count < LEAST_RESIDUALS) return USUAL_SPREAD
  const all = new Float64Array(count)
  let at = 0
  for (const own of residuals) {
    all.set(own, at)
    at += own.length
  }
  return 2 * averagedMedian(all)
}

/** s: the benchmark’s own spread, drawn to the suite’s usual one as if that were five runs more. */
function spreadOf(residuals: Float64Array, usual: number): number {
  const count = residuals.length < LEAST_OWN ? 0 : residuals.length
  const own =
    count === 0 ? 0 : Math.max(SPREAD_OF_MEDIAN * averagedMedian(residuals), (0.7 * tailOf(residuals)) / 1.645)
  return Math.max(LEAST_SPREAD, Math.sqrt((count * own ** 2 + PRIOR_RUNS * usual ** 2) / (count + PRIOR_RUNS)))
}

/** The 0.9 quantile of sorted values, interpolated. */
function tailOf(sorted: Float64Array): number {
  const place = 0.9 * (sorted.length - 1)
  const [lower, upper] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!]
  return lower + (place - Math.floor(place)) * (upper - lower)
}

function compare(
  walk: TrunkWalk,
  residuals: Float64Array,
  usual: number,
  differences: Float64Array,
  shifts: Float64Array,
): OneSidedComparison {
  const measured = lastOf(
    [...differences.keys()].filter((job) => !Number.isNaN(differences[job]!)),
    MOST_JOBS,
  )
  const jobs = measured.map((job) => differences[job]!)
  const difference = nearestZero(jobs.map((own, index) => withOrWithout(own, shifts[measured[index]!]!)))
  const doubt = SHIFT_DOUBT * Math.max(0, ...measured.map((job) => Math.abs(shifts[job]!)))
  const spread = spreadOf(residuals, usual)
  const window = walk.window.length
  const factor = (1 + MEDIAN_VARIANCE / window) / (1 + MEDIAN_VARIANCE / WINDOW_OF_FACTOR)
  const error = Math.sqrt((spread ** 2 + doubt ** 2) * factor)
  const errors = ERRORS_OF_JOBS[Math.max(0, jobs.length - 1)]!
  return {
    level: levelOf(walk),
    window,
    residuals: residuals.length,
    spread,
    jobs,
    difference,
    threshold: errors * error,
    reach: Math.min(errors, ERRORS_OF_JOBS[1]) * error,
    reachOfThree: ERRORS_OF_JOBS[2] * error,
    asLarge: residuals.reduce((count, own) => count + (own >= Math.abs(difference) - ROUNDING ? 1 : 0), 0),
    pending: walk.pending,
  }
}

/** The smaller of a difference and what is left of it without the suite’s shift; 0 where that turns it round. */
function withOrWithout(difference: number, shift: number): number {
  return nearestZero([difference, difference - shift])
}

/** The number nearest 0 where all are on one side of it, else 0. */
function nearestZero(numbers: readonly number[]): number {
  const nearest = numbers.reduce((best, one) => (Math.abs(one) < Math.abs(best) ? one : best), Number.POSITIVE_INFINITY)
  return numbers.length > 0 && numbers.every((one) => Math.sign(one) === Math.sign(nearest)) ? nearest : 0
}

function commonShift(shifts: readonly number[], trunkShifts: Float64Array): number {
  const usual = trunkShifts.length === 0 ? 0 : averagedMedian(trunkShifts.map(Math.abs))
  const shift = nearestZero(shifts)
  return Math.abs(shift) > Math.max(SHIFT_LEAST, SHIFT_SPREADS * SPREAD_OF_MEDIAN * usual) ? shift : 0
}

function lastOf<T>(values: Iterable<T>, most: number): readonly T[] {
  const all = [...values]
  return all.slice(Math.max(0, all.length - most))
}
