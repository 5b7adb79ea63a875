import { count } from '../../../text/numbers.ts'

/** From here on an attempt is no count of anything. */
const FIRST_TIME = 1e9

/** `attempt 2`; of a check whose attempts have no numbers the time in its place, which is its attempt in seconds since 1970. */
export function attemptWords(attempt: number): string {
  if (attempt < FIRST_TIME) return `attempt ${count(attempt)}`
  return `finished ${new Date(attempt * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
