/**
 * What a run's own report concluded, by its rule and its thresholds: another judge than this one. ClickHouse's check calls a query changed
 * where |D| is above the query's threshold for a change and at least T, and unstable where it is not changed and T is above the query's
 * threshold for noise.
 */
export interface OwnVerdict {
  /** How the report concludes; null: no file says it. */
  readonly status: 'success' | 'failure' | null
  /** What it says of itself, such as `3 too long, 2 slower`; null: no file says it. */
  readonly message: string | null
  /** What it flags; null: no table of it is there. */
  readonly flagged: OwnFlags | null
  /** Whether its thresholds are those that history has taught, or the same for all queries; null: nobody can tell. */
  readonly thresholds: 'learned' | 'bare' | null
  /** Queries of which the performance dashboard told the job that they are regressions. */
  readonly dashboard: readonly OwnQuery[]
}

export interface OwnFlags {
  readonly slower: number
  /** null: the source does not tell faster ones from unchanged ones. */
  readonly faster: number | null
  readonly unstable: number
  /** The slower and the faster ones, the first of each. */
  readonly rows: readonly (OwnQuery & { readonly flag: 'slower' | 'faster' })[]
}

export interface OwnQuery {
  readonly test: string
  readonly queryIndex: number
}
