import type { z } from 'zod'
import type { HistorySource } from '../../history/trunk-series.ts'
import type { QueryParameters } from '../client.ts'

/** How the statements of `queries/` reach one source of rows. */
export interface HistoryQueries {
  /** The first of its sources. */
  readonly source: HistorySource
  /** Characters that the texts of one request may take in its address. */
  readonly parameterLength: number
  /**
   * Points of all queries that thresholds are learned from in one statement; left out: all of them. What is known from
   * elsewhere is then not learned again.
   */
  readonly learnedAtATime?: number
  /**
   * Series come with the rows of two sources and are made of them here (`each-run-once.ts`). Their runs are asked for at the
   * same time: there is no harm in it where no row is found.
   */
  readonly seriesOfBothSources?: true
  /** Runs the statement of a file. Throws `HistoryUnavailable`. */
  read<T>(name: string, parameters: QueryParameters, row: z.ZodType<T>): Promise<T[]>
}
