import type { Measurement } from '../../intake/measurement/run.ts'
import type { FailedIn } from './classified-query.ts'

/**
 * The build that did not run a query which it was asked for: it has no sample that is a number. Where neither has one the
 * errors tell, as far as the source names a side. null: both have samples, or nothing failed (a test was skipped).
 *
 * `new`: seven old samples and none, or only NaN, of the new build. `unknown`: a line of `run-errors.tsv` for a whole test.
 */
export function failedIn({
  old,
  new: fresh,
  problems,
}: Pick<Measurement, 'old' | 'new' | 'problems'>): FailedIn | null {
  const hasOld = old.some(Number.isFinite)
  const hasNew = fresh.some(Number.isFinite)
  if (hasOld || hasNew) return hasOld && hasNew ? null : hasOld ? 'new' : 'old'
  const errors = problems.filter(({ reason }) => reason !== 'skipped')
  if (errors.length === 0) return null
  const isIn = (side: 'old' | 'new') => errors.some((error) => error.side === side)
  if (isIn('new')) return isIn('old') ? 'both' : 'new'
  if (isIn('old')) return 'old'
  return errors.every(({ reason }) => reason === 'partial') ? 'both' : 'unknown'
}

/**
 * The build of which some repetitions failed, where the others are judged. null: none did, or it has no others.
 *
 * `new`: five of ten runs of the new command ended with an exit code of 1.
 */
export function partlyFailedIn(measurement: Pick<Measurement, 'old' | 'new' | 'problems'>): FailedIn | null {
  if (failedIn(measurement) !== null) return null
  const errors = measurement.problems.filter(({ reason }) => reason === 'run-error')
  if (errors.length === 0) return null
  const isIn = (side: 'old' | 'new') => errors.some((error) => error.side === side)
  if (isIn('new')) return isIn('old') ? 'both' : 'new'
  return isIn('old') ? 'old' : 'unknown'
}

/** The failure is for somebody to look at: the new build fails, or may be the one that does. */
export function isFailure({ failedIn: build }: { readonly failedIn?: FailedIn }): boolean {
  return build === 'new' || build === 'unknown'
}
