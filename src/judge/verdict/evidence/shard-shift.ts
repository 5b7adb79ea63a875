import type { Run } from '../../../intake/measurement/run.ts'
import { normalQuantile } from '../../statistics/normal-tail.ts'
import type { Acceptance } from '../acceptance.ts'
import type { ClassifiedQuery } from '../classified-query.ts'
import { slowdownOf } from '../direction.ts'
import { reaches } from '../outcome.ts'

/** Everything on that machine moved, and not on the others. Speaks for noise; where there is no other, doubt. */
export interface ShardShifted {
  readonly kind: 'shard-shift'
  readonly architecture: string | null
  readonly shard: number | null
  /** Fractions: of this shard, and the median of the other shards of the architecture (null: there is none). */
  readonly shift: number
  readonly elsewhere: number | null
  readonly queries: number
}

/** The shift of everything that ran on one shard's machine. */
export interface ShardShift {
  readonly architecture: string | null
  readonly shard: number | null
  /** Compared queries with a positive time on both sides. */
  readonly queries: number
  /** exp(median of log(new/old)) - 1: what a typical query of this shard moved by. */
  readonly shift: number
  /** The shift is large enough, over enough queries, to be said. */
  readonly notable: boolean
  /** The jobs of the head alone that all shifted by it; absent: both sides were measured. */
  readonly jobs?: number
}

/**
 * Queries needed before "everything moved" can be told from "a few moved": below 20 the confidence interval of the median
 * covers most of the sample.
 *
 * Triggers: 300 queries whose median moved by +4%. Does not: 12 queries that all moved by +4%.
 */
export const SHIFT_MINIMUM_QUERIES = 20

/**
 * The smallest shift worth saying: below it no row of a 5% threshold is explained by it.
 *
 * Triggers: +3.1% over 200 queries. Does not: +1% over 3,000 queries, however certain.
 */
export const SHIFT_MINIMUM = 0.03

/**
 * How sure it must be, two-sided, that the median is not zero: by chance it says so of 1% of the shards that stood still, as
 * the threshold T does of queries.
 *
 * Triggers: 100 queries with a median of +4%, 63 of them slower. Does not: the same with 62 of them slower.
 */
export const SHIFT_CONFIDENCE = 0.99

const SHIFT_Z = normalQuantile((1 + SHIFT_CONFIDENCE) / 2)

/**
 * How much of a row's difference the shift must be. A learned threshold may be wide: what remains of +33% without a shift
 * of 3% is below 30%, and is not the machine's.
 *
 * Triggers: +7% where the shard moved by +4%. Does not: +33% where it moved by +3%.
 */
export const SHIFT_SHARE = 0.5

/**
 * How far two runs of the same head may be apart, in parts of the earlier one's shift, to have shifted by the same.
 *
 * Triggers: +6% and then +4.5% or +8%. Does not: +6% and then +3.9% or +8.1%.
 */
const AGAIN_SHARE = 1 / 3

/**
 * The common shift of one shard: the median of log(new/old) over its compared queries. The median ignores up to half of
 * the queries, so that real changes of many do not look like a shift. Notable when the 99% order-statistic confidence
 * interval of that median excludes zero as well (Hahn and Meeker, Statistical Intervals, 1991, section 5.2; normal
 * approximation to the binomial ranks).
 */
export function shardShift(
  architecture: string | null,
  shard: number | null,
  results: readonly Pick<ClassifiedQuery, 'status' | 'old' | 'new' | 'better'>[],
): ShardShift {
  const logs: number[] = []
  for (const { status, old, new: fresh, better } of results) {
    if (better === null) continue
    if (status !== 'compared' || !old.median || !fresh.median) continue
    const log = Math.log(fresh.median / old.median)
    logs.push(better === 'higher' ? -log : log)
  }
  logs.sort((a, b) => a - b)
  const count = logs.length
  const shift = count === 0 ? 0 : Math.exp(logs[Math.floor(count / 2)]!) - 1
  return { architecture, shard, queries: count, shift, notable: isNotable(logs, shift) }
}

function isNotable(sortedLogs: readonly number[], shift: number): boolean {
  const count = sortedLogs.length
  if (count < SHIFT_MINIMUM_QUERIES || Math.abs(shift) < SHIFT_MINIMUM) return false
  const halfWidth = (SHIFT_Z * Math.sqrt(count)) / 2
  const low = sortedLogs[Math.max(0, Math.floor(count / 2 - halfWidth))]!
  const high = sortedLogs[Math.min(count - 1, Math.ceil(count / 2 + halfWidth))]!
  return low > 0 || high < 0
}

/**
 * The shift explains this row: it goes the same way, what remains without it is below the row's own threshold, and the other
 * shards of the architecture did not move alike. Where all of them moved it is not a machine: it is the build, and nothing is
 * explained away. Where others stood still the shift must be half of the difference as well, since it excuses the row then.
 * Where there is no other shard nobody can tell, and the evidence says so. Nothing is subtracted from what is shown.
 *
 * Triggers: +7% in a shard that moved by +4% (2.9% remain, threshold 5%) while the others moved by 0.3%. Does not:
 * +30% in that shard, +7% in a shard that moved by −4%, or +7% where all six shards moved by +4%.
 */
export function explainedByShift(
  result: ClassifiedQuery,
  shift: ShardShift | undefined,
  all: readonly ShardShift[],
): ShardShifted | null {
  if (!shift?.notable || !bringsBelowThreshold(shift.shift, result)) return null
  const elsewhere = shiftElsewhere(shift, all)
  if (elsewhere !== null) {
    if (Math.abs(shift.shift - elsewhere) < SHIFT_MINIMUM) return null
    if (!mayExplain(shift.shift, result)) return null
  }
  return {
    kind: 'shard-shift',
    architecture: shift.architecture,
    shard: shift.shard,
    shift: shift.shift,
    elsewhere,
    queries: shift.queries,
  }
}

/**
 * The shift may be all there is to this row: it goes the same way, what remains without it is below the row's own threshold,
 * and it is `SHIFT_SHARE` of the difference at least. A row that it can't explain is slower or faster by more than it.
 */
export function mayExplain(shift: number, result: Moved): boolean {
  // held against the trunk's level it is what is left of the difference without the shift
  if (result.history !== undefined) return false
  return bringsBelowThreshold(shift, result) && Math.abs(shift) >= SHIFT_SHARE * Math.abs(slowdownOf(result) ?? 0)
}

type Moved = Pick<ClassifiedQuery, 'difference' | 'better' | 'changedThreshold' | 'history'>

function bringsBelowThreshold(shift: number, result: Moved): boolean {
  const slowdown = slowdownOf(result)
  const { changedThreshold } = result
  if (slowdown === null || changedThreshold === null || Math.sign(shift) !== Math.sign(slowdown)) return false
  return Math.abs((1 + slowdown) / (1 + shift) - 1) < changedThreshold
}

/** All that a machine measured moved, and no other shard of its architecture tells the machine from the build. */
export interface WholeRunShift {
  readonly architecture: string | null
  /** null: it is no shard of several. */
  readonly shard: number | null
  /** The check that measured it; absent in what was stored before it was kept. */
  readonly check?: string
  readonly shift: number
  /** How many queries it is the shift of. */
  readonly queries: number
  /**
   * The shift of another run of the same head, earlier or on another architecture, if about the same; null: none did.
   */
  readonly again: number | null
  /** The verdict of everything together, said once; null: it is faster. */
  readonly verdict: 'needs-rerun' | 'regression' | null
  /** Jobs of the head alone that it was seen in; absent: both sides were measured. */
  readonly jobs?: number
  /** A person accepted it at this size, which it is within; absent: nobody did. */
  readonly accepted?: Acceptance
}

/**
 * The verdict of a shift where nothing stands beside it. Slower, it asks for a rerun; when an earlier run of the same
 * head, or that of another architecture, shifted by about the same, two machines have seen it, and it is one regression
 * of the whole suite. null: the shift is not notable, or other shards tell what it is.
 *
 * Triggers: +6% of the only shard. Does not: the same beside a shard of 20 queries and more, or of 19 queries.
 */
export function wholeRunShift(
  shift: ShardShift,
  all: readonly ShardShift[],
  earlier: readonly ShardShift[],
): WholeRunShift | null {
  if (!shift.notable || shiftElsewhere(shift, all) !== null) return null
  const isWhole = (one: ShardShift) => isAlike(one.shift, shiftElsewhere(one, all) ?? one.shift)
  const abroad = all.filter((one) => one.architecture !== shift.architecture && isWhole(one))
  const again = [...earlier, ...abroad].find((one) => one.notable && isAlike(one.shift, shift.shift))?.shift ?? null
  const slower = again === null ? 'needs-rerun' : 'regression'
  const { architecture, shard, queries, jobs } = shift
  const ofJobs = jobs === undefined ? {} : { jobs }
  return {
    architecture,
    shard,
    shift: shift.shift,
    queries,
    again,
    ...ofJobs,
    verdict: shift.shift > 0 ? slower : null,
  }
}

function isAlike(first: number, second: number): boolean {
  return reaches(AGAIN_SHARE * Math.abs(first), Math.abs(second - first))
}

/** The part of a run that may have been replaced which tells what it shifted by. */
export interface StoredAttempt extends Pick<Run, 'check' | 'architecture' | 'shard' | 'attempt'> {
  /** The two medians of each query that was compared, both above 0. */
  readonly medians: readonly (readonly [old: number, fresh: number])[]
}

/** The shifts of whole runs of a finished head: while shards are awaited, the next one may tell the machine from the build. */
export function wholeRunShifts(
  shifts: ReadonlyMap<Run, ShardShift>,
  attempts: readonly StoredAttempt[],
): readonly WholeRunShift[] {
  const all = [...shifts.values()]
  return [...shifts].flatMap(([run, shift]) => {
    const earlier = attempts.filter((one) => isEarlierOf(run, one))
    const found = wholeRunShift(shift, all, earlier.map(shiftOfAttempt))
    if (found === null) return []
    return [{ ...found, check: run.check, shard: (run.shards ?? 1) > 1 ? found.shard : null }]
  })
}

function isEarlierOf(run: Run, { check, architecture, shard, attempt }: StoredAttempt): boolean {
  return check === run.check && architecture === run.architecture && shard === run.shard && attempt < run.attempt
}

function shiftOfAttempt({ architecture, shard, medians }: StoredAttempt): ShardShift {
  const results = medians.map(([old, fresh]) => ({
    status: 'compared' as const,
    old: { median: old, repetitions: 1 },
    new: { median: fresh, repetitions: 1 },
  }))
  return shardShift(architecture, shard, results)
}

/** The median of the other shards that are large enough to have one. */
function shiftElsewhere(shift: ShardShift, all: readonly ShardShift[]): number | null {
  const others = all.filter(
    (other) => other !== shift && other.architecture === shift.architecture && other.queries >= SHIFT_MINIMUM_QUERIES,
  )
  const sorted = others.map((other) => other.shift).toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? null
}
