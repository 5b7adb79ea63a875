import { median } from '../intake/measurement/median.ts'
import { type Measurement, type QueryId, type Run, resultKey, runKey } from '../intake/measurement/run.ts'
import type { OneSidedHistory } from '../judge/history/one-sided-history.ts'
import type { MedianOfCommit } from '../judge/history/trunk-history.ts'
import { unitInHistory } from '../judge/history/trunk-series.ts'
import { againstTrunk } from '../judge/statistics/one-sided/against-trunk.ts'
import type { ClassifiedQuery } from '../judge/verdict/classified-query.ts'
import { classify } from '../judge/verdict/classify.ts'
import { CHANGED_FLOOR, DEFAULT_THRESHOLDS } from '../judge/verdict/thresholds.ts'
import { countedIn } from './classify-head.ts'

/** The commits of a stored run: its head, and the builds that it measured where it says them. */
export interface MeasuredCommits {
  readonly head: string
  readonly oldCommit: string | null
  readonly newCommit: string | null
}

/** The full ids that begin so among the commits that were measured. */
export function commitsNamed(beginning: string, runs: readonly MeasuredCommits[]): readonly string[] {
  const all = runs.flatMap(({ head, oldCommit, newCommit }) => [head, oldCommit, newCommit])
  return [...new Set(all.filter((commit) => commit?.startsWith(beginning) === true) as string[])]
}

/** The heads whose runs tell of two commits, newest first. */
export interface HeadsOfPair {
  /** Runs that measured both, in one job. */
  readonly together: readonly string[]
  /** Runs of the one and of the other. */
  readonly old: readonly string[]
  readonly new: readonly string[]
}

export function headsOfPair(old: string, fresh: string, runs: readonly MeasuredCommits[]): HeadsOfPair {
  const heads = (has: (run: MeasuredCommits) => boolean) => [...new Set(runs.filter(has).map(({ head }) => head))]
  // the commit as a head tells more of it than the heads that were held against it
  const of = (commit: string) =>
    heads((run) => sideOf(run, commit) !== null).toSorted((a, b) => Number(b === commit) - Number(a === commit))
  return { together: heads((run) => isOfBoth(run, old, fresh)), old: of(old), new: of(fresh) }
}

function isOfBoth(run: MeasuredCommits, old: string, fresh: string): boolean {
  const sides = [sideOf(run, old), sideOf(run, fresh)]
  return sides.includes('old') && sides.includes('new')
}

/** The side of a run that is of a commit; null: neither. */
function sideOf({ head, oldCommit, newCommit }: MeasuredCommits, commit: string): 'old' | 'new' | null {
  return head === commit || newCommit === commit ? 'new' : oldCommit === commit ? 'old' : null
}

/** A query of two commits, each measured in its own job. */
export interface ApartRow extends QueryId {
  readonly metric: string
  readonly unit: string | null
  readonly architecture: string | null
  /** `repetitions` null: only the median is kept. */
  readonly old: { readonly median: number; readonly repetitions: number | null }
  readonly new: { readonly median: number; readonly repetitions: number | null }
  /** A fraction of the old median. */
  readonly difference: number
  /** How far two jobs of one commit may be apart by the trunk's history, a fraction; null: too few runs of it are known. */
  readonly reach: number | null
  /** It is beyond that, and by enough to matter; null: that is not known. */
  readonly isBeyond: boolean | null
}

export interface CommitComparison {
  /** Judged by the exact test, worst first. */
  readonly together: readonly ClassifiedQuery[]
  /** Of all other queries that both measured, those beyond the reach first. */
  readonly apart: readonly ApartRow[]
}

/**
 * Compares two commits. What one job measured of both is judged by the exact test; of anything else nothing tells the machine from
 * the commit but how far jobs of the trunk are apart. `runs` are those of the heads of the pair, those of the newest first;
 * `medians` are all that is kept of a commit that no stored run measured.
 */
export function compareCommits(
  old: string,
  fresh: string,
  runs: readonly Run[],
  metric: string,
  histories: ReadonlyMap<string, OneSidedHistory>,
  medians: readonly MedianOfCommit[] = [],
): CommitComparison {
  const both = new Map<string, Measurement>()
  for (const run of runs) {
    if (!isOfBoth(run, old, fresh)) continue
    const isTurned = sideOf(run, fresh) === 'old'
    for (const one of measuredIn(run, metric)) {
      if (one.old.length === 0 || one.new.length === 0 || both.has(resultKey(one))) continue
      both.set(resultKey(one), isTurned ? { ...one, old: one.new, new: one.old } : one)
    }
  }
  const before = samplesOf(old, runs, metric, medians)
  const after = samplesOf(fresh, runs, metric, medians)
  const keys = [...after.keys()].filter((key) => before.has(key) && !both.has(key))
  const reaches = reachesOf(
    [...new Set(keys.map((key) => after.get(key)!.run ?? before.get(key)!.run))].map((run) =>
      run === null ? undefined : histories.get(runKey(run)),
    ),
  )
  const apart = keys.flatMap((key) => apartRow(before.get(key)!, after.get(key)!, reaches.get(key) ?? null))
  return {
    together: classify([...both.values()], DEFAULT_THRESHOLDS),
    apart: apart.toSorted(
      (a, b) => Number(b.isBeyond) - Number(a.isBeyond) || Math.abs(b.difference) - Math.abs(a.difference),
    ),
  }
}

function measuredIn(run: Run, metric: string): readonly Measurement[] {
  return countedIn(run, metric).map((one) => ({ ...one, architecture: one.architecture ?? run.architecture }))
}

interface Samples {
  /** null: only the median is kept. */
  readonly run: Run | null
  readonly measurement: QueryId & {
    readonly metric: string
    readonly unit: string | null
    readonly architecture: string | null
  }
  readonly samples: readonly number[]
}

/** What the newest run of each query measured of a commit: as the head first, where it was the commit that others were held against else. */
function samplesOf(
  commit: string,
  runs: readonly Run[],
  metric: string,
  medians: readonly MedianOfCommit[],
): ReadonlyMap<string, Samples> {
  const found = new Map<string, Samples>()
  for (const side of ['new', 'old'] as const) {
    for (const run of runs) {
      if (sideOf(run, commit) !== side) continue
      for (const measurement of measuredIn(run, metric)) {
        const samples = measurement[side]
        const key = resultKey(measurement)
        if (samples.length > 0 && !found.has(key)) found.set(key, { run, measurement, samples })
      }
    }
  }
  for (const { commit: of, median: value, ...query } of medians) {
    if (of === commit)
      found.set(resultKey(query), {
        run: null,
        measurement: { ...query, metric, unit: unitInHistory(metric) },
        samples: [value],
      })
  }
  return found
}

/** Standard errors of the difference of two jobs: as many as one job must be off its history to be looked at again. */
const ERRORS = 4

/** Runs of the trunk of a query below which nobody knows how far they are apart. */
const LEAST_RUNS = 5

/** The reach of each query, by `resultKey`, from the noise between the jobs of the trunk. */
function reachesOf(histories: readonly (OneSidedHistory | undefined)[]): ReadonlyMap<string, number> {
  const reaches = new Map<string, number>()
  for (const history of histories) {
    if (history === undefined) continue
    const queries = [...history.queries]
    const logarithm = (value: number) => (value > 0 && Number.isFinite(value) ? Math.log(value) : Number.NaN)
    const suite = queries.map(([, { trunk }]) => ({ trunk: Float64Array.from(trunk, logarithm), jobs: [] }))
    for (const [index, { spread, residuals }] of againstTrunk(suite).benchmarks.entries()) {
      if (residuals >= LEAST_RUNS) reaches.set(queries[index]![0], Math.expm1(ERRORS * Math.SQRT2 * spread))
    }
  }
  return reaches
}

function apartRow(before: Samples, after: Samples, reach: number | null): ApartRow[] {
  const [a, b] = [median(before.samples), median(after.samples)]
  const difference = a === b ? 0 : (b - a) / a
  if (!Number.isFinite(difference)) return []
  const { test, queryIndex, queryName, ordinal, metric, architecture } = after.measurement
  const unit = after.measurement.unit ?? before.measurement.unit
  const apart = Math.abs(Math.log1p(difference))
  return [
    {
      ...{ test, queryIndex, queryName, ...(ordinal !== undefined && { ordinal }) },
      ...{ metric, unit, architecture, difference, reach },
      old: { median: a, repetitions: before.run === null ? null : before.samples.length },
      new: { median: b, repetitions: after.run === null ? null : after.samples.length },
      isBeyond: reach === null ? null : apart >= Math.max(Math.log1p(reach), Math.log1p(CHANGED_FLOOR)),
    },
  ]
}
