import type { ClassifiedQuery } from '../classified-query.ts'
import type { TooFewRepetitions } from './evidence.ts'

/**
 * Repetitions a side below which a change supports no claim: at 4 + 4 even completely separated samples have p = 0.086,
 * at 5 + 5 they have p = 0.048.
 *
 * Triggers: 4 old and 7 new. Does not: 5 old and 5 new.
 */
export const NEEDED_REPETITIONS = 5

export function tooFewRepetitions(result: ClassifiedQuery): TooFewRepetitions | null {
  const { old, new: fresh } = result
  if (old.repetitions >= NEEDED_REPETITIONS && fresh.repetitions >= NEEDED_REPETITIONS) return null
  return {
    kind: 'too-few-repetitions',
    architecture: result.architecture,
    old: old.repetitions,
    new: fresh.repetitions,
    needed: NEEDED_REPETITIONS,
  }
}
