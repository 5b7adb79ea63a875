import { resultKey } from '../../intake/measurement/run.ts'
import type { OneSidedHistory } from '../history/one-sided-history.ts'
import { type AgainstHistory, type ClassifiedQuery, shownValue } from './classified-query.ts'
import { judgeOneSided, type OneSidedBenchmark, type OneSidedResult } from './one-sided.ts'
import { CHANGED_FLOOR, UNSTABLE_FLOOR } from './thresholds.ts'

/** Units of what is counted. The same work gives the same number twice; a time never does. */
const COUNT_UNITS: ReadonlySet<string | null> = new Set(['bytes', '1', 'allocations', 'allocs', 'instructions'])

/** A result that has no outcome for lack of another side, or of repetitions: the trunk’s history may judge it. */
export function isOneSided({ status }: Pick<ClassifiedQuery, 'status'>): boolean {
  return status === 'only-new' || status === 'measured-once'
}

export interface ClassifiedByHistory {
  readonly results: readonly ClassifiedQuery[]
  /** What everything moved by, a fraction, positive where it is slower; 0: nothing to say. */
  readonly shift: number
}

/** Judges results of one check and metric by the trunk’s history. What is not one-sided stays as it is. */
export function classifyByHistory(results: readonly ClassifiedQuery[], history: OneSidedHistory): ClassifiedByHistory {
  const judged = results.filter((result) => isOneSided(result) && history.queries.has(resultKey(result)))
  const suite = judged.map((result): OneSidedBenchmark => {
    const { unit } = result
    const better = result.better ?? 'lower'
    return { ...history.queries.get(resultKey(result))!, better, isCount: better === 'lower' && COUNT_UNITS.has(unit) }
  })
  const found = judgeOneSided(suite)
  const rows = new Map(
    judged.map((result, index) => [result, rowOf(result, suite[index]!, found.results[index]!, history)]),
  )
  return { results: results.map((result) => rows.get(result) ?? result), shift: Math.exp(found.shift) - 1 }
}

function rowOf(
  given: ClassifiedQuery,
  { jobs, better }: OneSidedBenchmark,
  found: OneSidedResult,
  { isOtherMachine = false, machine = '' }: OneSidedHistory,
): ClassifiedQuery {
  const { level, outcome, direction } = found
  // that the base has no value is no failure of it
  const { failedIn: _, ...row } = given
  if (level === null || (outcome === 'no-reference' && !found.isGuarded))
    return row.status === 'only-new' ? { ...row, statusReason: 'no-history' } : row
  const measured = jobs.filter((value) => Number.isFinite(value)).slice(-3)
  const here = measured.reduce(
    (nearest, value) => (Math.abs(value - level) < Math.abs(nearest - level) ? value : nearest),
    measured[0] ?? shownValue(row.new) ?? level,
  )
  const difference = differenceOf(found, better, (here - level) / level)
  if (!Number.isFinite(difference)) return { ...row, status: 'failed', statusReason: 'zero-old' }
  const threshold = found.threshold === null ? null : Math.expm1(found.threshold)
  const told = OUTCOMES[outcome](found)
  // of a change without a direction nothing asks for another job, and one alone shows none
  const isUndirected = given.better === null
  return {
    ...row,
    status: 'compared',
    statusReason: null,
    old: { median: level, repetitions: found.window },
    new: { median: here, repetitions: found.jobs },
    difference,
    threshold,
    outcome: isUndirected && told === 'changed' && found.jobs === 1 ? 'unstable' : told,
    direction: isUndirected ? null : direction,
    changedThreshold: Math.max(CHANGED_FLOOR, threshold ?? 0),
    changedThresholdSource: 'history',
    unstableThreshold: UNSTABLE_FLOOR,
    unstableThresholdSource: 'history',
    history: {
      ...detailsOf(found),
      ...(isUndirected && { asksAgain: false, isGuarded: false }),
      ...(isOtherMachine && { isOtherMachine, machine }),
    },
  }
}

/** The difference of the values as they were measured; what is judged is that of logarithms in which larger is worse. */
function differenceOf(
  { difference, isExact }: OneSidedResult,
  better: OneSidedBenchmark['better'],
  shown: number,
): number {
  if (difference === null) return shown
  if (isExact) return difference
  return Math.expm1(better === 'higher' ? -difference : difference)
}

/** A rerun that even two jobs of the same size would not have to ask for is a change that is doubted; any other is not seen yet. */
const OUTCOMES: Readonly<Record<OneSidedResult['outcome'], (found: OneSidedResult) => ClassifiedQuery['outcome']>> = {
  slower: () => 'changed',
  faster: () => 'changed',
  rerun: ({ reason }) => (reason === 'one-job' || reason === 'guard' ? 'unstable' : 'changed'),
  unstable: () => 'unstable',
  'too-small': () => 'too-small',
  'not-significant': () => 'not-significant',
  'no-reference': () => null,
}

function detailsOf(found: OneSidedResult): AgainstHistory {
  const { jobs, residuals, asLarge, reach, reason, moreJobs, isExact, isGuarded, outcome } = found
  return {
    jobs,
    trunkRuns: residuals,
    asLarge,
    reach: reach === null ? null : Math.expm1(reach),
    asksAgain: outcome === 'rerun' || (outcome === 'slower' && jobs === 1),
    reason,
    moreJobs,
    isExact,
    isGuarded,
  }
}
