/** A point in time; a number is milliseconds since 1970. Nothing in the inbox reads the clock. */
export type Time = Date | number

export function milliseconds(time: Time): number {
  return typeof time === 'number' ? time : time.getTime()
}

/** How long to wait after a failure, and when to give up. */
export interface RetryPolicy {
  /** The pause after the first failure, in milliseconds; doubled with each further one. */
  readonly firstMs: number
  readonly longestMs: number
  /** With this many attempts failed there is no further one. */
  readonly attempts: number
}

/** Milliseconds from the failure of attempt number `attempts` (1, 2, …) to the next one. */
export function backoff(policy: Omit<RetryPolicy, 'attempts'>, attempts: number): number {
  return Math.min(policy.longestMs, policy.firstMs * 2 ** (Math.max(1, attempts) - 1))
}

/**
 * A process ends for reasons of its own; what is in hand at this many ends in a row may be the reason. It begins only
 * where nothing else is under way, and nothing begins beside it: so one of them is told from what it was in hand with.
 *
 * The number stands in SQL as well, for a partial index takes no parameter: `crashes >= 3` and `crashes < 3` in
 * `queue.sql` and `turns.sql`, and the indexes `deliveries_alone` and `triages_alone` of the
 * migrations. Another number needs a migration that makes the indexes anew.
 */
export const CRASHES_OF_ITS_OWN = 3

/** The pause is long enough for all other work to be done, and short enough for a process that was only unlucky. */
const CRASH_PAUSE = { firstMs: 10_000, longestMs: 15 * 60_000 }

/** Milliseconds from a start to the next attempt at what the process had in hand when it died. */
export function afterCrash(crashes: number): number {
  return crashes < CRASHES_OF_ITS_OWN ? 0 : backoff(CRASH_PAUSE, crashes - CRASHES_OF_ITS_OWN + 1)
}

export const LONGEST_CRASH_PAUSE = CRASH_PAUSE.longestMs

/** An end with other work in hand is no failure; one alone is. */
export function isOfItsOwn(crashes: number): boolean {
  return crashes > CRASHES_OF_ITS_OWN
}

/** A stack is for the log; the inbox keeps what was wrong. */
const LONGEST_ERROR = 1000

export function errorText(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return text.slice(0, LONGEST_ERROR)
}

/** The error that is noted where a process ended in the middle of the work. */
export const CRASHED = 'the process ended during this attempt'
