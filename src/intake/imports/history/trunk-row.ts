import type { QueryId } from '../../measurement/run.ts'

/** Where points come from. A run that two of them have counts once, as the first of them has it. */
export const HISTORY_SOURCES = ['own', 'imported', 'ci-database'] as const
export type HistorySource = (typeof HISTORY_SOURCES)[number]

/**
 * One query and metric of one run of the trunk, in the columns of `query_metrics_v2`. Which of several queries with equal
 * texts it is (the ordinal) is not part of it: that follows from the indexes of the run, whoever stored it.
 */
export interface TrunkRow extends Omit<QueryId, 'ordinal'> {
  readonly source: HistorySource
  /** The table that it was copied out of; rows that no CI database gave have none. */
  readonly copiedFrom?: CopiedFrom
  /** Milliseconds since 1970; stored in whole seconds. */
  readonly time: number
  /** Full commit ids. */
  readonly oldCommit: string
  readonly newCommit: string
  readonly metric: string
  /** Empty where none is stated. */
  readonly architecture: string
  /** Medians of the two sides, in the metric's unit. */
  readonly old: number
  readonly new: number
  /** (new - old) / old; not finite where there is none. */
  readonly difference: number
  /** T, a fraction of `old`; null where nothing is known of it. */
  readonly threshold: number | null
  /** Empty where nothing is stated, like all that follow. */
  readonly workflowName: string
  readonly baseBranch: string
  readonly reportUrl: string
  readonly instanceType: string
  readonly instanceId: string
}

export interface CopiedFrom {
  /** Address and table: `https://ci.example.com:8443/default.query_metrics_v2`. */
  readonly table: string
  /** Medians that were made of raw runs; false: the table has medians. */
  readonly isOfRawRuns: boolean
}

/** Of the rows of one run of a query (the same commit on the same architecture) those with the lowest stand. */
export function precedenceOf({ source, copiedFrom }: Pick<TrunkRow, 'source' | 'copiedFrom'>): number {
  if (source !== 'ci-database') return HISTORY_SOURCES.indexOf(source)
  return copiedFrom?.isOfRawRuns === true ? 3 : 2
}
