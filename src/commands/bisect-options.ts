import { InvalidArgumentError } from 'commander'

/** `bisect`, as the command line gives it. */
export interface BisectOptions {
  /** null: of every test, query, architecture. */
  readonly test: string | null
  readonly query: number | null
  readonly architecture: string | null
  readonly metric: string
  /** A folder of a local clone; null: commits are not counted. */
  readonly repository: string | null
  /** null: not given. */
  readonly repositoryId: number | null
  /** Names of the trunk, for rows that name a branch. Empty: not given. */
  readonly trunk: readonly string[]
  /** Milliseconds; null: the present time. */
  readonly now: number | null
  readonly days: number
  /** Print a shell script. */
  readonly script: boolean
  /** An address with `{sha}`; null: none. */
  readonly buildLink: string | null
  /** The script passes over commits that can't change the binary. */
  readonly skipInert: boolean
  readonly json: boolean
}

export const DEFAULT_DAYS = 365

/** The 0-based position of a query in its test. */
export function parseQueryIndex(text: string): number {
  const index = /^#?(\d{1,9})$/.exec(text.trim())?.[1]
  if (index === undefined) throw new InvalidArgumentError('It is the position of the query in its test, from 0 on.')
  return Number(index)
}
