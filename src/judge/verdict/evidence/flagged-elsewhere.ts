import { DAY } from '../../../text/time.ts'
import type { FlaggedElsewhere } from '../../history/trunk-series.ts'
import type { ClassifiedQuery } from '../classified-query.ts'

/** The same query was flagged in pull requests that have nothing to do with this one. A doubt, which asks for a rerun. */
export interface FlaggedInOthers {
  readonly kind: 'flagged-elsewhere'
  readonly architecture: string | null
  /** One of each witness. */
  readonly pullRequests: readonly number[]
  readonly days: number
  /** Those among them that are of first-time contributors. Left out: none. */
  readonly strangers?: number
}

/**
 * How far apart in time the flags may be, in days. What moves a query everywhere (a machine, a neighbour, a step of the
 * trunk behind an old reference) does so for a day or two; over a month every query is flagged somewhere.
 *
 * Triggers: the day before yesterday and today. Does not: last week and today.
 */
export const FLAGGED_DAYS = 2

/**
 * Other pull requests needed, each the word of another witness. One may be related to this one, or be a chance flag. Flags of one direction have a chance
 * of 0.5% at most in each run, so that two in the twenty runs that a project has in two days are there by chance with
 * 0.5%. Where there are a hundred runs it is 9%: a query that stands still on the trunk is therefore not excused by it
 * (`verdict.ts`).
 *
 * Triggers: flagged in two others. Does not: in one other, twice; in two of one stack, or of one first-time contributor.
 */
export const FLAGGED_MINIMUM = 2

/**
 * How much of the row's difference the others must have reached: what slows them by 6% does not explain 60%.
 *
 * Triggers: +20% here, +14% and +11% there. Does not: +20% here, +7% and +6% there.
 */
export const FLAGGED_SIZE = 0.5

/**
 * The same query moved the same way in pull requests that have nothing to do with this one. `own` is this one's number,
 * `at` the time of its measurement in milliseconds. A flag there counts where the threshold that was learned since would
 * flag it too: when a run is stored its thresholds are not known yet.
 *
 * `steppedSince`: this row's old build, where the trunk has moved since; null: it has not. Flags against the same build show
 * the trunk's step and nothing of their own.
 */
export function flaggedElsewhere(
  result: ClassifiedQuery,
  flags: readonly FlaggedElsewhere[],
  own: number,
  at: number,
  steppedSince: string | null = null,
): FlaggedInOthers | null {
  const { difference, architecture, changedThreshold } = result
  if (difference === null || difference === 0) return null
  const alike = flags.filter(
    (flag) =>
      flag.pullRequestNumber !== own &&
      (steppedSince === null || flag.oldCommit !== steppedSince) &&
      Math.abs(flag.time - at) <= FLAGGED_DAYS * DAY &&
      Math.sign(flag.difference) === Math.sign(difference) &&
      Math.abs(flag.difference) >= FLAGGED_SIZE * Math.abs(difference) &&
      Math.abs(flag.difference) >= (changedThreshold ?? 0),
  )
  // Of each witness one pull request is named.
  const witnesses = new Map<string, { readonly pullRequestNumber: number; readonly isStranger: boolean }>()
  for (const { pullRequestNumber, witness } of alike) {
    if (witness !== null && !witnesses.has(witness.name))
      witnesses.set(witness.name, { pullRequestNumber, isStranger: witness.isStranger })
  }
  if (witnesses.size < FLAGGED_MINIMUM) return null
  const found = [...witnesses.values()]
  const strangers = found.filter(({ isStranger }) => isStranger).length
  return {
    kind: 'flagged-elsewhere',
    architecture,
    pullRequests: found.map(({ pullRequestNumber }) => pullRequestNumber).toSorted((a, b) => a - b),
    days: FLAGGED_DAYS,
    ...(strangers > 0 && { strangers }),
  }
}
