import { count, values } from '../../../text/numbers.ts'

/** A median in its unit. A count of 8 is no 8.00. */
export function medianWords(value: number, unit: string | null): string {
  return isCount(value, unit) ? count(value) : values([value], unit)
}

function isCount(value: number, unit: string | null): boolean {
  return unit === null && Number.isInteger(value) && Math.abs(value) < 10_000
}
