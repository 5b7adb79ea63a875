import type { ClassifiedQuery, Direction } from './classified-query.ts'

/**
 * The direction of a difference: `slower` is worse whatever was measured. Fewer operations a second are slower; null: there
 * is no difference, or nobody knows which way is better.
 */
export function directionOf(difference: number, better: ClassifiedQuery['better']): Direction | null {
  if (difference === 0 || better === null) return null
  return difference > 0 === (better === 'higher') ? 'faster' : 'slower'
}

/**
 * How much worse, as a time would be: half the operations a second are 100% slower, since each takes twice as long. Where
 * less is better it is the difference; a part of it below 0 is an improvement.
 */
export function slowdownOf({ difference, better }: Pick<ClassifiedQuery, 'difference' | 'better'>): number | null {
  if (difference === null || better === null) return null
  if (better !== 'higher') return difference
  return 1 / (1 + difference) - 1
}
