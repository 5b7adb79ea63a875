import { InvalidArgumentError } from 'commander'
import { WINDOW_LENGTH_MOST } from '../statistics/change-points/e-divisive.ts'

/** `change-points`, as the command line gives it. */
export interface ChangePointsOptions {
  /** `-` is stdin. */
  readonly file: string
  /** Names of columns; empty: `value`. */
  readonly values: readonly string[]
  /** Names of the columns that a series is called by; empty: `series`. */
  readonly series: readonly string[]
  /** Names of columns; null: `time` and `commit`. */
  readonly time: string | null
  readonly commit: string | null
  /** null: the detector's default. */
  readonly windowLength: number | null
  readonly maxP: number | null
  readonly minStep: number | null
  readonly higherIsBetter: boolean
  readonly json: boolean
}

export function parseWindowLength(text: string): number {
  const length = Number(text)
  if (!/^\d+$/.test(text.trim()) || length < 2 || length > WINDOW_LENGTH_MOST) {
    throw new InvalidArgumentError(`It is a whole number of points from 2 to ${WINDOW_LENGTH_MOST}.`)
  }
  return length
}

export function parseMaxP(text: string): number {
  const p = text.trim() === '' ? Number.NaN : Number(text)
  if (!(p > 0 && p <= 1)) throw new InvalidArgumentError('It is a probability such as 0.001, above 0 and at most 1.')
  return p
}

/** `--value a --value b`. */
export function collectColumn(name: string, before: readonly string[] = []): readonly string[] {
  const column = parseColumn(name)
  return before.includes(column) ? before : [...before, column]
}

export function parseColumn(name: string): string {
  if (name.trim() === '') throw new InvalidArgumentError('It is the name of a column in the header.')
  return name
}
